//! Opening the connection: is the directory ours, who serves the socket, and the handshake.

use lychgate_core::evidence::ProcessInode;
use lychgate_core::ids::{BootNo, RunId};
use lychgate_wire::WIRE;
use lychgate_wire::agent::{Answer, FromAgent, Previous, ToAgent};
use lychgate_wire::transport::{self, Frame, FrameError, Reader, Writer};
use rustix::fs::{FileType, Mode, OFlags};
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lychgate_text::{ShimTexts, fill};

/// For the whole handshake. The gateway may have to hash a large program file first.
const HANDSHAKE: Duration = Duration::from_secs(15);

/// Where to connect, and as what.
pub(super) struct Target {
    pub(super) socket: PathBuf,
    pub(super) build: String,
    pub(super) own_uid: u32,
    pub(super) speaks_for_agent: bool,
    pub(super) texts: &'static ShimTexts,
}

/// A registered connection.
pub(super) struct Opened {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    pub(super) gateway: Gateway,
    pub(super) run: RunId,
    pub(super) boot: BootNo,
}

/// Why there is no connection. Nothing of any call was sent.
#[derive(Debug)]
pub(crate) enum NotOpen {
    /// Nobody serves the socket.
    NoGateway,
    /// The directory of the socket is not ours alone.
    UnsafeDirectory {
        /// Directory.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// The socket is served by another user.
    WrongServer {
        /// Whose uid this is.
        uid: u32,
    },
    /// Something answers, and not as a gateway does.
    Broken(Odd),
    /// The messages of the other side are of another version.
    OtherBuild {
        /// Our version.
        shim: String,
        /// Its version.
        gateway: String,
    },
    /// The gateway refused the registration.
    Refused(Box<Answer>),
}

/// How something at the socket does not answer as a gateway does.
#[derive(Debug)]
pub(crate) enum Odd {
    /// Another process wrote into the connection; its id.
    Stranger(u32),
    /// Nothing came in time.
    Silent,
    /// This path can't be a socket's.
    NoSocket(PathBuf),
    /// A message that can't be read; what the parser said.
    UnknownMessage(serde_json::Error),
    /// A message, by its name, that may not come now.
    OutOfTurn(&'static str),
    /// The socket failed.
    Failed(io::Error),
    /// What came is no frame.
    Frame(FrameError),
}

impl Odd {
    pub(crate) fn words(&self, texts: &ShimTexts) -> String {
        let odd = &texts.oddities;
        match self {
            Self::Stranger(pid) => fill(odd.stranger, &[("pid", &pid.to_string())]),
            Self::Silent => fill(odd.silent, &[("seconds", &HANDSHAKE.as_secs().to_string())]),
            Self::NoSocket(path) => fill(odd.no_socket, &[("path", &path.display().to_string())]),
            Self::UnknownMessage(error) => fill(odd.unknown_message, &[("why", &error.to_string())]),
            Self::OutOfTurn(name) => fill(odd.out_of_turn, &[("name", name)]),
            Self::Failed(error) => error.to_string(),
            Self::Frame(error) => error.to_string(),
        }
    }
}

/// The process that answers: all frames of a connection must come from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gateway(ProcessInode);

impl Gateway {
    /// What a frame says, if this process wrote it.
    pub(super) fn message(self, frame: &Frame) -> Result<ToAgent, Odd> {
        if frame.sender.inode != self.0 {
            return Err(Odd::Stranger(frame.sender.pid));
        }
        parse(frame)
    }
}

impl Target {
    /// Connects and registers.
    pub(super) async fn open(
        &self,
        conversation: Option<String>,
        previous: Option<Previous>,
    ) -> Result<Opened, NotOpen> {
        let handshake = self.handshake(conversation, previous);
        match tokio::time::timeout(HANDSHAKE, handshake).await {
            Ok(opened) => opened,
            Err(_) => Err(NotOpen::Broken(Odd::Silent)),
        }
    }

