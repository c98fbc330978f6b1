//! An ordinary user of this machine, made where root runs the tests and it is missing. The product never runs as root.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "lychtest1";

/// A copy of the program that anybody may start.
pub(crate) struct Shared {
    dir: tempfile::TempDir,
}

impl Shared {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
        // By another process: a file that this one still has open for writing, a child of another test would inherit,
        // and the program could not be started as long as that child lives.
        let copied = Command::new("install").args(["-m", "755", super::lych()]).arg(dir.path().join("lych")).status();
        assert!(copied.unwrap().success(), "the program could not be copied");
        Self { dir }
    }

    pub(crate) fn lych(&self) -> PathBuf {
        self.dir.path().join("lych")
    }

    /// The program, to be run as the ordinary user.
    pub(crate) fn command(&self) -> Command {
        let words = as_ordinary_user();
        let Some((first, rest)) = words.split_first() else { return Command::new(self.lych()) };
        let mut command = Command::new(first);
        command.args(rest).arg(self.lych());
        command
    }
}

/// The words before a program that make it run as an ordinary user; none where the tests do already.
pub(crate) fn as_ordinary_user() -> Vec<String> {
    let Some((uid, gid)) = user() else { return Vec::new() };
    ["setpriv", &format!("--reuid={uid}"), &format!("--regid={gid}"), "--clear-groups"].map(str::to_owned).to_vec()
}

/// A directory of that user, for the time of a test.
pub(crate) fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    if let Some((uid, gid)) = user() {
        std::os::unix::fs::chown(place.path(), Some(uid), Some(gid)).unwrap();
    }
    place
}

/// What the product made or runs as (`/proc/PID`) is the ordinary user's.
#[track_caller]
pub(crate) fn belongs_to_an_ordinary_user(path: &Path) {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(path).unwrap().uid();
    let expected = user().map_or_else(|| rustix::process::getuid().as_raw(), |(uid, _)| uid);
    assert_eq!(owner, expected, "{}", path.display());
    assert_ne!(owner, 0, "{} belongs to root", path.display());
}

/// User and group; none where the tests don't run as root.
fn user() -> Option<(u32, u32)> {
    if !rustix::process::getuid().is_root() {
        return None;
    }
    let found = ids().unwrap_or_else(|| {
        // Another test may make it at the same time; what counts is that it is there afterwards.
        let _ = Command::new("useradd").args(["--create-home", "--shell", "/bin/sh", NAME]).output();
        ids().expect("the user lychtest1 could not be made")
    });
    Some(found)
}

fn ids() -> Option<(u32, u32)> {
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.split(':').next() == Some(NAME))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
