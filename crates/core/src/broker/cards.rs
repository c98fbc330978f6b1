//! The life of a card: asked, shared, answered once, closed with its true cause.

use super::Broker;
use crate::approval::{ApprovalFacts, CallApproval, Reach};
use crate::card::{AgentView, CardAction, CardChannel, CardView, PreviousRun, WorksUnder};
use crate::channel::{Ceremony, Channel, ChannelName};
use crate::evidence::Attestation;
use crate::ids::{ApprovalId, CardNo, Digest, Moment, Ref, RunId, VaultEpoch};
use crate::limits;
use crate::outcome::Reason;

/// A question to the person.
#[derive(Debug)]
pub struct Ask {
    /// The run that asks.
    pub run: RunId,
    /// What changed since the last approval.
    pub changed: Vec<Reason>,
    /// The run whose approval ended.
    pub previous: Option<PreviousRun>,
    /// Who asks.
    pub agent: AgentView,
    /// Channels that a yes may open.
    pub channels: Vec<CardChannel>,
    /// The action that is the question or its occasion.
    pub action: Option<CardAction>,
    /// The attempt, where the action is the question.
    pub asks_action: Option<Ref>,
    /// The run can have no session approval on its channel.
    pub stands_alone: bool,
    /// The run whose agent started the one that asks.
    pub works_under: Option<WorksUnder>,
    /// What a yes takes.
    pub ceremony: Ceremony,
    /// Vault epoch of this moment.
    pub epoch: VaultEpoch,
}

/// A card that is open.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) view: CardView,
    pub(super) attended: u32,
    pub(super) last_attended: Moment,
    asks_action: Option<Ref>,
    epoch: VaultEpoch,
}

impl Card {
    pub(super) fn touches(&self) -> Vec<ChannelName> {
        let session = self.view.channels.iter().map(|channel| channel.name.clone());
        session.chain(self.view.action.iter().map(|action| action.channel.clone())).collect()
    }
}

/// How a card ended. Whoever waited for it reads this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The person said yes, and what was granted is live.
    Approved,
    /// The person said yes; it is being recorded.
    Recording,
    /// The person said no.
    Denied,
    /// It closed by itself, for this reason.
    Closed(Reason),
}

/// What a yes grants, once it is recorded. Nothing of it is live yet.
#[derive(Debug)]
#[must_use = "a yes that is not recorded grants nothing"]
pub struct Granting {
    /// The card.
    pub card: CardNo,
    /// What it showed.
    pub view: CardView,
    /// Approvals, each waiting for its GRANT row.
    pub approvals: Vec<ApprovalFacts>,
    /// A yes to one action on top of a session approval.
    pub call: Option<CallApproval>,
    /// What had been taken back from the run when the yes was given.
    pub(super) taken_back: u64,
}

/// Why an answer does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerRefused {
    /// No such card, or it is answered or closed.
    NoSuchCard,
    /// The card is not the one that the person saw.
    OtherCard,
    /// The run, epoch or boot is not that of the card any more.
    Stale(Reason),
    /// A stricter ceremony is needed.
    Ceremony,
    /// Nothing is ticked, or a channel is named that is not on the card.
    Channels(Vec<ChannelName>),
}

/// How many answers are remembered for those who wait.
const RESOLUTIONS_KEPT: usize = 4_096;

