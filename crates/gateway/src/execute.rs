//! One action, from the last decision to its end row.
//!
//! ```text
//! connection ready -> look, decide, queue DISPATCH (one critical section) -> DISPATCH durable -> notice to the shim
//!   -> look at the flags again, release the credential (one critical section) -> send -> end row durable -> answer
//! ```

use crate::action::Finished;
use crate::agent::call::CallContext;
use crate::agent::drive;
use crate::clock;
use crate::journal;
use crate::state::Gateway;
use lychgate_core::channel::{Channel, CredentialKind};
use lychgate_core::decide::{Decision, Permit, Question, VaultNow};
use lychgate_core::event::{Event, RowKind};
use lychgate_core::ids::{ActionNo, GrantNo, Ref};
use lychgate_core::outcome::{NotStarted, Reason, Reasons};
use lychgate_core::proof::{Armed, Released};
use lychgate_core::receipt::ReceiptRow;
use lychgate_core::record::{EndKind, Record, StoredResult};
use lychgate_core::request::CanonicalRequest;
use lychgate_http::{Outcome, Ready, Response, Target};
use lychgate_journal::{JournalError, Pending};
use lychgate_text::GatewayText as Text;
use lychgate_wire::agent::ToAgent;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Starts the action in a task of its own: once begun it is seen to its end, whatever becomes of the caller.
pub(crate) fn start(context: &CallContext, reference: Ref, request: CanonicalRequest) {
    let context = CallContext {
        gateway: Arc::clone(&context.gateway),
        run: context.run,
        handle: Arc::clone(&context.handle),
        sender: context.sender,
        id: context.id,
        withdrawn: context.withdrawn.clone(),
        large: Mutex::new(None),
    };
    tokio::spawn(async move { Execution::run(context, reference, request).await });
}

struct Execution {
    context: CallContext,
    reference: Ref,
    number: ActionNo,
    cancel: CancellationToken,
}

/// The last decision, and what it left to do.
enum Decided {
    Permitted(Box<Permit>, Pending),
    /// Back to the person, or over.
    Settled(Option<Pending>),
}

impl Execution {
    async fn run(context: CallContext, reference: Ref, request: CanonicalRequest) {
        let known = {
            let authority = context.gateway.lock();
            let missing = match authority.vault.now() {
                // Removed since it was decided.
                VaultNow::Unlocked(_) => Reason::ChannelChanged,
                VaultNow::Locked | VaultNow::Quarantined => Reason::VaultLocked,
            };
            let channel = authority.channel(request.channel()).ok_or(missing);
            authority.actions.get(reference).map(|action| (action.number, action.cancel.clone(), channel))
        };
        let Some((number, cancel, channel)) = known else { return };
        let this = Self { context, reference, number, cancel };
        match channel {
            Ok(channel) => this.connect(&channel, request).await,
            Err(reason) => this.refuse(Reasons::one(reason)).await,
        }
    }

    async fn connect(self, channel: &Channel, request: CanonicalRequest) {
        let target = Target {
            origin: request.origin().clone(),
            allow_private: channel.binding.allow_private,
            ca_pem: channel.binding.ca_pem.clone(),
        };
        let connected = tokio::select! {
            () = self.cancel.cancelled() => None,
            connected = self.context.gateway.connector.connect(&target) => Some(connected),
        };
        match connected {
            Some(Ok(ready)) => self.decide(ready, channel.kind, request).await,
            Some(Err(failed)) => self.not_started(failed.evidence, failed.detail, GrantNo::NONE).await,
            None => self.refuse_by_state().await,
        }
    }

    async fn decide(self, ready: Ready, kind: CredentialKind, request: CanonicalRequest) {
        match self.last_decision(request) {
            Decided::Settled(row) => {
                if let Some(row) = row {
                    let _ = row.await;
                }
            }
            Decided::Permitted(permit, dispatch) => self.send(ready, kind, *permit, dispatch.await).await,
        }
    }

