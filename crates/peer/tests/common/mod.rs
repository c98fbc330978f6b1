//! A stage for real processes: a socket, and copies of one actor under the names of a play.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use lychgate_core::evidence::{Difference, FileId, ProcessInode, Seen, differences};
use lychgate_peer::{PinRefused, Pinned, Rules, inode_of, own_namespaces};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tempfile::TempDir;

/// A directory with a listening socket and copies of the actor. Every actor ends when its connection does.
pub struct Stage {
    dir: TempDir,
    listener: UnixListener,
}

/// An actor's connection, on our side.
pub struct Actor {
    pub socket: UnixStream,
    pub pid: u32,
}

impl Stage {
    /// Copies the actor once for each name; each copy is a program file of its own.
    pub fn new(names: &[&str]) -> Self {
        Self::with("actor", names)
    }

    /// The same with copies of another example program.
    pub fn with(program: &str, names: &[&str]) -> Self {
        let dir = tempfile::Builder::new().prefix("lychgate-peer-").tempdir().unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        for name in names {
            // By another process: a thread that forks while we hold the copy open for writing would make it busy.
            let copied = Command::new("cp").arg(example(program)).arg(dir.path().join(name)).status().unwrap();
            assert!(copied.success());
        }
        let listener = UnixListener::bind(dir.path().join("socket")).unwrap();
        lychgate_sys::pass_sender(listener.as_fd()).unwrap();
        Self { dir, listener }
    }

    pub fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn file(&self, name: &str) -> FileId {
        file_of(&self.dir.path().join(name))
    }

    /// The words that make `name` connect.
    pub fn serve(&self, name: &str) -> Vec<String> {
        vec![self.path(name), "serve".to_owned(), self.path("socket")]
    }

    /// Starts `words` as a child of the test itself, without what cargo sets for tests.
    pub fn spawn(&self, words: &[String]) -> Child {
        Command::new(&words[0]).args(&words[1..]).env_remove("LD_LIBRARY_PATH").spawn().unwrap()
    }

    /// The next actor that connects, after its hello.
    pub fn next(&self) -> Actor {
        wait(self.listener.as_fd(), "nobody connected");
        let (socket, _) = self.listener.accept().unwrap();
        let pid = lychgate_sys::peer_credentials(socket.as_fd()).unwrap().pid;
        let actor = Actor { socket, pid };
        assert_eq!(actor.hear().0, "hello\n");
        actor
    }

    /// Starts `name` as a child of the test, connected.
    pub fn enter(&self, name: &str) -> (Actor, Child) {
        let child = self.spawn(&self.serve(name));
        (self.next(), child)
    }

    /// An agent with a shim directly under it.
    pub fn agent_and_shim(&self) -> (Actor, Actor, Child) {
        let (agent, child) = self.enter("agent");
        agent.tell("start", &self.serve("shim"));
        let shim = self.next();
        (agent, shim, child)
    }

    /// The same with a shell between them, which waits, and prints nothing when the shim is killed.
    pub fn agent_shell_and_shim(&self) -> (Actor, Actor, Child) {
        let (agent, child) = self.enter("agent");
        let line = format!("exec 2>/dev/null; {}; true", self.serve("shim").join(" "));
        agent.tell("start", &words(&["sh", "-c", &line]));
        (agent, self.next(), child)
    }

    /// The gateway's rules, its own program being `shim`.
    pub fn rules<'a>(&self, never: &'a [ProcessInode]) -> Rules<'a> {
        Rules { never, ..self.rules_for("shim") }
    }

    /// The rules of a gateway whose own program is `name`.
    pub fn rules_for(&self, name: &str) -> Rules<'static> {
        Rules {
            gateway_file: self.file(name),
            own_namespaces: own_namespaces().unwrap(),
            own_uid: rustix::process::getuid().as_raw(),
            never: &[],
            claims_shim: true,
            allow_unverified: false,
        }
    }
}

impl Actor {
    pub fn tell(&self, verb: &str, words: &[String]) {
        let mut line = verb.to_owned();
        for word in words {
            line.push('\t');
            line.push_str(word);
        }
        line.push('\n');
        (&self.socket).write_all(line.as_bytes()).unwrap();
    }

    /// The next line, and who wrote it.
    pub fn hear(&self) -> (String, ProcessInode, u32) {
        let mut line = Vec::new();
        loop {
            wait(self.socket.as_fd(), "the actor said nothing");
            let mut byte = [0];
            let received = lychgate_sys::recv(self.socket.as_fd(), &mut byte).unwrap();
            assert_ne!(received.len, 0, "the actor hung up");
            line.extend(byte);
            if byte == *b"\n" {
                let sender = received.sender.unwrap();
                let inode = inode_of(sender.pidfd.as_fd()).unwrap();
                return (String::from_utf8(line).unwrap(), inode, sender.pid);
            }
        }
    }

    pub fn say(&self) -> ProcessInode {
        self.tell("say", &[]);
        self.hear().1
    }

    pub fn pin(&self, rules: &Rules<'_>) -> Result<Pinned, PinRefused> {
        Pinned::pin(&lychgate_peer::Linux, lychgate_sys::peer_pidfd(self.socket.as_fd()).unwrap(), self.pid, rules)
    }
}

/// What differs now, the peer itself being the sender.
pub fn now(pinned: &Pinned) -> Vec<Difference> {
    let peer = pinned.subject().peer().unwrap().inode;
    differences(pinned.subject(), &pinned.look(Seen::Seen(peer)))
}

/// The file names of the chain's programs, peer first.
pub fn names(pinned: &Pinned) -> Vec<String> {
    let name = |facts: &lychgate_core::evidence::ProcessFacts| facts.executable.value().unwrap().name().to_owned();
    pinned.subject().chain().iter().map(name).collect()
}

pub fn file_of(path: &Path) -> FileId {
    let metadata = std::fs::metadata(path).unwrap();
    FileId { dev: metadata.dev(), ino: metadata.ino() }
}

pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Blocks until there is something to read, 10 s at most.
pub fn wait(descriptor: BorrowedFd<'_>, complaint: &str) {
    let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let limit = Timespec { tv_sec: 10, tv_nsec: 0 };
    assert_eq!(poll(&mut polled, Some(&limit)).unwrap(), 1, "{complaint} within 10 s");
}

/// Cargo builds examples before it runs tests, and puts them beside the directory of the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(
        program.exists(),
        "{} is missing; run the whole `cargo test -p lychgate-peer`, or `cargo xtask bench`",
        program.display()
    );
    program
}
