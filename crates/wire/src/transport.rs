//! Frames over a Unix stream socket, each with its one sender.
//!
//! The kernel keeps the writes of different processes apart while `SO_PASSPIDFD` is on: one `recvmsg` never returns
//! bytes of two writers. A frame whose pieces have different writers is refused, so nobody can finish another's frame.

use crate::crowd::{Crowd, Place};
use lychgate_core::evidence::ProcessInode;
use lychgate_core::limits;
use lychgate_sys::{Received, pass_sender, recv, refuse_descriptors};
use lychgate_text::words;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::{UnixListener, UnixStream};
use zeroize::Zeroizing;

/// Who wrote a frame: all of it.
#[derive(Debug)]
pub struct FrameSender {
    /// Identity of the writer's process lifetime.
    pub inode: ProcessInode,
    /// Its process id.
    pub pid: u32,
    /// Its user id.
    pub uid: u32,
    /// A handle to it.
    pub pidfd: OwnedFd,
}

/// A frame as it arrived.
pub struct Frame {
    /// Payload. Wiped when dropped: it may hold a factor.
    pub bytes: Zeroizing<Vec<u8>>,
    /// Writer.
    pub sender: FrameSender,
    /// The place of a large one. It counts until this is dropped: keep it as long as the bytes.
    pub place: Option<Place>,
}

/// Why no frame came. Each one ends the connection.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed between frames.
    #[error("{}", words().wire().closed)]
    Closed,
    /// The other side closed within a frame.
    #[error("{}", words().wire().cut_off)]
    CutOff,
    /// The kernel did not name the writer.
    #[error("{}", words().wire().no_sender)]
    NoSender,
    /// Pieces of one frame came from different processes.
    #[error("{}", words().wire().mixed_senders)]
    MixedSenders,
    /// A descriptor came with a frame. Nobody sends one here in good faith.
    #[error("{}", words().wire().descriptor)]
    Descriptor,
    /// Over the limit of the moment, [`limits::FRAME_BYTES`] at the most.
    #[error("{}", (words().wire().too_large)(*.0))]
    TooLarge(usize),
    /// A begun frame was not completed in time.
    #[error("{}", (words().wire().too_slow)(limits::FRAME_COMPLETE_MS / 1000))]
    TooSlow,
    /// Too many large frames at once, and this one's process had begun the most of them.
    #[error("{}", words().wire().crowded)]
    Crowded,
    /// The socket failed.
    #[error("{}", (words().wire().socket_failed)(.0))]
    Io(#[from] io::Error),
}

/// The reading half.
pub struct Reader {
    socket: Arc<UnixStream>,
    /// Length and bytes of the frame that has begun; never more than that frame.
    begun: Zeroizing<Vec<u8>>,
    sender: Option<FrameSender>,
    piece: Box<[u8]>,
    limit: usize,
    large_frames: Option<Arc<Crowd>>,
}

/// The writing half. Frames of one writer never interleave; keep it behind one owner.
#[derive(Clone)]
pub struct Writer {
    socket: Arc<UnixStream>,
}

/// Both halves of a connected, non-blocking stream socket.
///
/// # Errors
/// Where the runtime can't watch the descriptor.
pub fn halves(socket: OwnedFd) -> io::Result<(Reader, Writer)> {
    let socket = Arc::new(UnixStream::from_std(socket.into())?);
    let reader = Reader {
        socket: Arc::clone(&socket),
        begun: Zeroizing::new(Vec::new()),
        sender: None,
        piece: vec![0; PIECE_BYTES].into_boxed_slice(),
        limit: limits::FRAME_BYTES,
        large_frames: None,
    };
    Ok((reader, Writer { socket }))
}

/// Read size: small enough to cost an idle connection little.
const PIECE_BYTES: usize = 16 * 1024;
/// Bytes of the length before a frame.
const LENGTH_BYTES: usize = 4;

impl Reader {
    /// The next frame.
    ///
    /// Cancellation loses nothing: what was read stays in the reader.
    ///
    /// # Errors
    /// See [`FrameError`]; every one of them ends the connection.
    pub async fn frame(&mut self) -> Result<Frame, FrameError> {
        if self.begun.is_empty() {
            self.fill(LENGTH_BYTES).await?;
        }
        let rest = async {
            let mut place = None;
            loop {
                let missing = self.missing()?;
                if missing == 0 {
                    break;
                }
                if place.is_none() {
                    place = self.place();
                }
                match &mut place {
                    None => self.fill(missing).await?,
                    Some(place) => tokio::select! {
                        () = place.lost() => return Err(FrameError::Crowded),
                        filled = self.fill(missing) => filled?,
                    },
                }
            }
            self.take(place)
        };
        tokio::time::timeout(Duration::from_millis(limits::FRAME_COMPLETE_MS), rest)
            .await
            .map_err(|_| FrameError::TooSlow)?
    }

    /// Sets the largest frame that is taken from now on, in bytes; never more than [`limits::FRAME_BYTES`].
    pub fn limit(&mut self, bytes: usize) {
        self.limit = bytes.min(limits::FRAME_BYTES);
    }

    /// From now on large frames are counted together with those of all connections that share `crowd`: each takes its
    /// memory before anybody knows what it says.
    pub fn share(&mut self, crowd: Arc<Crowd>) {
        self.large_frames = Some(crowd);
    }

    /// A place for the frame that has begun, where it is a large one.
    fn place(&self) -> Option<Place> {
        let (crowd, sender) = (self.large_frames.as_ref()?, self.sender.as_ref()?);
        self.length().filter(|length| *length > limits::LARGE_FRAME_BYTES)?;
        Some(crowd.enter(sender.inode))
    }