    /// The last decision and DISPATCH: one critical section, so that no DISPATCH of a grant follows its REVOKE.
    fn last_decision(&self, request: CanonicalRequest) -> Decided {
        let mut authority = self.context.gateway.lock();
        if self.context.withdrawn.is_cancelled() {
            // An approved action runs only while its caller is there.
            return Decided::Settled(authority.refuse_action(self.reference, Reasons::one(Reason::CallerLeft)));
        }
        let looked = self.context.look(&mut authority);
        let question = Question { reference: self.reference, request };
        match authority.decide(self.context.run, question, &looked) {
            Decision::Allow(permit) => {
                authority.broker.count_use(&permit);
                if let Some(action) = authority.actions.get_mut(self.reference) {
                    // From here on the end of that approval cuts it, whoever's it is.
                    action.rests_on = Some(permit.approval());
                }
                let event = Event::HttpActionStarted {
                    run: self.context.run,
                    action: self.number,
                    channel: permit.request().channel().clone(),
                    digest: permit.digest(),
                    approval: permit.approval(),
                };
                let draft =
                    journal::action(RowKind::Dispatch, permit.epoch().number, permit.grant(), self.reference, event);
                let dispatch = authority.journal.append(draft);
                Decided::Permitted(Box::new(permit), dispatch)
            }
            Decision::Deny(denied) => {
                if denied.reasons.all() == [Reason::PerCall] {
                    let request = denied.question.request;
                    match drive::ask_for_this_use(&self.context, &mut authority, self.reference, request) {
                        Ok(()) => return Decided::Settled(None),
                        Err(reason) => {
                            return Decided::Settled(authority.refuse_action(self.reference, Reasons::one(reason)));
                        }
                    }
                }
                Decided::Settled(authority.refuse_action(self.reference, denied.reasons))
            }
        }
    }

    async fn send(
        self,
        ready: Ready,
        kind: CredentialKind,
        permit: Permit,
        dispatch: Result<lychgate_core::proof::JournalAck, JournalError>,
    ) {
        let grant = permit.grant();
        let gateway = Arc::clone(&self.context.gateway);
        let Ok(ack) = dispatch else {
            // The row may be on disk all the same; here and now it is certain that nothing was sent.
            self.not_started(NotStarted::ZeroBytes, gateway.say(&Text::DispatchNotRecorded), grant).await;
            return;
        };
        let row = ReceiptRow { seq: ack.seq(), leaf: ack.leaf() };
        let receipt = self.context.gateway.journal.receipt(Some(row));
        let client_ref = {
            let authority = self.context.gateway.lock();
            authority.actions.get(self.reference).map(|action| action.client_ref)
        };
        let notice =
            ToAgent::Notice { action_id: self.reference, client_ref: client_ref.unwrap_or(self.reference), receipt };
        // Before the first byte: a shim that holds no notice can later vouch that there was none.
        if self.context.handle.writer.send(&notice).await.is_err() {
            self.not_started(NotStarted::ZeroBytes, gateway.say(&Text::CallerClosed), grant).await;
            return;
        }
        let Ok(armed) = Armed::join(permit, ack) else {
            self.not_started(NotStarted::ZeroBytes, gateway.say(&Text::DispatchNotRecorded), grant).await;
            return;
        };
        match self.release(&armed) {
            Ok(released) => {
                let outcome = ready.send(armed, released, kind, &self.cancel).await;
                self.end(outcome, grant).await;
            }
            Err(why) => self.not_started(NotStarted::ZeroBytes, why, grant).await,
        }
    }

    /// Flags and the permit's age once more, and the credential: one critical section.
    fn release(&self, armed: &Armed) -> Result<Released, String> {
        let authority = self.context.gateway.lock();
        let run_lives = authority.broker.run(self.context.run).is_some_and(|run| run.ended().is_none());
        let granted = authority.broker.rests_on(armed.permit()).is_some();
        let same_epoch = authority.vault.now() == VaultNow::Unlocked(armed.permit().epoch());
        if self.cancel.is_cancelled() || !run_lives || !granted || !same_epoch {
            return Err(self.context.gateway.say(&Text::EndedBeforeFirstByte));
        }
        if !armed.permit().is_fresh(clock::now()) {
            return Err(self.context.gateway.say(&Text::PermitTooOld));
        }
        authority.vault.release(armed)
    }

    async fn end(self, outcome: Outcome, grant: GrantNo) {
        match outcome {
            // A use that was spent and not sent is an ABORT like any other.
            Outcome::NotSent { evidence, detail, spent: _ } => self.not_started(evidence, detail, grant).await,
            Outcome::NotObserved { what, spent } => self.not_observed(what, spent.grant()).await,
            Outcome::Observed { response, spent } => self.observed(response, spent.grant()).await,
        }
    }

