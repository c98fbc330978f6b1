//! A world of scripted processes: every fact is what the test says, also those that a kernel can't be brought to show.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use lychgate_core::evidence::{Executable, FileId, LiveProcess, Namespaces, ProcessFacts, ProcessInode, Seen, Why};
use lychgate_core::ids::Digest;
use lychgate_peer::world::{Image, Process, Standing};
use lychgate_peer::{Rules, World};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

/// One process, as the script has it now.
#[derive(Debug, Clone)]
pub struct Script {
    pub facts: ProcessFacts,
    pub standing: Result<Standing, Why>,
    pub alive: bool,
    /// Counts what was executed; the map held since a pin is of one of them.
    pub images: u64,
    pub bindable: Result<(), Why>,
    /// Stands in for what `parent` proves.
    pub parent: Result<Option<u32>, Why>,
}

impl Script {
    pub fn program(&mut self) -> &mut Executable {
        match &mut self.facts.executable {
            Seen::Seen(executable) => executable,
            Seen::Unseen(_) => unreachable!("the script shows its programs"),
        }
    }
}

/// The world; clones share it.
#[derive(Debug, Clone)]
pub struct Scripted {
    processes: Arc<Mutex<BTreeMap<u32, Script>>>,
    pub boot: Option<String>,
}

pub const USER: u32 = 1000;
pub const NAMESPACES: Namespaces = Namespaces { user: 11, pid: 12 };
pub const SHIM_FILE: FileId = FileId { dev: 1, ino: 100 };

impl Scripted {
    /// pid 50 `shim` under 40 `sh` under 30 `agent` under 20 `tmux` under 1 `init`.
    pub fn new() -> Self {
        let world = Self { processes: Arc::default(), boot: Some("boot".to_owned()) };
        for (pid, parent, name) in
            [(1, 0, "init"), (20, 1, "tmux"), (30, 20, "agent"), (40, 30, "sh"), (50, 40, "shim")]
        {
            world.start(pid, parent, name);
        }
        world
    }

    /// A process that takes the number `pid`, whoever had it before.
    pub fn start(&self, pid: u32, parent: u32, name: &str) {
        let mut processes = self.processes.lock().unwrap();
        let inode = 1 + processes.values().map(|script| script.facts.inode.0).max().unwrap_or(0);
        let file = if name == "shim" { SHIM_FILE } else { FileId { dev: 1, ino: 1000 + inode } };
        let facts = ProcessFacts {
            pid,
            start_ticks: 7,
            inode: ProcessInode(inode),
            uid: USER,
            parent,
            session: pid,
            start_stack: Seen::Seen(0x7000 + inode),
            namespaces: Seen::Seen(NAMESPACES),
            executable: Seen::Seen(Executable {
                file,
                size: 1,
                mtime_ns: 1,
                ctime_ns: 1,
                sha256: Digest([1; 32]),
                path: format!("/usr/bin/{name}"),
                path_now: lychgate_core::evidence::PathNow::Same,
            }),
            provenance: lychgate_core::provenance::Provenance::Unsigned(
                lychgate_core::provenance::Unsigned::NotPackaged,
            ),
            script: None,
            claimed_command: name.to_owned(),
            directory: None,
        };
        let standing = Ok(Standing { uids: [USER; 4], tracer: 0, nested: false });
        let parent = Ok((parent != 0).then_some(parent));
        let _ = processes.insert(pid, Script { facts, standing, alive: true, images: 0, bindable: Ok(()), parent });
    }

    pub fn change(&self, pid: u32, change: impl FnOnce(&mut Script)) {
        change(self.processes.lock().unwrap().get_mut(&pid).unwrap());
    }

    pub fn inode(&self, pid: u32) -> ProcessInode {
        self.processes.lock().unwrap()[&pid].facts.inode
    }

    /// The rules of a gateway in this world.
    pub fn rules(never: &[ProcessInode]) -> Rules<'_> {
        Rules {
            gateway_file: SHIM_FILE,
            own_namespaces: NAMESPACES,
            own_uid: USER,
            never,
            claims_shim: true,
            allow_unverified: false,
        }
    }

    fn hold(&self, pid: u32) -> Result<ScriptedProcess, Why> {
        let script = self.processes.lock().unwrap().get(&pid).cloned().ok_or(Why::Gone)?;
        Ok(ScriptedProcess { world: self.clone(), pid, inode: script.facts.inode })
    }
}

