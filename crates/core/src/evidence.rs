//! What the gateway saw of the processes behind a connection: at the pin, and again now.
//!
//! Nothing here comes from the client. A value that could not be seen is [`Seen::Unseen`] and denies.

use crate::ids::Digest;
use crate::provenance::{Provenance, Script};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// Why something could not be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The process is gone, or has been replaced while it was looked at.
    Gone,
    /// The kernel did not let us look (non-dumpable, another user).
    NotReadable,
    /// It lives in another pid or user namespace, where both pid and executable can be forged.
    ForeignNamespace,
    /// The kernel gave an answer that we do not understand.
    Unclear,
}

/// A fact, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen<T> {
    /// It was seen, and this is it.
    Seen(T),
    /// It was not seen. Never treat this as a match.
    Unseen(Why),
}

impl<T: PartialEq> Seen<T> {
    /// True only where both were seen and are equal.
    #[must_use]
    pub fn proves(&self, expected: &Self) -> bool {
        matches!((self, expected), (Self::Seen(now), Self::Seen(then)) if now == then)
    }
}

impl<T> Seen<T> {
    /// The value, where there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Seen(value) => Some(value),
            Self::Unseen(_) => None,
        }
    }
}

/// The pidfs inode of a process: unique per process lifetime and kernel boot (Linux 6.9 and newer).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessInode(pub u64);

/// A file, by device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileId {
    /// Device number.
    pub dev: u64,
    /// Inode number on that device.
    pub ino: u64,
}

/// The program file that a process runs, as seen through `/proc/PID/exe`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Executable {
    /// Device and inode.
    pub file: FileId,
    /// Size in bytes.
    pub size: u64,
    /// Modification time, nanoseconds since 1970.
    #[serde(with = "nanoseconds")]
    pub mtime_ns: i128,
    /// Change time, nanoseconds since 1970.
    #[serde(with = "nanoseconds")]
    pub ctime_ns: i128,
    /// SHA-256 of the open image.
    pub sha256: Digest,
    /// The path as the kernel tells it, without its mark for a removed file. Text for people; never compared.
    pub path: String,
    /// What is at that path now.
    pub path_now: PathNow,
}

/// What is at the path of a program that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathNow {
    /// The file that runs.
    Same,
    /// Nothing, or nothing that can be seen: it was removed since the start.
    Gone,
    /// Another file: an update took its place.
    Replaced,
}

/// Times travel as 64-bit integers: serde can't read a 128-bit one back inside a tagged enum such as `Event`.
mod nanoseconds {
    use serde::{Deserialize as _, Deserializer, Serializer, ser};

    pub(super) fn serialize<S: Serializer>(time: &i128, to: S) -> Result<S::Ok, S::Error> {
        // Times beyond the year 2262.
        let narrow = i64::try_from(*time).map_err(|_| ser::Error::custom("time_out_of_range"))?;
        to.serialize_i64(narrow)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i128, D::Error> {
        i64::deserialize(from).map(i128::from)
    }
}

impl Executable {
    /// The last part of the path, for headlines.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Namespaces that decide whether a process can forge what we look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Namespaces {
    /// Inode of the user namespace.
    pub user: u64,
    /// Inode of the pid namespace.
    pub pid: u64,
}

/// One process of a chain, as pinned.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessFacts {
    /// Process id (thread group) in the gateway's namespace.
    pub pid: u32,
    /// Start time in clock ticks since the kernel booted (`/proc/PID/stat` field 22).
    pub start_ticks: u64,
    /// Identity of this process lifetime.
    pub inode: ProcessInode,
    /// Real user id.
    pub uid: u32,
    /// The parent's process id.
    pub parent: u32,
    /// Session id.
    pub session: u32,
    /// Address of the start of the stack; a new one after each `execve`.
    pub start_stack: Seen<u64>,
    /// Namespaces.
    pub namespaces: Seen<Namespaces>,
    /// The program.
    pub executable: Seen<Executable>,
    /// Who vouches for the program, beside the operator.
    pub provenance: Provenance,
    /// The script that an interpreter says it runs.
    pub script: Option<Script>,
    /// First arguments of the command line: the process's own word, never identity.
    pub claimed_command: String,
    /// Working directory, where it could be read. The process chooses it.
    pub directory: Option<String>,
}