    async fn observed(self, response: Response, grant: GrantNo) {
        let event = Event::HttpActionResult {
            run: self.context.run,
            action: self.number,
            status: response.status,
            body_bytes: response.total_bytes,
            body_digest: response.body_sha256,
        };
        let result = Arc::new(stored(&self.context.gateway, response));
        let (row, kept) = {
            let mut authority = self.context.gateway.lock();
            let epoch = authority.vault.epoch().number;
            let row = authority.journal.append(journal::action(RowKind::Final, epoch, grant, self.reference, event));
            let record = Record::Final { reference: self.reference, result: (*result).clone(), at: clock::wall() };
            authority.keep_result(self.reference, Arc::clone(&result));
            (row, authority.keeper.keep_durably(record))
        };
        let finished = match row.await {
            Ok(_) => Finished::Observed(result),
            // Seen, and not recorded: it is not told as done.
            Err(_) => Finished::NotObserved(self.context.gateway.say(&Text::ResultNotRecorded)),
        };
        let _ = kept.done().await;
        self.context.gateway.lock().finish(self.reference, finished);
    }

    async fn not_observed(self, what: String, grant: GrantNo) {
        let event = Event::HttpResultNotObserved {
            run: Some(self.context.run),
            action: Some(self.number),
            detail: what.clone(),
        };
        let row = {
            let mut authority = self.context.gateway.lock();
            let epoch = authority.vault.epoch().number;
            authority.record(Record::Ended {
                reference: self.reference,
                kind: EndKind::NotObserved,
                at: clock::wall(),
            });
            authority.journal.append(journal::action(RowKind::Unobserved, epoch, grant, self.reference, event))
        };
        let _ = row.await;
        self.context.gateway.lock().finish(self.reference, Finished::NotObserved(what));
    }

    /// It did not start. RETRY_SAFE is said only once the ABORT is durable.
    async fn not_started(self, evidence: NotStarted, detail: String, grant: GrantNo) {
        let event =
            Event::ActionNotStarted { run: self.context.run, action: self.number, evidence, detail: detail.clone() };
        let row = {
            let authority = self.context.gateway.lock();
            let epoch = authority.vault.epoch().number;
            authority.journal.append(journal::action(RowKind::Abort, epoch, grant, self.reference, event))
        };
        let durable = row.await.is_ok();
        let mut authority = self.context.gateway.lock();
        if durable {
            authority.record(Record::Ended { reference: self.reference, kind: EndKind::NotStarted, at: clock::wall() });
            authority.finish(self.reference, Finished::NotStarted(evidence, detail));
        } else {
            authority.finish(self.reference, Finished::Refused(Reasons::one(Reason::JournalUnavailable)));
        }
    }

    async fn refuse(self, reasons: Reasons) {
        let row = self.context.gateway.lock().refuse_action(self.reference, reasons);
        if let Some(row) = row {
            let _ = row.await;
        }
    }

    /// It was cut while the connection was being made: by a lock, a revoke or an exit.
    async fn refuse_by_state(self) {
        let reasons = {
            let mut authority = self.context.gateway.lock();
            let looked = self.context.look(&mut authority);
            let mut reasons = authority.standing(self.context.run, &looked);
            let action = authority.actions.get(self.reference);
            let session = action.and_then(|action| authority.broker.session(self.context.run, &action.channel));
            let alone = authority.broker.alone(self.reference);
            let given = action.and_then(|action| authority.broker.approval(action.rests_on?));
            let broken = authority.broker.run(self.context.run).and_then(|run| run.descent_broken());
            let foreign = given.is_some_and(|approval| approval.facts().run != self.context.run);
            let ends =
                session.into_iter().chain(alone).chain(given).filter_map(lychgate_core::approval::Approval::ended);
            let ends = ends.chain(broken.filter(|_| foreign));
            reasons.extend(ends.map(lychgate_core::outcome::EndReason::reason));
            Reasons::new(reasons).unwrap_or(Reasons::one(Reason::CallerLeft))
        };
        self.refuse(reasons).await;
    }
}

fn stored(gateway: &Gateway, response: Response) -> StoredResult {
    let notice = crate::answer::notice(gateway, &response);
    StoredResult {
        status: response.status,
        headers: response.headers,
        truncated: response.truncated || response.cut_by_peer || response.cut_by_us,
        total_bytes: response.total_bytes,
        body: response.body,
        notice,
    }
}
