//! The operator socket: who may do what, and doing it.
//!
//! Narrowing (deny, revoke, lock, stop) needs nothing and works from anywhere. Everything else is refused to
//! descendants of a run and to consoles that do not pass the look from outside; widening needs the PIN on top.

mod agents;
mod approve;
mod channels;
mod commands;
mod vault;

use crate::sockets::Taken;
use crate::state::{Gateway, Outbox};
use lychgate_core::event::{Event, Requester};
use lychgate_core::evidence::ProcessInode;
use lychgate_core::outcome::Reason;
use lychgate_peer::{ConsolePeer, Linux, ancestry, inode_of, inspect_console};
use lychgate_text::GatewayText as Text;
use lychgate_wire::WIRE;
use lychgate_wire::operator::{Command, Demands, Failure, FromOperator, Reply, ToOperator};
use lychgate_wire::sensitive::Sensitive;
use lychgate_wire::transport::{self, Frame, FrameSender, Reader};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use vault::{anchor, lock_now};

/// A console's connection.
struct Console {
    gateway: Arc<Gateway>,
    outbox: Outbox,
    /// The process that said hello.
    peer: ProcessInode,
    requester: Requester,
    /// The look from outside, or why it failed.
    looked: Result<ConsolePeer, String>,
    /// Its ancestors, never agents while it is connected.
    never: Option<u64>,
}

impl Drop for Console {
    fn drop(&mut self) {
        if let Some(number) = self.never {
            self.gateway.never.remove(number);
        }
    }
}

/// Why a command is not done.
pub(crate) struct Refused {
    kind: Failure,
    text: String,
}

