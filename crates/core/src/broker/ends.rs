//! Everything that takes authority away. It happens in memory at once; what it returns is for the journal.

use super::cards::Card;
use super::{Broker, Resolution, Run};
use crate::approval::Approval;
use crate::channel::ChannelName;
use crate::ids::{ApprovalId, CardNo, GrantNo, Moment, Ref, RunId};
use crate::limits;
use crate::outcome::{EndReason, Reason};

/// An approval that has just ended: it needs its REVOKE row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedApproval {
    /// Run.
    pub run: RunId,
    /// Channel.
    pub channel: ChannelName,
    /// Approval.
    pub approval: ApprovalId,
    /// The one action that it was for, where it was for one.
    pub action: Option<Ref>,
    /// Its number in the journal.
    pub grant: GrantNo,
    /// Epoch that it was given in.
    pub epoch: u64,
    /// Why it ended.
    pub reason: EndReason,
}

/// What ended. Every entry needs its row.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "every end needs its row in the journal"]
pub struct Ends {
    /// Approvals.
    pub approvals: Vec<EndedApproval>,
    /// Cards that closed, each with what the waiting agent hears.
    pub cards: Vec<(CardNo, RunId, Reason)>,
}

impl Ends {
    /// Nothing ended.
    pub fn none() -> Self {
        Self { approvals: Vec::new(), cards: Vec::new() }
    }

    /// True where nothing ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.approvals.is_empty() && self.cards.is_empty()
    }

    /// Adds what `other` ended.
    pub fn and(mut self, other: Self) -> Self {
        self.approvals.extend(other.approvals);
        self.approvals.sort_by_key(|end| end.grant);
        self.cards.extend(other.cards);
        self
    }
}

impl Broker {
    /// A run is over: process gone or not the same, connection closed. Its approvals and cards end with it.
    pub fn end_run(&mut self, id: RunId, reason: EndReason) -> Ends {
        match self.runs.get_mut(&id) {
            Some(run) if run.ended().is_none() => run.end(reason),
            _ => return Ends::none(),
        }
        let ends = self.end_approvals(reason, |run, _| run == id);
        ends.and(self.close_cards(reason.reason(), |run, _| run == id))
    }

    /// The vault was locked: every approval ends and every card closes (R9, R11).
    pub fn lock(&mut self) -> Ends {
        let ends = self.end_approvals(EndReason::VaultLocked, |_, _| true);
        ends.and(self.close_cards(Reason::VaultStateChanged, |_, _| true))
    }

    /// The person takes approvals back, of one run or of all (R32). The runs stay; their next use asks anew.
    ///
    /// A helper's authority is that of the run it works under: to take the one back is to take the other back.
    pub fn revoke(&mut self, id: Option<RunId>) -> Ends {
        let runs = id.map(|id| self.with_givers(id));
        let meant = |run: RunId| runs.as_ref().is_none_or(|runs| runs.contains(&run));
        self.take_back(meant);
        let ends = self.end_approvals(EndReason::ManualRevoke, |run, _| meant(run));
        ends.and(self.close_cards(Reason::ApprovalRevoked, |run, _| meant(run)))
    }

    /// A channel's binding or settings changed, or it was removed.
    pub fn channel_changed(&mut self, name: &ChannelName) -> Ends {
        self.take_back(|_| true);
        let ends = self.end_approvals(EndReason::ChannelChanged, |_, channel| channel == name);
        ends.and(self.close_cards(Reason::ChannelChanged, |_, channels| channels.contains(name)))
    }

    /// One session approval ends, for a limit of its own.
    pub fn expire_session(&mut self, id: RunId, name: &ChannelName) -> Ends {
        self.end_sessions(EndReason::ApprovalExpired, |run, channel| run == id && channel == name)
    }

    /// The action of an approval that stands alone is over.
    pub fn expire_alone(&mut self, reference: Ref) -> Ends {
        let mut approval = self.alone.remove(&reference);
        end(approval.as_mut().into_iter(), EndReason::ApprovalExpired, |_, _| true)
    }