impl Broker {
    /// Puts a question, or finds the open card that asks the same. The flag says whether the card is new.
    ///
    /// # Errors
    /// [`Reason::DeniedByOperator`] where the person's no still stands; [`Reason::TooMany`] over the limits.
    pub fn ask(&mut self, ask: Ask, now: Moment) -> Result<(CardNo, bool), Reason> {
        let digest = ask.action.as_ref().map(|action| action.digest);
        if digest.is_some_and(|digest| self.denied_requests.contains(&(ask.run, digest))) {
            return Err(Reason::DeniedByOperator);
        }
        let quiet =
            |channel: &CardChannel| self.quiet.get(&(ask.run, channel.name.clone())).is_some_and(|until| *until > now);
        if ask.channels.iter().any(quiet) {
            return Err(Reason::DeniedByOperator);
        }
        if let Some(number) = self.same_question(&ask) {
            return Ok((number, false));
        }
        let tree = self.tree_of(ask.run);
        let of_agent = self.cards.values().filter(|card| self.tree_of(card.view.run) == tree).count();
        if self.cards.len() >= limits::OPEN_CARDS || of_agent >= limits::OPEN_CARDS_PER_AGENT {
            return Err(Reason::TooMany);
        }
        self.last_card = self.last_card.saturating_add(1);
        let number = CardNo(self.last_card);
        let conversation = self.run(ask.run).and_then(|run| run.conversation()).map(str::to_owned);
        let view = CardView {
            card: number,
            run: ask.run,
            changed: ask.changed,
            previous: ask.previous,
            agent: ask.agent,
            conversation,
            channels: ask.channels,
            action: ask.action,
            asks_action: ask.asks_action.is_some(),
            stands_alone: ask.stands_alone,
            works_under: ask.works_under,
            ceremony: ask.ceremony,
            boot: self.boot_no,
            epoch: ask.epoch.number,
        };
        let card = Card { view, attended: 0, last_attended: now, asks_action: ask.asks_action, epoch: ask.epoch };
        self.cards.insert(number, card);
        Ok((number, true))
    }

    /// Concurrent first calls of one run for one channel share a card, and the same request asked twice is one question.
    fn same_question(&self, ask: &Ask) -> Option<CardNo> {
        let same = |card: &Card| {
            if card.view.run != ask.run || card.asks_action.is_some() != ask.asks_action.is_some() {
                return false;
            }
            match (ask.asks_action, &card.view.action, &ask.action) {
                (Some(_), Some(open), Some(new)) => open.digest == new.digest && card.asks_action == ask.asks_action,
                (Some(_), _, _) => false,
                (None, _, _) => {
                    let open = |wanted: &CardChannel| card.view.channels.iter().any(|has| has.name == wanted.name);
                    !ask.channels.is_empty() && ask.channels.iter().all(open)
                }
            }
        };
        self.cards.iter().find(|(_, card)| same(card)).map(|(number, _)| *number)
    }

    /// An open card.
    #[must_use]
    pub fn card(&self, number: CardNo) -> Option<&CardView> {
        self.cards.get(&number).map(|card| &card.view)
    }

    /// Open cards, oldest first.
    pub fn open_cards(&self) -> impl Iterator<Item = &CardView> {
        self.cards.values().map(|card| &card.view)
    }

    /// How a card ended; `None` while it is open.
    #[must_use]
    pub fn resolution(&self, number: CardNo) -> Option<Resolution> {
        self.resolved.get(&number).copied()
    }

    /// A call begins to wait for a card.
    pub fn attend(&mut self, number: CardNo, now: Moment) {
        if let Some(card) = self.cards.get_mut(&number) {
            card.attended = card.attended.saturating_add(1);
            card.last_attended = now;
        }
    }

    /// A call stops waiting. The card stays: others may wait, and this caller may come back.
    pub fn leave(&mut self, number: CardNo, now: Moment) {
        if let Some(card) = self.cards.get_mut(&number) {
            card.attended = card.attended.saturating_sub(1);
            card.last_attended = now;
        }
    }

    /// Takes a card that asked about one action away, because the action was withdrawn.
    pub fn withdraw(&mut self, reference: Ref) -> Option<(CardNo, RunId)> {
        let number =
            self.cards.iter().find(|(_, card)| card.asks_action == Some(reference)).map(|(number, _)| *number)?;
        let card = self.cards.remove(&number)?;
        self.resolve(number, Resolution::Closed(Reason::CallerLeft));
        Some((number, card.view.run))
    }