    /// True where nothing has arrived that was not read: whatever comes from now on was written from now on.
    ///
    /// A process can write and then execute another program, so what arrived before a pin says nothing about the program
    /// that was pinned. Ask after the pin and before it is acknowledged.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        let mut byte = [0u8; 1];
        let flags = rustix::net::RecvFlags::PEEK | rustix::net::RecvFlags::DONTWAIT;
        let waiting = rustix::net::recv(&self.socket, &mut byte, flags);
        self.begun.is_empty() && matches!(waiting, Err(rustix::io::Errno::AGAIN))
    }

    /// How many bytes the current frame, or its length, still lacks.
    fn missing(&self) -> Result<usize, FrameError> {
        let Some(length) = self.length() else { return Ok(LENGTH_BYTES.saturating_sub(self.begun.len())) };
        if length > self.limit {
            return Err(FrameError::TooLarge(length));
        }
        Ok((LENGTH_BYTES + length).saturating_sub(self.begun.len()))
    }

    fn length(&self) -> Option<usize> {
        let length = self.begun.first_chunk::<LENGTH_BYTES>()?;
        usize::try_from(u32::from_le_bytes(*length)).ok()
    }

    fn take(&mut self, place: Option<Place>) -> Result<Frame, FrameError> {
        let sender = self.sender.take().ok_or(FrameError::NoSender)?;
        let mut bytes = std::mem::replace(&mut self.begun, Zeroizing::new(Vec::new()));
        let length = LENGTH_BYTES.min(bytes.len());
        bytes.drain(..length);
        Ok(Frame { bytes, sender, place })
    }

    /// Reads one piece of at most `most` bytes: nothing beyond the frame, whatever else has arrived.
    async fn fill(&mut self, most: usize) -> Result<(), FrameError> {
        let most = most.min(self.piece.len());
        let received = loop {
            self.socket.readable().await?;
            let (socket, piece) = (&self.socket, self.piece.get_mut(..most).ok_or(FrameError::CutOff)?);
            match socket.try_io(Interest::READABLE, || recv(socket.as_fd(), piece)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                received => break received?,
            }
        };
        let Received { len, sender, descriptors_sent } = received;
        if descriptors_sent {
            return Err(FrameError::Descriptor);
        }
        if len == 0 {
            return Err(if self.begun.is_empty() { FrameError::Closed } else { FrameError::CutOff });
        }
        let sender = sender.map_err(|_| FrameError::NoSender)?;
        let inode = ProcessInode(rustix::fs::fstat(&sender.pidfd).map_err(io::Error::from)?.st_ino);
        match &self.sender {
            Some(first) if first.inode != inode => return Err(FrameError::MixedSenders),
            Some(_) => {}
            None => {
                self.sender = Some(FrameSender { inode, pid: sender.pid, uid: sender.uid, pidfd: sender.pidfd });
            }
        }
        let piece = self.piece.get_mut(..len).ok_or(FrameError::CutOff)?;
        self.begun.extend_from_slice(piece);
        zeroize::Zeroize::zeroize(piece);
        Ok(())
    }
}

impl Writer {
    /// Sends `message` as one frame.
    ///
    /// Must not be cancelled half way: a cut frame ends the connection. Run it to its end or drop the connection.
    ///
    /// # Errors
    /// The socket's, and `InvalidInput` for a message over the limit.
    pub async fn send<T: serde::Serialize + Sync>(&self, message: &T) -> io::Result<()> {
        let frame = encode(message)?;
        let mut rest: &[u8] = &frame;
        while !rest.is_empty() {
            self.socket.writable().await?;
            match self.socket.try_write(rest) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => rest = rest.get(sent?..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Ends the connection for both halves.
    pub fn shutdown(&self) {
        // Already gone is as good.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
    }
}

fn encode<T: serde::Serialize>(message: &T) -> io::Result<Zeroizing<Vec<u8>>> {
    let body = Zeroizing::new(serde_json::to_vec(message).map_err(io::Error::other)?);
    let length = u32::try_from(body.len())
        .ok()
        .filter(|_| body.len() <= limits::FRAME_BYTES)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, FrameError::TooLarge(body.len()).to_string()))?;
    let mut frame = Zeroizing::new(Vec::with_capacity(LENGTH_BYTES + body.len()));
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// Connects to a gateway's socket. The kernel names the sender of each answer from the first on.
///
/// # Errors
/// The socket's: `NotFound` and `ConnectionRefused` mean that no gateway runs.
pub fn connect(path: &Path) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    pass_sender(socket.as_fd())?;
    // Where the kernel can't refuse them (before 6.16), the reader does.
    let _ = refuse_descriptors(socket.as_fd());
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket)
}

/// Listens at `path`, which must not exist, with the options that every accepted socket inherits.
///
/// The options must stand before the first connection: a frame sent between `accept` and a later `setsockopt` would
/// arrive without a sender.
///
/// # Errors
/// The socket's.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    pass_sender(socket.as_fd())?;
    // Where the kernel can't refuse them (before 6.16), the reader does.
    let _ = refuse_descriptors(socket.as_fd());
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    rustix::fs::chmod(path, rustix::fs::Mode::from_raw_mode(0o600))?;
    rustix::net::listen(&socket, 128)?;
    UnixListener::from_std(socket.into())
}

/// The next connection.
///
/// # Errors
/// The socket's. At the descriptor limit: wait and try again.
pub async fn accept(listener: &UnixListener) -> io::Result<OwnedFd> {
    let (stream, _) = listener.accept().await?;
    Ok(stream.into_std()?.into())
}