/// How much of a subject could be seen (R5). What the person is told, and what an approval may be, depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attestation {
    /// Every process of the chain, and the program of each.
    Whole,
    /// Every process of the chain lives and is held, and the program of at least one does not let itself be read. That it
    /// executes another program can't be seen either.
    ProgramUnreadable,
    /// No requester was verified, for this reason.
    Unverified(Unverified),
}

/// Why nobody can say who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// It lives in another pid or user namespace, where what we look at can be forged.
    ForeignNamespace,
    /// No process above the shim can be called an agent.
    NoAgent,
}

impl ProcessFacts {
    /// Why something of it is unseen; `None` where all of it was seen.
    #[must_use]
    pub fn unseen(&self) -> Option<Why> {
        match (&self.executable, &self.start_stack, &self.namespaces) {
            (Seen::Unseen(why), _, _) | (_, Seen::Unseen(why), _) | (_, _, Seen::Unseen(why)) => Some(*why),
            (Seen::Seen(_), Seen::Seen(_), Seen::Seen(_)) => None,
        }
    }

    /// True where nothing of the program was seen, because the process does not let itself be looked at. What is seen in
    /// part is no such process, and refused.
    #[must_use]
    pub fn is_shut_off(&self) -> bool {
        let none = Why::NotReadable;
        self.executable == Seen::Unseen(none)
            && self.start_stack == Seen::Unseen(none)
            && self.namespaces == Seen::Unseen(none)
    }
}

/// Whom a run is bound to: the chain of processes from the peer up to the agent.
///
/// Private fields: the only ways to one are [`Subject::observed`] and [`Subject::unverified`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "Bound")]
pub struct Subject {
    bound: Bound,
    /// Kept: every decision compares it, and it never changes.
    digest: Digest,
}

/// What a subject consists of, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Bound {
    attestation: Attestation,
    chain: Vec<ProcessFacts>,
    kernel_boot: String,
}

impl From<Bound> for Subject {
    fn from(bound: Bound) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"lychgate/subject/1\0");
        // The JSON of a struct with fixed field order is injective: no two subjects share it.
        let bytes = serde_json::to_vec(&bound).unwrap_or_default();
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
        Self { bound, digest: Digest(hash.finalize().into()) }
    }
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.bound.serialize(to)
    }
}

impl Subject {
    /// States that the facts of `chain` (peer first, agent last) were read from the kernel with each process pinned
    /// before and verified after the reading.
    ///
    /// This is a promise that no type can check. The peer crate makes it, in one place; tests make it about fixtures.
    /// `None` for an empty chain, and where something is unseen of a process that has not shut itself off altogether.
    #[must_use]
    pub fn observed(chain: Vec<ProcessFacts>, kernel_boot: String) -> Option<Self> {
        let mut attestation = Attestation::Whole;
        for process in &chain {
            match process.unseen() {
                None => {}
                Some(_) if process.is_shut_off() => attestation = Attestation::ProgramUnreadable,
                Some(_) => return None,
            }
        }
        (!chain.is_empty()).then(|| Bound { attestation, chain, kernel_boot }.into())
    }

    /// States that `chain` is held, the process that holds the connection first, and that `why` keeps it from being
    /// called a requester that was verified.
    ///
    /// It can only lose by it: no session approval is ever bound to such a subject. `None` for an empty chain.
    #[must_use]
    pub fn unverified(chain: Vec<ProcessFacts>, kernel_boot: String, why: Unverified) -> Option<Self> {
        let attestation = Attestation::Unverified(why);
        (!chain.is_empty()).then(|| Bound { attestation, chain, kernel_boot }.into())
    }

    /// How much could be seen.
    #[must_use]
    pub fn attestation(&self) -> Attestation {
        self.bound.attestation
    }

    /// The processes, peer first, agent last. Never empty.
    #[must_use]
    pub fn chain(&self) -> &[ProcessFacts] {
        &self.bound.chain
    }