    async fn handshake(&self, conversation: Option<String>, previous: Option<Previous>) -> Result<Opened, NotOpen> {
        let socket = self.connect()?;
        let server = rustix::net::sockopt::socket_peercred(&socket).map_err(io::Error::from)?.uid.as_raw();
        if server != self.own_uid {
            return Err(NotOpen::WrongServer { uid: server });
        }
        let (mut reader, writer) = transport::halves(socket)?;

        let hello = FromAgent::Hello { wire: WIRE, shim: self.speaks_for_agent, build: self.build.clone() };
        let first = greet(&mut reader, &writer, &hello).await?;
        if first.sender.uid != self.own_uid {
            return Err(NotOpen::WrongServer { uid: first.sender.uid });
        }
        let gateway = Gateway(first.sender.inode);
        match parse(&first).map_err(NotOpen::Broken)? {
            ToAgent::Pinned { wire: WIRE, .. } => {}
            ToAgent::Pinned { version, .. } => {
                return Err(NotOpen::OtherBuild { shim: self.build.clone(), gateway: version });
            }
            ToAgent::Refused { answer } => return Err(NotOpen::Refused(Box::new(answer))),
            other => return Err(out_of_turn(&other)),
        }

        writer.send(&FromAgent::Register { conversation, previous }).await?;
        let second = reader.frame().await?;
        match gateway.message(&second).map_err(NotOpen::Broken)? {
            ToAgent::Registered { run, boot } => Ok(Opened { reader, writer, gateway, run, boot }),
            ToAgent::Refused { answer } => Err(NotOpen::Refused(Box::new(answer))),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Connects within the very directory that was looked at: it may be exchanged between the look and the connect.
    fn connect(&self) -> Result<std::os::fd::OwnedFd, NotOpen> {
        let (Some(parent), Some(name)) = (self.socket.parent(), self.socket.file_name()) else {
            return Err(NotOpen::Broken(Odd::NoSocket(self.socket.clone())));
        };
        // No parent in a relative path means the current directory.
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let unsafe_directory = |what: String| NotOpen::UnsafeDirectory { path: parent.display().to_string(), what };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = match rustix::fs::open(parent, flags, Mode::empty()) {
            Ok(directory) => directory,
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                return Err(unsafe_directory(self.texts.not_a_directory.to_owned()));
            }
            Err(error) => return Err(io::Error::from(error).into()),
        };
        let facts = rustix::fs::fstat(&directory).map_err(io::Error::from)?;
        let mode = facts.st_mode & 0o7777;
        if FileType::from_raw_mode(facts.st_mode) != FileType::Directory {
            return Err(unsafe_directory(self.texts.not_a_directory.to_owned()));
        }
        if facts.st_uid != self.own_uid {
            let uid = facts.st_uid.to_string();
            return Err(unsafe_directory(fill(self.texts.foreign_directory, &[("uid", &uid)])));
        }
        if mode != 0o700 {
            let mode = format!("{mode:04o}");
            return Err(unsafe_directory(fill(self.texts.open_directory, &[("mode", &mode)])));
        }
        // It also keeps long paths within the 108 bytes of a socket address.
        let within = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name);
        Ok(transport::connect(&within)?)
    }
}

/// Says hello and hears the answer. A gateway that has no room says so and closes, perhaps before it was greeted: what
/// it said is then the reason, and not that it closed.
async fn greet(reader: &mut Reader, writer: &Writer, hello: &FromAgent) -> Result<Frame, NotOpen> {
    let sent = writer.send(hello).await;
    match (reader.frame().await, sent) {
        (Ok(first), _) => Ok(first),
        (Err(_), Err(error)) => Err(error.into()),
        (Err(error), Ok(())) => Err(error.into()),
    }
}

fn parse(frame: &Frame) -> Result<ToAgent, Odd> {
    serde_json::from_slice(&frame.bytes).map_err(Odd::UnknownMessage)
}

fn out_of_turn(message: &ToAgent) -> NotOpen {
    let name = match message {
        ToAgent::Pinned { .. } => "pinned",
        ToAgent::Registered { .. } => "registered",
        ToAgent::Refused { .. } => "refused",
        ToAgent::Progress { .. } => "progress",
        ToAgent::Notice { .. } => "notice",
        ToAgent::Answer { .. } => "answer",
        ToAgent::RunEnded { .. } => "run_ended",
    };
    NotOpen::Broken(Odd::OutOfTurn(name))
}

impl From<io::Error> for NotOpen {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A gateway that ends in the middle of the handshake is none, too.
            io::ErrorKind::NotFound
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => Self::NoGateway,
            _ => Self::Broken(Odd::Failed(error)),
        }
    }
}

impl From<FrameError> for NotOpen {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Closed | FrameError::CutOff => Self::NoGateway,
            FrameError::Io(error) => error.into(),
            other => Self::Broken(Odd::Frame(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[tokio::test]
    async fn what_a_gateway_said_before_it_closed_is_heard_also_where_it_was_never_greeted() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("agent.sock");
        let listener = transport::listen(&socket).unwrap();
        let (mut reader, writer) = transport::halves(transport::connect(&socket).unwrap()).unwrap();
        let (there, says) = transport::halves(transport::accept(&listener).await.unwrap()).unwrap();
        says.send(&ToAgent::Pinned { wire: WIRE, version: "test".into() }).await.unwrap();
        drop((there, says));
        let hello = FromAgent::Hello { wire: WIRE, shim: true, build: "test".into() };
        assert!(writer.send(&hello).await.is_err(), "it closed before it was greeted");

        let first = greet(&mut reader, &writer, &hello).await.unwrap();
        assert!(matches!(parse(&first), Ok(ToAgent::Pinned { .. })));
        let nothing = greet(&mut reader, &writer, &hello).await;
        assert!(matches!(nothing, Err(NotOpen::NoGateway)));
    }
}
