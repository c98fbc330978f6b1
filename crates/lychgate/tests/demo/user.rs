//! An ordinary user of this machine, made where root runs the tests and it is missing.

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
        let open = |path: &Path| std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        open(dir.path());
        std::fs::copy(super::lych(), dir.path().join("lych")).unwrap();
        open(&dir.path().join("lych"));
        Self { dir }
    }

    pub(crate) fn lych(&self) -> PathBuf {
        self.dir.path().join("lych")
    }
}

/// The words before a program that make it run as an ordinary user; none where the tests do already.
pub(crate) fn as_ordinary_user() -> Vec<String> {
    if !rustix::process::getuid().is_root() {
        return Vec::new();
    }
    let ids = ids().unwrap_or_else(|| {
        // Another test may make it at the same time; what counts is that it is there afterwards.
        let _ = Command::new("useradd").args(["--create-home", "--shell", "/bin/sh", NAME]).output();
        ids().expect("the user lychtest1 could not be made")
    });
    let (uid, gid) = ids;
    ["setpriv", &format!("--reuid={uid}"), &format!("--regid={gid}"), "--clear-groups"].map(str::to_owned).to_vec()
}

fn ids() -> Option<(String, String)> {
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.split(':').next() == Some(NAME))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}