    /// The process that holds the connection.
    #[must_use]
    pub fn peer(&self) -> Option<&ProcessFacts> {
        self.bound.chain.first()
    }

    /// The process that stands for the agent: quotas are counted by it. Where the requester is unverified it is no agent.
    #[must_use]
    pub fn agent(&self) -> Option<&ProcessFacts> {
        self.bound.chain.last()
    }

    /// The kernel's own boot id; with an inode it identifies a process lifetime for ever.
    #[must_use]
    pub fn kernel_boot(&self) -> &str {
        &self.bound.kernel_boot
    }

    /// Digest of every field, for approvals and the journal.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// One process of a chain, looked at again now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveProcess {
    /// The pidfd says that the process has not ended.
    pub alive: bool,
    /// Inode of the held pidfd.
    pub inode: Seen<ProcessInode>,
    /// Parent's process id now; another one means reparented.
    pub parent: Seen<u32>,
    /// The program file now.
    pub executable: Seen<FileId>,
    /// True: the memory map held since the pin is still the process's own, so no `execve` happened.
    pub same_image: Seen<bool>,
    /// Start of the stack now.
    pub start_stack: Seen<u64>,
    /// Namespaces now.
    pub namespaces: Seen<Namespaces>,
}

/// The whole chain, looked at again now, and who wrote the frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChain {
    /// Writer of every piece of the frame, by its pidfd.
    pub sender: Seen<ProcessInode>,
    /// As many entries as the pinned chain, in the same order.
    pub processes: Vec<LiveProcess>,
}

/// What of a process differs from the pin. Words for cards and rows; each one alone denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The frame was written by another process than the registered one.
    Sender,
    /// A process of the chain ended.
    Ended,
    /// A pidfd names another process.
    Inode,
    /// The program file differs.
    Executable,
    /// The process executed a program since the pin (the same one included).
    Exec,
    /// The connection's nonce is not the approval's.
    Nonce,
    /// The chain has another length, or a process another parent.
    Chain,
    /// Another namespace.
    Namespace,
    /// Something needed could not be seen.
    Unseen,
}

/// Every way in which `live` fails to prove that `pinned` is still the same. Empty means proven.
#[must_use]
pub fn differences(pinned: &Subject, live: &LiveChain) -> Vec<Difference> {
    let mut found = Vec::new();
    match (&live.sender, pinned.peer()) {
        (Seen::Seen(sender), Some(peer)) if *sender == peer.inode => {}
        _ => found.push(Difference::Sender),
    }
    if live.processes.len() != pinned.chain().len() {
        found.push(Difference::Chain);
    }
    for (then, now) in pinned.chain().iter().zip(&live.processes) {
        compare(then, now, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn compare(then: &ProcessFacts, now: &LiveProcess, found: &mut Vec<Difference>) {
    if !now.alive {
        found.push(Difference::Ended);
    }
    check(&now.inode, &Seen::Seen(then.inode), Difference::Inode, found);
    check(&now.parent, &Seen::Seen(then.parent), Difference::Chain, found);
    if let Some(why) = then.unseen() {
        // Nothing of its program was seen, so nothing of it can be compared; that is why such a subject gets less. One
        // that lets itself be seen now has perhaps executed another program.
        if now.executable != Seen::Unseen(why) {
            found.push(Difference::Exec);
        }
        return;
    }
    let file = match &then.executable {
        Seen::Seen(executable) => Seen::Seen(executable.file),
        Seen::Unseen(why) => Seen::Unseen(*why),
    };
    check(&now.executable, &file, Difference::Executable, found);
    check(&now.same_image, &Seen::Seen(true), Difference::Exec, found);
    check(&now.start_stack, &then.start_stack, Difference::Exec, found);
    check(&now.namespaces, &then.namespaces, Difference::Namespace, found);
}

fn check<T: PartialEq>(now: &Seen<T>, then: &Seen<T>, difference: Difference, found: &mut Vec<Difference>) {
    match (now, then) {
        (Seen::Seen(a), Seen::Seen(b)) if a == b => {}
        (Seen::Seen(_), Seen::Seen(_)) => found.push(difference),
        _ => found.push(Difference::Unseen),
    }
}
