//! Helpers under the lock: the ways up to the agents that started them, looked at, broken, delegated to (R7).

use super::Authority;
use crate::action::Action;
use crate::state::RunHandle;
use lychgate_core::approval::Approval;
use lychgate_core::broker::Run;
use lychgate_core::card::WorksUnder;
use lychgate_core::channel::ChannelName;
use lychgate_core::decide::{Cover, Descent, Giver, other_conversation};
use lychgate_core::event::Event;
use lychgate_core::evidence::{Difference, LiveChain, ProcessInode, Seen, Why, differences};
use lychgate_core::ids::RunId;
use lychgate_core::outcome::{EndReason, Reason};
use lychgate_peer::Pinned;
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A process that a run named, and what watches it: for as long as a delegation of that run names it.
#[derive(Debug)]
pub(crate) struct Named {
    from: RunId,
    way: Arc<Pinned>,
    /// Ends the watch, which holds descriptors of its own.
    _over: DropGuard,
}

impl Named {
    fn to(&self) -> Option<ProcessInode> {
        self.way.subject().peer().map(|peer| peer.inode)
    }
}

/// A run that may serve another one, with everything that was looked at for one decision.
pub(super) struct Covering {
    giver: RunId,
    chain: LiveChain,
    /// The way from a named process, and how it looks now.
    named: Option<(Arc<Pinned>, LiveChain)>,
}

impl Authority {
    /// Looks at a run's way up to the agent that started it. A difference breaks it for good.
    pub(super) fn look_up(&mut self, id: RunId, handle: &RunHandle, sender: Seen<ProcessInode>) -> Option<LiveChain> {
        let way = handle.descent.as_ref()?;
        let now = way.look(sender);
        let found = differences(way.subject(), &now);
        if !found.is_empty() {
            self.break_descent(id, end_of(&found), found);
        }
        Some(now)
    }

    /// The way is broken: what rests on another run's approval is cut.
    pub(crate) fn break_descent(&mut self, id: RunId, reason: EndReason, found: Vec<Difference>) {
        if !self.broker.break_descent(id, reason) {
            return;
        }
        self.note(Event::DescentBroken { run: id, reason, differences: found });
        for action in self.actions.unfinished(id) {
            let given = action.rests_on.and_then(|approval| self.broker.approval(approval));
            if given.is_some_and(|approval| approval.facts().run != id) {
                action.cancel.cancel();
            }
        }
        self.bump();
    }

    /// Looks at the run that may serve this one on a channel, now. A named process that is not what was named any more
    /// ends its delegation for good, and what is next is looked at.
    pub(super) fn covering(&mut self, id: RunId, channel: &ChannelName) -> Option<Covering> {
        let (giver, named) = loop {
            let run = self.broker.run(id)?;
            let facts = self.broker.cover(id, channel)?.facts();
            let (giver, approval) = (facts.run, facts.id);
            let to = self.broker.delegation(run, approval).and_then(lychgate_core::broker::Delegation::to);
            let Some(to) = to else { break (giver, None) };
            let way = self.named.iter().find(|named| named.from == giver && named.to() == Some(to));
            let Some(way) = way.map(|named| Arc::clone(&named.way)) else { break (giver, None) };
            let now = way.look(Seen::Seen(to));
            if differences(way.subject(), &now).is_empty() {
                break (giver, Some((way, now)));
            }
            // It was found by this very way: each turn takes one away.
            self.end_delegations(&way);
        };
        // No frame of the giver's is at hand: what is asked of it is that its processes are the ones that were approved.
        let peer = self.runs.get(&giver).map_or(Seen::Unseen(Why::Gone), |handle| Seen::Seen(handle.peer));
        let chain = self.look(giver, peer).chain;
        Some(Covering { giver, chain, named })
    }

    /// Looks at what may serve a run on some channels, so that what is told of it is true of now.
    pub(crate) fn look_at_covers(&mut self, id: RunId, channels: &[ChannelName]) {
        for channel in channels {
            let _ = self.covering(id, channel);
        }
    }