    /// The person says yes. The first answer wins: the card is gone afterwards, whatever happens next.
    ///
    /// The caller has looked at the run's processes again and found no difference, has checked the factor, and passes
    /// the vault's epoch and the channels as they are now.
    ///
    /// # Errors
    /// See [`AnswerRefused`]. The card stays open but for [`AnswerRefused::Stale`].
    pub fn approve(&mut self, answer: Approve<'_>) -> Result<Granting, AnswerRefused> {
        let card = self.cards.get(&answer.card).ok_or(AnswerRefused::NoSuchCard)?;
        if answer.shown.is_some_and(|shown| shown != card.view.digest()) {
            return Err(AnswerRefused::OtherCard);
        }
        let run = self.runs.get(&card.view.run).filter(|run| run.ended().is_none());
        let stale = match run {
            None => Some(Reason::ProcessChanged),
            Some(_) if card.epoch != answer.epoch => Some(Reason::VaultStateChanged),
            Some(run) => alone(card, run.subject().attestation(), answer.live).err(),
        };
        let (Some(run), None) = (run, stale) else {
            let why = stale.unwrap_or(Reason::ProcessChanged);
            self.cards.remove(&answer.card);
            self.resolve(answer.card, Resolution::Closed(why));
            return Err(AnswerRefused::Stale(why));
        };
        if answer.ceremony < card.view.ceremony {
            return Err(AnswerRefused::Ceremony);
        }
        let opened = chosen(&card.view, answer.channels, answer.live)?;
        let attestation = run.subject().attestation();
        let alone = alone(card, attestation, answer.live).unwrap_or_default();
        let without: Vec<ChannelName> = opened
            .iter()
            .filter(|channel| channel.approval.gives_sessions(attestation) != Ok(true))
            .map(|channel| channel.name.clone())
            .collect();
        if !without.is_empty() {
            return Err(AnswerRefused::Channels(without));
        }
        let (nonce, subject, taken_back) = (run.nonce(), run.subject_digest(), run.taken_back);
        let Some(card) = self.cards.remove(&answer.card) else { return Err(AnswerRefused::NoSuchCard) };
        self.resolve(answer.card, Resolution::Recording);
        let shown = card.view.digest();
        let mut facts = |channel: &Channel, reach: Reach, fresh: [u8; 16]| {
            let minutes = channel.approval.max_minutes.map(|minutes| u64::from(minutes) * 60_000);
            ApprovalFacts {
                id: ApprovalId(fresh),
                reach,
                grant: self.next_grant(),
                run: card.view.run,
                nonce,
                subject,
                boot: self.boot,
                epoch: answer.epoch,
                channel: channel.name.clone(),
                channel_version: channel.version,
                conversation: card.view.conversation.clone(),
                shown,
                approved_at: answer.now,
                ceremony: answer.ceremony,
                covers_programs: answer.programs && reach == Reach::Run,
                max_uses: if reach == Reach::Run { channel.approval.max_uses } else { Some(1) },
                ends_at: minutes.map(|minutes| Moment(answer.now.0.saturating_add(minutes))),
            }
        };
        let mut approvals: Vec<ApprovalFacts> =
            opened.iter().map(|channel| facts(channel, Reach::Run, (answer.fresh)())).collect();
        let mut call = None;
        if let (Some(reference), Some(action)) = (card.asks_action, &card.view.action) {
            match alone {
                Some(channel) => {
                    let reach = Reach::Action { reference, digest: action.digest };
                    approvals.push(facts(&channel, reach, (answer.fresh)()));
                }
                None => {
                    call = Some(CallApproval {
                        id: ApprovalId((answer.fresh)()),
                        run: card.view.run,
                        nonce,
                        boot: self.boot,
                        epoch: answer.epoch,
                        reference,
                        digest: action.digest,
                        approved_at: answer.now,
                        ceremony: answer.ceremony,
                    });
                }
            }
        }
        Ok(Granting { card: answer.card, view: card.view, approvals, call, taken_back })
    }

