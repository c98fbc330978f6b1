//! A console's side of the operator socket: one connection, commands one after the other.
//!
//! No factor is asked before the gateway was checked, and before the gateway has looked at this process. Then the
//! process makes itself unreadable to others of its user.

use crate::paths::Paths;
use crate::trouble::Trouble;
use lychgate_core::card::{CardView, visible};
use lychgate_core::evidence::ProcessInode;
use lychgate_harden::Role;
use lychgate_text::{Attempt, Catalogue, Cause, HardenStep, Problem};
use lychgate_wire::operator::{Command, Failure, FromOperator, Reply, Status, ToOperator};
use lychgate_wire::sensitive::Sensitive;
use lychgate_wire::transport::{self, Frame, FrameError, Reader, Writer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt::Display;
use std::io::ErrorKind;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use zeroize::Zeroizing;

/// Version of this program, as it names itself to the gateway.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A stop records what was under way; then the process ends.
const STOP_TAKES: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// The cards as the gateway last told them, after `Watch`.
#[derive(Debug, Clone)]
pub(crate) struct Cards {
    /// Open cards.
    pub(crate) cards: Vec<CardView>,
    /// The vault is locked.
    pub(crate) locked: bool,
}

/// The gateway's refusal of one command.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// Kind.
    pub(crate) kind: Failure,
    /// Its words.
    pub(crate) text: String,
}

/// A pinned connection.
pub(crate) struct Operator {
    say: &'static dyn Catalogue,
    reader: Reader,
    writer: Writer,
    /// Who listened at the socket.
    process: OwnedFd,
    server: Option<ProcessInode>,
    last_id: u64,
    cards: Option<Cards>,
}

/// Runs one command's conversation with the gateway to its end.
pub(crate) fn block_on<T>(
    say: &dyn Catalogue,
    conversation: impl Future<Output = Result<T, Trouble>>,
) -> Result<T, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::system(say, Attempt::Starting, &error))?;
    runtime.block_on(conversation)
}