    /// The same as evidence for `decide`; `way` is how the run's own way up looks now.
    pub(super) fn cover<'a>(
        &'a self,
        run: &'a Run,
        way: Option<&'a LiveChain>,
        covering: Option<&'a Covering>,
        channel: &ChannelName,
    ) -> Option<Cover<'a>> {
        let (covering, approval) = (covering?, self.broker.cover(run.id(), channel)?);
        // Its end may have brought another approval up: that one was not looked at.
        let giver = self.broker.run(covering.giver).filter(|giver| giver.id() == approval.facts().run)?;
        let descent = Descent { pinned: run.descent()?, now: way?, broken: run.descent_broken() };
        let delegated = self.broker.delegation(run, approval.facts().id);
        let named = delegated.zip(covering.named.as_ref()).map(|(delegation, (_, now))| Descent {
            pinned: &delegation.descent,
            now,
            broken: None,
        });
        Some(Cover {
            approval,
            giver: Giver {
                run: giver.id(),
                subject: giver.subject(),
                nonce: giver.nonce(),
                chain: &covering.chain,
                ended: giver.ended(),
                conversation: giver.conversation(),
            },
            descent,
            named,
        })
    }

    /// The approval of another run that would serve this one on a channel, as far as can be told without a look.
    pub(crate) fn served_by(&self, id: RunId, channel: &ChannelName) -> Option<&Approval> {
        let whole = self.broker.run(id).is_some_and(|run| run.descent_broken().is_none());
        let now = self.channel(channel)?;
        let usable = |approval: &&Approval| crate::agent::authorize::usable(approval, &now);
        let speaks = self.broker.run(id).and_then(Run::conversation);
        let same = |approval: &&Approval| !other_conversation(approval.facts().conversation.as_deref(), speaks);
        self.broker.cover(id, channel).filter(|_| whole).filter(usable).filter(same)
    }

    /// Channels that a run may use without asking, by its own approvals or by those that serve it.
    pub(crate) fn open_channels(&self, id: RunId) -> Vec<ChannelName> {
        let mut channels: Vec<ChannelName> = self.broker.live_channels(id).cloned().collect();
        let all = self.vault.channels().into_iter().map(|channel| channel.name);
        channels.extend(all.filter(|name| self.served_by(id, name).is_some()));
        channels.sort();
        channels.dedup();
        channels
    }

    /// Why another run's approval, which served this one on a channel, does not any more.
    pub(crate) fn cover_lapse(&self, id: RunId, channel: &ChannelName) -> Option<Reason> {
        let run = self.broker.run(id)?;
        let ended = run.served_on(channel)?;
        if self.served_by(id, channel).is_some() {
            return None;
        }
        // Neither that approval nor the way is known to have ended: it was a delegation, which ends with a process.
        Some(ended.or(run.descent_broken()).map_or(Reason::ProcessChanged, EndReason::reason))
    }

    /// Why the authority that an action of this lifetime began under is gone, while there is no fresh one.
    pub(crate) fn lapsed(&self, action: &Action) -> Option<EndReason> {
        let session = self.broker.session(action.run, &action.channel);
        if session.is_some_and(|session| session.ended().is_none())
            || self.served_by(action.run, &action.channel).is_some()
        {
            return None;
        }
        let given = action.rests_on.and_then(|approval| self.broker.approval(approval));
        let given = given.filter(|approval| approval.facts().run != action.run);
        let broken = given.and_then(|_| self.broker.run(action.run)?.descent_broken());
        session.and_then(Approval::ended).or(given.and_then(Approval::ended)).or(broken)
    }

    /// Whom a run works under, for cards and lists; `covered` where the question rests on that run's approval.
    pub(crate) fn works_under(&self, id: RunId, channel: Option<&ChannelName>) -> Option<WorksUnder> {
        let run = self.broker.run(id).filter(|run| run.descent_broken().is_none())?;
        let above = run.above()?;
        let own =
            |channel: &ChannelName| self.broker.session(id, channel).is_some_and(|session| session.ended().is_none());
        let covering = channel.filter(|channel| !own(channel)).and_then(|channel| self.served_by(id, channel));
        let first =
            || self.broker.live_runs().find(|run| run.subject().agent().map(|agent| agent.inode) == Some(above));
        let giver = covering.map(|approval| approval.facts().run).or_else(|| first().map(Run::id))?;
        let agent = run.descent().and_then(|way| way.agent())?;
        let program = agent.executable.value().map(|executable| executable.path.clone())?;
        Some(WorksUnder { run: giver, program, covered: covering.is_some() })
    }

    /// A run names a process that its agent started. The way up to the agent was pinned for this very call. The token is
    /// cancelled when this delegation is over or another one took its place.
    pub(crate) fn delegate(
        &mut self,
        from: RunId,
        channels: &[ChannelName],
        way: Arc<Pinned>,
    ) -> Result<CancellationToken, Reason> {
        let descent = way.subject().clone();
        let approvals = self.broker.delegate(from, channels, descent.clone())?;
        let over = CancellationToken::new();
        let named = Named { from, way, _over: over.clone().drop_guard() };
        let to = named.to();
        self.named.retain(|other| other.from != from || other.to() != to);
        self.named.push(named);
        self.note(Event::Delegated { run: from, descent, channels: channels.to_vec(), approvals });
        self.bump();
        Ok(over)
    }

    /// A process that was named ended or changed, or one above it.
    pub(crate) fn end_delegations(&mut self, way: &Arc<Pinned>) {
        let Some(named) = way.subject().peer() else { return };
        // A later delegation to the same process is watched for itself.
        if !self.named.iter().any(|other| Arc::ptr_eq(&other.way, way)) {
            return;
        }
        self.named.retain(|other| other.to() != Some(named.inode));
        if self.broker.end_delegations(named.inode) {
            self.note(Event::DelegationEnded { pid: named.pid, process: named.inode });
            let helpers =
                self.broker.live_runs().filter(|run| run.subject().agent().map(|a| a.inode) == Some(named.inode));
            let helpers: Vec<RunId> = helpers.map(Run::id).collect();
            for helper in helpers {
                for action in self.actions.unfinished(helper) {
                    let given = action.rests_on.and_then(|approval| self.broker.approval(approval));
                    if given.is_some_and(|approval| approval.facts().run != helper && !approval.facts().covers_programs)
                    {
                        action.cancel.cancel();
                    }
                }
            }
            self.bump();
        }
    }

    /// Lets go of what no delegation names any more.
    pub(super) fn drop_unnamed(&mut self) {
        let broker = &self.broker;
        self.named.retain(|named| named.to().is_some_and(|to| broker.is_named(named.from, to)));
    }
}

/// The end of a process is not a mismatch of identity; the journal keeps the two apart (R25).
pub(super) fn end_of(found: &[Difference]) -> EndReason {
    if found.contains(&Difference::Ended) && !found.contains(&Difference::Sender) {
        EndReason::ProcessExited
    } else {
        EndReason::ProcessIdentityMismatch
    }
}