    /// What was granted is live, or could not be made so: whoever waits goes on.
    pub fn settle(&mut self, number: CardNo, how: Resolution) {
        self.resolve(number, how);
    }

    /// The person says no. A denied request stays denied for that run; a denied session card keeps quiet for a minute.
    ///
    /// # Errors
    /// [`AnswerRefused::NoSuchCard`].
    pub fn deny(&mut self, number: CardNo, now: Moment) -> Result<CardView, AnswerRefused> {
        let card = self.cards.remove(&number).ok_or(AnswerRefused::NoSuchCard)?;
        self.resolve(number, Resolution::Denied);
        if card.asks_action.is_some() {
            self.denied_requests.extend(card.view.action.iter().map(|action| (card.view.run, action.digest)));
        }
        let until = Moment(now.0.saturating_add(limits::DENIED_QUIET_MS));
        for channel in &card.view.channels {
            self.quiet.insert((card.view.run, channel.name.clone()), until);
        }
        Ok(card.view)
    }

    /// True where the person's no to this very request of this run still stands.
    #[must_use]
    pub fn is_denied(&self, run: RunId, digest: Digest) -> bool {
        self.denied_requests.contains(&(run, digest))
    }

    pub(super) fn resolve(&mut self, number: CardNo, how: Resolution) {
        self.resolved.insert(number, how);
        while self.resolved.len() > RESOLUTIONS_KEPT {
            self.resolved.pop_first();
        }
    }
}

/// A yes.
pub struct Approve<'a> {
    /// Card.
    pub card: CardNo,
    /// Digest of the card that the person saw, where the console sent one.
    pub shown: Option<Digest>,
    /// Channels named by the person; `None` for those that are ticked.
    pub channels: Option<&'a [ChannelName]>,
    /// The sessions serve the programs that the agent starts as well (R7). Off unless the person says so.
    pub programs: bool,
    /// The channels as they stand in the vault now.
    pub live: &'a dyn Fn(&ChannelName) -> Option<Channel>,
    /// What the yes took.
    pub ceremony: Ceremony,
    /// The vault's epoch now.
    pub epoch: VaultEpoch,
    /// Now.
    pub now: Moment,
    /// Fresh random values.
    pub fresh: &'a mut dyn FnMut() -> [u8; 16],
}

fn chosen(
    view: &CardView,
    named: Option<&[ChannelName]>,
    live: &dyn Fn(&ChannelName) -> Option<Channel>,
) -> Result<Vec<Channel>, AnswerRefused> {
    let names: Vec<ChannelName> = match named {
        Some(named) => named.to_vec(),
        None => view.channels.iter().filter(|channel| channel.ticked).map(|channel| channel.name.clone()).collect(),
    };
    let foreign: Vec<ChannelName> =
        names.iter().filter(|name| !view.channels.iter().any(|on| on.name == **name)).cloned().collect();
    if !foreign.is_empty() {
        return Err(AnswerRefused::Channels(foreign));
    }
    // A card about one action alone opens no channel; any other yes must open one.
    if names.is_empty() && !view.channels.is_empty() {
        return Err(AnswerRefused::Channels(view.channels.iter().map(|on| on.name.clone()).collect()));
    }
    names.iter().map(|name| live(name).ok_or_else(|| AnswerRefused::Channels(vec![name.clone()]))).collect()
}

/// The channel of an action that the run can only ask for by itself (R5); `None` where a session approval serves it, and
/// a reason where nothing does.
fn alone(
    card: &Card,
    attestation: Attestation,
    live: &dyn Fn(&ChannelName) -> Option<Channel>,
) -> Result<Option<Channel>, Reason> {
    let Some(action) = card.view.action.as_ref().filter(|_| card.asks_action.is_some()) else { return Ok(None) };
    let channel = live(&action.channel).ok_or(Reason::ChannelChanged)?;
    let sessions = channel.approval.gives_sessions(attestation)?;
    Ok((!sessions).then_some(channel))
}
