//! A full disk. Alone in its program: it starts `mount`, and between fork and exec a child holds every lock of its parent,
//! so a test beside it would find a lock held that it has just given back.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::Scratch;
use lychgate_seal::durable::{PRIVATE_FILE, replace};
use std::fs;

#[test]
fn a_full_disk_fails_loudly_and_leaves_the_old_file() {
    // A tmpfs of 64 KiB, where this may be mounted.
    let dir = Scratch::new();
    let path = dir.path("file");
    replace(&path, b"old", PRIVATE_FILE).unwrap();
    let small = dir.path("small");
    fs::create_dir(&small).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs"])
        .arg(&small)
        .output()
        .is_ok_and(|done| done.status.success());
    if !mounted {
        // Only root may mount; the suite runs this case where it can.
        return;
    }
    let inside = small.join("vault");
    replace(&inside, b"old", PRIVATE_FILE).unwrap();
    let error = replace(&inside, &vec![7; 128 * 1024], PRIVATE_FILE);
    let kept = fs::read(&inside);
    let names: Vec<_> = fs::read_dir(&small).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    std::process::Command::new("umount").arg(&small).status().unwrap();
    assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    assert_eq!(kept.unwrap(), b"old");
    assert_eq!(names, ["vault"]);
}