impl Refused {
    pub(crate) fn new(kind: Failure, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Takes one connection.
pub(crate) fn connection(gateway: Arc<Gateway>, socket: OwnedFd) -> Taken {
    Taken::Served(Box::pin(serve(gateway, socket)))
}

async fn serve(gateway: Arc<Gateway>, socket: OwnedFd) {
    let Ok(connector) = lychgate_sys::peer_pidfd(socket.as_fd()) else { return };
    let Ok(who) = inode_of(connector.as_fd()) else { return };
    let Ok((mut reader, writer)) = transport::halves(socket) else { return };
    let outbox = Outbox::new(writer);
    // Whoever opens one connection after the other loses his own: the person's next command has a place at once.
    let mut place = gateway.doorstep.enter(who);
    let console = tokio::select! {
        console = hello(Arc::clone(&gateway), &mut reader, outbox.clone(), connector) => console,
        () = place.lost() => None,
    };
    if let Some(mut console) = console {
        if console.looked.is_ok() {
            place = gateway.consoles.enter(who);
        }
        tokio::select! {
            () = console.converse(&mut reader) => {}
            () = place.lost() => {}
        }
    }
    outbox.shutdown().await;
}

async fn hello(gateway: Arc<Gateway>, reader: &mut Reader, outbox: Outbox, connector: OwnedFd) -> Option<Console> {
    let frame = tokio::time::timeout(Duration::from_secs(30), reader.frame()).await.ok()?.ok()?;
    let FromOperator::Hello { wire, build: _ } = serde_json::from_slice(&frame.bytes).ok()? else { return None };
    if wire != WIRE {
        let text = say(&Text::OtherBuild);
        let _ = outbox.send(&ToOperator::Failed { id: 0, kind: Failure::Refused, text }).await;
        return None;
    }
    let FrameSender { inode, pid, uid, pidfd } = frame.sender;
    if uid != gateway.own_uid || inode_of(connector.as_fd()).ok() != Some(inode) {
        return None;
    }
    let own_file = gateway.own_file;
    let inspected = tokio::task::spawn_blocking(move || {
        let above = ancestry(&Linux, &pidfd, pid);
        (inspect_console(pidfd, pid, own_file), above)
    });
    let (looked, above) = inspected.await.ok()?;
    // A way up that can't be seen might lead to a run: no console.
    let looked = match above {
        Ok(_) => looked.map_err(|refused| refused.to_string()),
        Err(_) => Err(say(&Text::ConsoleChanged)),
    };
    let above = above.unwrap_or_default();
    if !reader.is_quiet() {
        return None;
    }
    let requester = match &looked {
        Ok(console) => console.requester(),
        Err(_) => {
            Requester { pid, program: above.first().map_or_else(|| "?".to_owned(), |first| first.program.clone()) }
        }
    };
    let never = looked.is_ok().then(|| {
        let ancestors = above.iter().filter(|above| above.inode != inode).map(|above| above.inode);
        gateway.never.add(ancestors.collect())
    });
    let console = Console { gateway, outbox, peer: inode, requester, looked, never };
    let pinned = ToOperator::Pinned { wire: WIRE, version: console.gateway.version.clone() };
    console.outbox.send(&pinned).await.ok()?;
    Some(console)
}

impl Console {
    async fn converse(&mut self, reader: &mut Reader) {
        let mut changed = self.gateway.changed.subscribe();
        let mut watching = false;
        loop {
            let frame = tokio::select! {
                () = self.gateway.stop.cancelled() => return,
                moved = changed.changed(), if watching => {
                    if moved.is_err() || self.show_cards().await.is_err() {
                        return;
                    }
                    continue;
                }
                frame = reader.frame() => match frame {
                    Ok(frame) => frame,
                    Err(_) => return,
                },
            };
            match self.frame(frame).await {
                Next::Go => {}
                Next::Watch => {
                    watching = true;
                    changed.mark_unchanged();
                    if self.show_cards().await.is_err() {
                        return;
                    }
                }
                Next::End => return,
            }
        }
    }

    async fn frame(&mut self, frame: Frame) -> Next {
        // A descriptor that went elsewhere is no console.
        if frame.sender.inode != self.peer {
            return Next::End;
        }
        let Ok(FromOperator::Do { id, factor, command }) = serde_json::from_slice(&frame.bytes) else {
            return Next::End;
        };
        drop(frame.bytes);
        let watch = matches!(command, Command::Watch);
        let word = command.word();
        let answer = match self.allowed(&frame.sender, &command, factor) {
            Ok(()) => self.perform(command).await,
            Err(refused) => {
                self.record_refusal(word, &refused.text);
                Err(refused)
            }
        };
        let good = answer.is_ok();
        let message = match answer {
            Ok(reply) => ToOperator::Done { id, reply },
            Err(Refused { kind, text }) => ToOperator::Failed { id, kind, text },
        };
        match self.outbox.send(&message).await {
            Ok(()) if watch && good => Next::Watch,
            Ok(()) => Next::Go,
            Err(_) => Next::End,
        }
    }

    /// Whether this process may give this command now.
    fn allowed(&self, sender: &FrameSender, command: &Command, factor: Option<Sensitive>) -> Result<(), Refused> {
        let demands = command.demands();
        if demands == Demands::Nothing {
            return Ok(());
        }
        let refuse = |text: String| Err(Refused::new(Failure::Refused, text));
        let console = match &self.looked {
            Ok(console) => console,
            Err(why) => return refuse(why.clone()),
        };
        if !console.still_same(sender.inode) {
            return refuse(say(&Text::ConsoleChanged));
        }
        let Ok(above) = ancestry(&Linux, &sender.pidfd, sender.pid) else { return refuse(say(&Text::ConsoleChanged)) };
        let within = {
            let authority = self.gateway.lock();
            let of_runs = |inode: &ProcessInode| {
                authority.broker.live_runs().any(|run| run.subject().chain().iter().any(|link| link.inode == *inode))
            };
            above.iter().any(|above| of_runs(&above.inode))
        };
        if within {
            return refuse(say(&Text::WithinARun));
        }
        match demands {
            Demands::Nothing | Demands::Outside => Ok(()),
            Demands::OutsideAndFactor => self.factor(factor),
        }
    }

    fn factor(&self, factor: Option<Sensitive>) -> Result<(), Refused> {
        let Some(pin) = factor else { return Err(Refused::new(Failure::WrongFactor, say(&Text::NoFactor))) };
        let mut authority = self.gateway.lock();
        authority.vault.check_pin(pin.expose().as_bytes())
    }

    fn record_refusal(&self, command: &str, why: &str) {
        self.gateway.lock().note(Event::OperatorRefused {
            by: self.requester.clone(),
            command: command.to_owned(),
            why: why.to_owned(),
        });
    }

    /// Something was done and `row` says so: tells whoever waits for news, and answers once the row is durable.
    async fn recorded(&self, row: lychgate_journal::Pending) -> Result<Reply, Refused> {
        self.gateway.lock().bump();
        if all_durable(vec![row]).await {
            Ok(Reply::Ok { notice: None })
        } else {
            Err(Refused::new(Failure::Fault, say(&Text::DoneNotRecorded)))
        }
    }

    async fn show_cards(&self) -> std::io::Result<()> {
        let (cards, locked) = {
            let authority = self.gateway.lock();
            let locked = authority.vault.now() == lychgate_core::decide::VaultNow::Locked;
            (authority.broker.open_cards().cloned().collect(), locked)
        };
        self.outbox.send(&ToOperator::Cards { cards, locked }).await
    }

    async fn perform(&self, command: Command) -> Result<Reply, Refused> {
        match command {
            Command::Status => Ok(commands::status(&self.gateway)),
            Command::Unlock { slot, key } => vault::unlock(self, slot, key).await,
            Command::Lock => vault::lock(self, "command").await,
            Command::Approvals => Ok(commands::approvals(&self.gateway)),
            Command::Approve { card, channels, shown, programs } => {
                approve::approve(self, card, channels, shown, programs).await
            }
            Command::Deny { card } => commands::deny(self, card).await,
            Command::Runs => Ok(commands::runs(&self.gateway)),
            Command::Revoke { run } => commands::revoke(self, run).await,
            Command::ChannelAdd { channel, secret } => channels::add(self, *channel, secret).await,
            Command::ChannelList => channels::list(&self.gateway),
            Command::ChannelRemove { name } => channels::remove(self, &name).await,
            Command::AgentPin { pin } => agents::pin(self, *pin).await,
            Command::AgentList => agents::list(&self.gateway),
            Command::AgentUnpin { name } => agents::unpin(self, &name).await,
            Command::Watch | Command::MayI { .. } | Command::CheckFactor => Ok(Reply::Ok { notice: None }),
            Command::Stop => {
                self.gateway.stop.cancel();
                Ok(Reply::Ok { notice: None })
            }
        }
    }
}

enum Next {
    Go,
    Watch,
    End,
}

/// Waits for rows and says whether all are durable.
pub(crate) async fn all_durable(rows: Vec<lychgate_journal::Pending>) -> bool {
    let mut good = true;
    for row in rows {
        good &= row.await.is_ok();
    }
    good
}

/// A text for a console. The console's own language comes with the console in another way; the gateway speaks English.
pub(crate) fn say(text: &Text<'_>) -> String {
    lychgate_text::english().gateway(text)
}

/// What a card or command hears of a reason, in words.
fn because(gateway: &Gateway, reason: Reason) -> String {
    lychgate_text::changed(gateway.text, &[reason]).unwrap_or_default()
}
