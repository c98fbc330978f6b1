//! A full disk. Alone in its program: it starts `mount`, and between fork and exec a child holds every lock of its parent,
//! so a test beside it would find a lock held that it has just given back.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{CHEAP, PASSPHRASE, PIN, State, canary, channel};
use lychgate_vault::{VaultError, init};
use std::fs;

#[test]
fn a_full_disk_fails_the_save_loudly_and_locking_still_works() {
    let state = State::empty();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs"])
        .arg(state.dir())
        .output()
        .is_ok_and(|done| done.status.success());
    if !mounted {
        // Only root may mount; the suite runs this case where it can.
        return;
    }
    struct Unmount<'a>(&'a State);
    impl Drop for Unmount<'_> {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg(self.0.dir()).status();
        }
    }
    let _unmount = Unmount(&state);
    init(state.dir(), PASSPHRASE, PIN, CHEAP).unwrap();
    let mut open = state.unlock();
    open.add_channel(channel("github"), canary()).unwrap();
    let epoch = open.epoch().number;
    let before = fs::read(state.files().vault()).unwrap();
    let filler = |n: u32| state.dir().join(format!("filler{n}"));
    let fillers = 1 + (0..).take_while(|n| fs::write(filler(*n), [1; 4096]).is_ok()).count() as u32;
    let refused = open.add_channel(channel("stripe"), canary()).unwrap_err();
    assert!(
        matches!(&refused, VaultError::Write(error) if error.kind() == std::io::ErrorKind::StorageFull),
        "{refused}"
    );
    assert_eq!(fs::read(state.files().vault()).unwrap(), before);
    let (locked, error) = open.lock();
    assert!(error.is_some());
    assert_eq!(locked.epoch().number, epoch + 1);
    drop(locked);
    for n in 0..fillers {
        fs::remove_file(filler(n)).unwrap();
    }
    assert_eq!(state.unlock().channels().len(), 1);
}
