//! Unlock and lock.

use super::say;
use super::{Console, Refused, all_durable};
use crate::authority::{Authority, Past, PastEnd};
use crate::clock;
use crate::state::Gateway;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_core::event::Event;
use lychgate_core::ids::RunId;
use lychgate_core::programs::Programs;
use lychgate_core::recall::Recall;
use lychgate_core::record::{EndKind, Record};
use lychgate_seal::{SlotId, SlotKey};
use lychgate_text::GatewayText as Text;
use lychgate_vault::{Files, Store};
use lychgate_wire::operator::{Failure, Reply};
use lychgate_wire::sensitive::Sensitive;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

pub(super) async fn unlock(console: &Console, slot: u32, key: Sensitive) -> Result<Reply, Refused> {
    let bytes = STANDARD.decode(key.expose()).map(Zeroizing::new).ok();
    let key =
        bytes.and_then(SlotKey::from_bytes).ok_or_else(|| Refused::new(Failure::WrongFactor, say(&Text::BadKey)))?;
    let gateway = Arc::clone(&console.gateway);
    // Files are read and written: not on a thread that serves others.
    let opened = tokio::task::spawn_blocking(move || open(&gateway, slot, &key)).await;
    match opened {
        Ok(Ok((notice, row))) => {
            let recorded = row.await.is_ok();
            anchor(&console.gateway).await;
            if recorded {
                Ok(Reply::Ok { notice })
            } else {
                Err(Refused::new(Failure::Fault, say(&Text::DoneNotRecorded)))
            }
        }
        Ok(Err(refused)) => {
            console.gateway.lock().note(Event::VaultUnlockFailed { by: console.requester.clone() });
            Err(refused)
        }
        Err(_) => Err(Refused::new(Failure::Fault, say(&Text::VaultOutOfReach))),
    }
}

type Opened = (Option<String>, lychgate_journal::Pending);

fn open(gateway: &Gateway, slot: u32, key: &SlotKey) -> Result<Opened, Refused> {
    let mut authority = gateway.lock();
    let unlock = authority.vault.unlock(SlotId(slot), key)?;
    if authority.vault.public() != Some(gateway.journal.log().vault_key) {
        // A journal of another vault: the directory was exchanged, and nothing is recorded where nobody can trust it.
        drop(authority.vault.lock());
        return Err(Refused::new(Failure::Fault, say(&Text::ForeignJournal)));
    }
    let mut notices: Vec<String> = unlock.warning.iter().map(ToString::to_string).collect();
    let path = Files::in_dir(&gateway.state_dir).actions();
    match Store::open(&path, &unlock.store_key, clock::wall()) {
        Ok(opened) => {
            notices.extend(opened.notice.as_ref().map(ToString::to_string));
            authority.follow(&opened);
            recall(&mut authority, &opened.records);
            authority.programs = Programs::replay(&opened.records);
            authority.keeper.open(opened.store);
        }
        // Words and results are missing then, and nothing else.
        Err(error) => notices.push(say(&Text::NoStore { why: &error.to_string() })),
    }
    // The sentence is for the person; the journal gets what means the same in every language.
    let warning = unlock.warning.as_ref().map(lychgate_vault::EpochWarning::code);
    let row = authority.note_durably(Event::VaultUnlocked { epoch: unlock.epoch.number, warning });
    authority.bump();
    let notice = (!notices.is_empty()).then(|| notices.join("; "));
    Ok((notice, row))
}

/// Takes in what the store remembers, keeps what came since, and finds the words for the runs that are here.
fn recall(authority: &mut Authority, records: &[Record]) {
    let mut past = Past::default();
    for record in records {
        match record {
            Record::Intent(intent) => {
                past.intents.insert(intent.reference, intent.clone());
            }
            Record::Final { reference, result, .. } => {
                past.ends.insert(*reference, PastEnd::Observed(Arc::new(result.clone())));
            }
            Record::Ended { reference, kind, .. } => {
                let end = match kind {
                    EndKind::NotStarted => PastEnd::NotStarted,
                    EndKind::NotObserved => PastEnd::NotObserved,
                };
                past.ends.insert(*reference, end);
            }
            Record::Inherited { from, to, channels, .. } => {
                past.inherited.entry(*to).or_default().push((*from, channels.clone()));
            }
            Record::Counter { .. }
            | Record::Program { .. }
            | Record::Run(_)
            | Record::Approved { .. }
            | Record::ApprovalEnded { .. }
            | Record::RunEnded { .. } => {}
        }
    }
    authority.past.merge(past);
    let mut recall = Recall::replay(records);
    recall.absorb(std::mem::replace(&mut authority.recall, Recall::empty()));
    authority.recall = recall;
    let runs: Vec<RunId> = authority.broker.live_runs().map(lychgate_core::broker::Run::id).collect();
    for run in runs {
        authority.remember(run);
    }
}

/// The vault's own signature over the journal so far: what lies below it can't be cut unnoticed.
pub(crate) async fn anchor(gateway: &Arc<Gateway>) {
    if gateway.lock().vault.public().is_none() {
        return;
    }
    let signer = Box::new(crate::journal::AnchorSigner::new(gateway));
    let _ = gateway.journal.anchor(signer, clock::wall()).await;
}

pub(super) async fn lock(console: &Console, cause: &str) -> Result<Reply, Refused> {
    let notice = lock_now(&console.gateway, cause).await;
    Ok(Reply::Ok { notice })
}

/// A disk that is stuck must not keep the keys in memory for longer.
const LAST_ANCHOR: Duration = Duration::from_millis(100);

/// Locks: approvals end, cards close, connections are cut, then the keys go. What could not be recorded comes back as a
/// notice.
pub(crate) async fn lock_now(gateway: &Arc<Gateway>, cause: &str) -> Option<String> {
    let closing = Arc::clone(gateway);
    let closed = tokio::task::spawn_blocking(move || {
        let mut authority = closing.lock();
        if !authority.vault.close() {
            return None;
        }
        let ends = authority.broker.lock();
        let rows = authority.apply_durably(ends);
        authority.sweep();
        authority.cut_all();
        authority.past = Past::default();
        authority.programs = Programs::unread();
        authority.bump();
        Some(rows)
    });
    let Ok(Some(rows)) = closed.await else { return None };
    let _ = tokio::time::timeout(LAST_ANCHOR, anchor(gateway)).await;
    let locking = Arc::clone(gateway);
    let cause = cause.to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        let mut authority = locking.lock();
        let failed = authority.vault.lock();
        authority.keeper.close();
        let epoch = authority.vault.epoch().number;
        let row = authority.note_durably(Event::VaultLocked { epoch, cause });
        authority.bump();
        (row, failed)
    });
    let Ok((row, failed)) = locked.await else { return Some(say(&Text::DoneNotRecorded)) };
    let recorded = all_durable(rows.into_iter().chain([row]).collect()).await;
    match (failed, recorded) {
        (Some(failed), _) => Some(failed),
        (None, false) => Some(say(&Text::DoneNotRecorded)),
        (None, true) => None,
    }
}