impl Operator {
    /// Connects, checks who serves, and waits until the gateway has looked at this process.
    pub(crate) async fn connect(say: &'static dyn Catalogue, paths: &Paths) -> Result<Self, Trouble> {
        check_directory(say, paths)?;
        let socket = transport::connect(&paths.operator_socket).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => no_gateway(say, paths),
            _ => left(say, &error),
        })?;
        let server = lychgate_sys::peer_credentials(socket.as_fd()).map_err(|error| left(say, &error))?;
        if server.uid != rustix::process::geteuid().as_raw() {
            let why = Cause::ServedByUser { uid: server.uid };
            return Err(Trouble::of(say, &Problem::NotOurGateway { why }));
        }
        let process = lychgate_sys::peer_pidfd(socket.as_fd()).map_err(|error| left(say, &error))?;
        let (reader, writer) = transport::halves(socket).map_err(|error| left(say, &error))?;
        let mut operator = Self { say, reader, writer, process, server: None, last_id: 0, cards: None };
        operator.greet().await?;
        harden(say, Role::Person)?;
        Ok(operator)
    }

    /// One command, with a factor where it takes one.
    pub(crate) async fn ask(
        &mut self,
        command: Command,
        factor: Option<Zeroizing<String>>,
    ) -> Result<Result<Reply, Refusal>, Trouble> {
        self.last_id += 1;
        let id = self.last_id;
        // Moved, not copied: `Sensitive` wipes it.
        let factor = factor.map(|mut text| Sensitive::new(std::mem::take(&mut *text)));
        self.send(&FromOperator::Do { id, factor, command }).await?;
        loop {
            match self.receive().await? {
                ToOperator::Done { id: of, reply } if of == id => return Ok(Ok(reply)),
                ToOperator::Failed { id: of, kind, text } if of == id || of == 0 => {
                    return Ok(Err(Refusal { kind, text }));
                }
                ToOperator::Cards { cards, locked } => self.cards = Some(Cards { cards, locked }),
                // An answer to an earlier command that was given up.
                ToOperator::Done { .. } | ToOperator::Failed { .. } | ToOperator::Pinned { .. } => {}
            }
        }
    }

    /// As [`Operator::ask`], where a refusal ends the program.
    pub(crate) async fn must(&mut self, command: Command, factor: Option<Zeroizing<String>>) -> Result<Reply, Trouble> {
        let word = command.word();
        let say = self.say;
        self.ask(command, factor).await?.map_err(|Refusal { kind, text }| Trouble::refused(say, word, kind, &text))
    }

    /// State of the gateway.
    pub(crate) async fn status(&mut self) -> Result<Status, Trouble> {
        match self.must(Command::Status, None).await? {
            Reply::Status(status) => Ok(status),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Refuses before a factor is asked that could not be used: from within a run, or a console that the gateway does
    /// not accept. `command` is what the person gave.
    pub(crate) async fn must_be_outside(&mut self, command: &str) -> Result<(), Trouble> {
        let say = self.say;
        let asked = self.ask(Command::MayI { word: command.to_owned() }, None).await?;
        asked.map(drop).map_err(|Refusal { kind, text }| Trouble::refused(say, command, kind, &text))
    }

    /// The same, and for a locked vault.
    pub(crate) async fn must_be_unlocked(&mut self, command: &str) -> Result<(), Trouble> {
        if self.status().await?.vault == "locked" {
            return Err(Trouble::not_done(self.say, command, Failure::Locked, Cause::VaultLocked));
        }
        self.must_be_outside(command).await
    }

    /// Stops the gateway and waits until its process has ended, so that another can start at once.
    ///
    /// Gives the gateway's refusal, where there was one. A gateway that takes too long is left to it.
    pub(crate) async fn stop(&mut self) -> Result<Result<(), Refusal>, Trouble> {
        if let Err(refusal) = self.ask(Command::Stop, None).await? {
            return Ok(Err(refusal));
        }
        let mut ends = [PollFd::new(&self.process, PollFlags::IN)];
        // Nothing else is to be done meanwhile. The gateway has been told; how the wait ends changes nothing.
        let _ = poll(&mut ends, Some(&STOP_TAKES));
        Ok(Ok(()))
    }

    /// The next change of the cards. Cancellation loses nothing.
    pub(crate) async fn next_cards(&mut self) -> Result<Cards, Trouble> {
        loop {
            if let Some(cards) = self.cards.take() {
                return Ok(cards);
            }
            let frame = match self.reader.frame().await {
                Ok(frame) => frame,
                // Nothing was asked that could have been left half done.
                Err(error) => {
                    return Err(Trouble::of(self.say, &Problem::GatewayEnded { why: &visible(&error.to_string()) }));
                }
            };
            if let ToOperator::Cards { cards, locked } = self.trusted(&frame)? {
                self.cards = Some(Cards { cards, locked });
            }
        }
    }

    /// A reply of a kind that the command does not give.
    pub(crate) fn unexpected(&self, reply: &Reply) -> Trouble {
        let kind = match reply {
            Reply::Ok { .. } => "ok",
            Reply::Status(_) => "status",
            Reply::Cards { .. } => "cards",
            Reply::Runs { .. } => "runs",
            Reply::Revoked { .. } => "revoked",
            Reply::Approved { .. } => "approved",
            Reply::Channels { .. } => "channels",
            Reply::Agents { .. } => "agents",
        };
        Trouble::of(self.say, &Problem::GatewayLeft { why: Cause::OtherAnswer { kind } })
    }

    async fn greet(&mut self) -> Result<(), Trouble> {
        self.send(&FromOperator::Hello { wire: lychgate_wire::WIRE, build: VERSION.to_owned() }).await?;
        loop {
            match self.receive().await? {
                ToOperator::Pinned { wire, .. } if wire == lychgate_wire::WIRE => return Ok(()),
                ToOperator::Pinned { version, .. } => {
                    let gateway = visible(&version);
                    return Err(Trouble::of(self.say, &Problem::OtherBuild { gateway: &gateway, ours: VERSION }));
                }
                ToOperator::Failed { kind, text, .. } => {
                    return Err(Trouble::refused(self.say, "connect", kind, &text));
                }
                ToOperator::Done { .. } | ToOperator::Cards { .. } => {}
            }
        }
    }

    async fn send(&self, message: &FromOperator) -> Result<(), Trouble> {
        self.writer.send(message).await.map_err(|error| left(self.say, &error))
    }

    /// The next frame.
    async fn receive(&mut self) -> Result<ToOperator, Trouble> {
        let frame = self.reader.frame().await.map_err(|error: FrameError| left(self.say, &error))?;
        self.trusted(&frame)
    }

    /// What a frame says, where it is from the same process as the first.
    fn trusted(&mut self, frame: &Frame) -> Result<ToOperator, Trouble> {
        let first = *self.server.get_or_insert(frame.sender.inode);
        if frame.sender.inode != first || frame.sender.uid != rustix::process::geteuid().as_raw() {
            return Err(Trouble::of(self.say, &Problem::NotOurGateway { why: Cause::SeveralProcesses }));
        }
        serde_json::from_slice(&frame.bytes)
            .map_err(|_| Trouble::of(self.say, &Problem::GatewayLeft { why: Cause::UnknownMessage }))
    }
}

/// The sockets' directory is ours alone: nobody else can have put a socket there.
fn check_directory(say: &dyn Catalogue, paths: &Paths) -> Result<(), Trouble> {
    if !exists(&paths.run) {
        return Err(no_gateway(say, paths));
    }
    lychgate_seal::durable::private_dir(&paths.run).map(drop).map_err(|refused| {
        Trouble::of(say, &Problem::NotOurGateway { why: Cause::Said(&visible(&refused.to_string())) })
    })
}

fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn no_gateway(say: &dyn Catalogue, paths: &Paths) -> Trouble {
    Trouble::of(say, &Problem::NoGateway { socket: &visible(&paths.operator_socket.display().to_string()) })
}

fn left(say: &dyn Catalogue, error: &dyn Display) -> Trouble {
    Trouble::of(say, &Problem::GatewayLeft { why: Cause::Said(&visible(&error.to_string())) })
}

/// Gives up what `role` has no use for. From here on nobody of the same user can look at it, the gateway included.
pub(crate) fn harden(say: &dyn Catalogue, role: Role) -> Result<(), Trouble> {
    lychgate_harden::harden(role).map_err(|refused| hardening(say, refused.step, &refused.error))
}

/// A step of it failed.
pub(crate) fn hardening(say: &dyn Catalogue, step: HardenStep, error: &std::io::Error) -> Trouble {
    Trouble::system(say, Attempt::Harden(step), error)
}
