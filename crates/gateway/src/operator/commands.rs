//! Commands that read, and those that only narrow.

use super::say;
use super::{Console, Refused, all_durable};
use crate::clock;
use crate::state::Gateway;
use crate::views;
use lychgate_core::decide::VaultNow;
use lychgate_core::event::Event;
use lychgate_core::ids::{CardNo, RunId};
use lychgate_text::GatewayText as Text;
use lychgate_wire::operator::{Failure, Reply, Status};

pub(super) fn status(gateway: &Gateway) -> Reply {
    let authority = gateway.lock();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let vault = match authority.vault.now() {
        VaultNow::Locked => "locked",
        VaultNow::Quarantined => "quarantined",
        VaultNow::Unlocked(_) => "unlocked",
    };
    Reply::Status(Status {
        version: gateway.version.clone(),
        vault: vault.to_owned(),
        epoch: authority.vault.epoch().number,
        boot: gateway.boot_no,
        runs: count(authority.broker.live_runs().count()),
        cards: count(authority.broker.open_cards().count()),
        channels: (vault == "unlocked").then(|| count(authority.vault.channels().len())),
        journal_rows: gateway.journal.receipt(None).size,
    })
}

pub(super) fn approvals(gateway: &Gateway) -> Reply {
    Reply::Cards { cards: gateway.lock().broker.open_cards().cloned().collect() }
}

pub(super) fn runs(gateway: &Gateway) -> Reply {
    let authority = gateway.lock();
    Reply::Runs { runs: authority.broker.live_runs().map(|run| views::run(&authority, run)).collect() }
}

pub(super) async fn deny(console: &Console, card: CardNo) -> Result<Reply, Refused> {
    let row = {
        let mut authority = console.gateway.lock();
        let view = authority
            .broker
            .deny(card, clock::now())
            .map_err(|_| Refused::new(Failure::NotFound, say(&Text::NoCard)))?;
        let row = authority.note_durably(Event::CardDenied { card, run: view.run });
        authority.sweep();
        authority.bump();
        row
    };
    told(all_durable(vec![row]).await)
}

pub(super) async fn revoke(console: &Console, run: Option<RunId>) -> Result<Reply, Refused> {
    let (count, rows) = {
        let mut authority = console.gateway.lock();
        if let Some(id) = run
            && authority.broker.run(id).is_none_or(|run| run.ended().is_some())
        {
            return Err(Refused::new(Failure::NotFound, say(&Text::NoRun)));
        }
        let command = run.map_or_else(|| "revoke --all".to_owned(), |run| format!("revoke {run}"));
        let ends = authority.broker.revoke(run);
        let count = ends.approvals.len();
        // In memory it has happened already: a journal that fails stops no revoke.
        let rows = authority.apply_durably(ends);
        authority.note(Event::OperatorActed { by: console.requester.clone(), command });
        (count, rows)
    };
    let reply = Reply::Revoked { approvals: u32::try_from(count).unwrap_or(u32::MAX) };
    if all_durable(rows).await { Ok(reply) } else { Err(Refused::new(Failure::Fault, say(&Text::DoneNotRecorded))) }
}

fn told(recorded: bool) -> Result<Reply, Refused> {
    if recorded {
        Ok(Reply::Ok { notice: None })
    } else {
        Err(Refused::new(Failure::Fault, say(&Text::DoneNotRecorded)))
    }
}