impl World for Scripted {
    fn adopt(&self, _handle: BorrowedFd<'_>, pid: u32) -> Result<Box<dyn Process>, Why> {
        Ok(Box::new(self.hold(pid)?))
    }

    fn boot(&self) -> Option<String> {
        self.boot.clone()
    }
}

/// Held: whoever takes the number later is not it.
#[derive(Debug, Clone)]
struct ScriptedProcess {
    world: Scripted,
    pid: u32,
    inode: ProcessInode,
}

impl ScriptedProcess {
    fn script(&self) -> Result<Script, Why> {
        let processes = self.world.processes.lock().unwrap();
        processes.get(&self.pid).filter(|script| script.facts.inode == self.inode).cloned().ok_or(Why::Gone)
    }
}

impl Process for ScriptedProcess {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn inode(&self) -> ProcessInode {
        self.inode
    }

    fn alive(&self) -> bool {
        self.script().is_ok_and(|script| script.alive)
    }

    fn standing(&self) -> Result<Standing, Why> {
        self.script()?.standing
    }

    fn namespaces(&self) -> Result<Namespaces, Why> {
        match self.script()?.facts.namespaces {
            Seen::Seen(namespaces) => Ok(namespaces),
            Seen::Unseen(why) => Err(why),
        }
    }

    fn parent(&self) -> Result<Option<Box<dyn Process>>, Why> {
        let Some(parent) = self.script()?.parent? else { return Ok(None) };
        Ok(Some(Box::new(self.world.hold(parent)?)))
    }

    fn program(&self) -> String {
        self.script().map_or_else(|_| "(gone)".to_owned(), |script| script.facts.claimed_command)
    }

    fn bind(self: Box<Self>) -> Result<Box<dyn Image>, Why> {
        let script = self.script()?;
        script.bindable?;
        Ok(Box::new(ScriptedImage { images: script.images, process: *self, veil: None }))
    }

    fn veil(self: Box<Self>, why: Why) -> Result<Box<dyn Image>, Why> {
        Ok(Box::new(ScriptedImage { images: 0, process: *self, veil: Some(why) }))
    }
}

#[derive(Debug)]
struct ScriptedImage {
    process: ScriptedProcess,
    images: u64,
    /// Why nothing of its program is told.
    veil: Option<Why>,
}

impl Image for ScriptedImage {
    fn process(&self) -> &dyn Process {
        &self.process
    }

    fn path(&self) -> Result<String, Why> {
        match self.facts()?.executable {
            Seen::Seen(executable) => Ok(executable.path),
            Seen::Unseen(why) => Err(why),
        }
    }

    fn arguments(&self) -> Vec<String> {
        self.process.script().map_or_else(|_| Vec::new(), |script| vec![script.facts.claimed_command])
    }

    fn facts(&self) -> Result<ProcessFacts, Why> {
        let facts = self.process.script()?.facts;
        Ok(match self.veil {
            None => facts,
            Some(why) => ProcessFacts {
                start_stack: Seen::Unseen(why),
                namespaces: Seen::Unseen(why),
                executable: Seen::Unseen(why),
                ..facts
            },
        })
    }

    fn live(&self, _then: &ProcessFacts) -> LiveProcess {
        let gone = |why| LiveProcess {
            alive: false,
            inode: Seen::Unseen(why),
            parent: Seen::Unseen(why),
            executable: Seen::Unseen(why),
            same_image: Seen::Unseen(why),
            start_stack: Seen::Unseen(why),
            namespaces: Seen::Unseen(why),
        };
        let script = match self.process.script() {
            Ok(script) => script,
            Err(why) => return gone(why),
        };
        if let Some(why) = self.veil {
            let executable = match script.facts.executable {
                Seen::Seen(executable) if why == Why::NotReadable => Seen::Seen(executable.file),
                Seen::Seen(_) | Seen::Unseen(_) => Seen::Unseen(why),
            };
            let inode = Seen::Seen(script.facts.inode);
            return LiveProcess { inode, parent: Seen::Seen(script.facts.parent), executable, ..gone(why) };
        }
        LiveProcess {
            alive: false,
            inode: Seen::Seen(script.facts.inode),
            parent: Seen::Seen(script.facts.parent),
            executable: match script.facts.executable {
                Seen::Seen(executable) => Seen::Seen(executable.file),
                Seen::Unseen(why) => Seen::Unseen(why),
            },
            same_image: Seen::Seen(script.images == self.images),
            start_stack: script.facts.start_stack,
            namespaces: script.facts.namespaces,
        }
    }

    fn ending(&self) -> io::Result<OwnedFd> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