    /// What time ends: approvals at their limit, and cards that nobody waited for.
    pub fn tick(&mut self, now: Moment) -> Ends {
        let due: Vec<(RunId, ChannelName)> = self
            .sessions
            .iter()
            .filter(|(_, approval)| approval.ended().is_none())
            .filter(|(_, approval)| approval.facts().ends_at.is_some_and(|end| now >= end))
            .map(|(key, _)| key.clone())
            .collect();
        let mut ends = Ends::none();
        for (run, channel) in due {
            ends = ends.and(self.expire_session(run, &channel));
        }
        let alone: Vec<CardNo> = self
            .cards
            .iter()
            .filter(|(_, card)| card.attended == 0 && now.since(card.last_attended) >= limits::CARD_UNATTENDED_MS)
            .map(|(number, _)| *number)
            .collect();
        for number in alone {
            ends.cards.extend(self.close_card(number, Reason::CardExpired));
        }
        self.calls.retain(|_, call| now.since(call.approved_at) <= limits::APPROVED_WAIT_MS);
        self.quiet.retain(|_, until| *until > now);
        ends
    }

    /// A yes that is being recorded at this moment comes too late for these runs.
    pub(super) fn take_back(&mut self, which: impl Fn(RunId) -> bool) {
        for (_, run) in self.runs.iter_mut().filter(|(id, _)| which(**id)) {
            run.taken_back = run.taken_back.saturating_add(1);
        }
    }

    pub(super) fn end_approvals(&mut self, reason: EndReason, which: impl Fn(RunId, &ChannelName) -> bool) -> Ends {
        let ends = end(self.alone.values_mut(), reason, &which);
        self.end_sessions(reason, which).and(ends)
    }

    fn end_sessions(&mut self, reason: EndReason, which: impl Fn(RunId, &ChannelName) -> bool) -> Ends {
        let ends = end(self.sessions.values_mut(), reason, which);
        // A yes to one action falls with the session that it came on top of.
        let runs: Vec<RunId> = ends.approvals.iter().map(|end| end.run).collect();
        let agents: Vec<_> = runs.iter().filter_map(|run| self.runs.get(run)?.agent()).collect();
        let helper = |id: RunId| {
            let above = self.runs.get(&id).and_then(Run::above);
            above.is_some_and(|above| agents.contains(&above))
        };
        self.calls.retain(|_, call| !runs.contains(&call.run) && !helper(call.run));
        self.prune_delegations();
        for (served, end) in self.runs.values_mut().flat_map(|run| run.served_on.values_mut()) {
            if ends.approvals.iter().any(|ended| ended.approval == *served) {
                end.get_or_insert(reason);
            }
        }
        // What a helper asks on top of such a session falls with it as well.
        let rests_on_it = |card: &Card| {
            let covered = card.view.works_under.as_ref().filter(|under| under.covered);
            covered.is_some_and(|under| runs.contains(&under.run))
        };
        let fallen = self.cards.iter().filter(|(_, card)| rests_on_it(card)).map(|(number, _)| *number);
        let fallen: Vec<CardNo> = fallen.collect();
        let cards = fallen.into_iter().filter_map(|number| self.close_card(number, reason.reason())).collect();
        Ends { cards, ..ends }
    }

    pub(super) fn close_cards(&mut self, why: Reason, which: impl Fn(RunId, &[ChannelName]) -> bool) -> Ends {
        let numbers: Vec<CardNo> = self
            .cards
            .iter()
            .filter(|(_, card)| which(card.view.run, &card.touches()))
            .map(|(number, _)| *number)
            .collect();
        let cards = numbers.into_iter().filter_map(|number| self.close_card(number, why)).collect();
        Ends { approvals: Vec::new(), cards }
    }

    fn close_card(&mut self, number: CardNo, why: Reason) -> Option<(CardNo, RunId, Reason)> {
        let card = self.cards.remove(&number)?;
        self.resolve(number, Resolution::Closed(why));
        Some((number, card.view.run, why))
    }
}

fn end<'a>(
    approvals: impl Iterator<Item = &'a mut Approval>,
    reason: EndReason,
    which: impl Fn(RunId, &ChannelName) -> bool,
) -> Ends {
    let mut ended = Vec::new();
    for approval in approvals {
        let facts = approval.facts();
        if approval.ended().is_some() || !which(facts.run, &facts.channel) {
            continue;
        }
        ended.push(EndedApproval {
            run: facts.run,
            channel: facts.channel.clone(),
            approval: facts.id,
            action: facts.reach.action(),
            grant: facts.grant,
            epoch: facts.epoch.number,
            reason,
        });
        approval.end(reason);
    }
    ended.sort_by_key(|end| end.grant);
    Ends { approvals: ended, cards: Vec::new() }
}
