//! Files that survive a crash, and files that are ours alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::Scratch;
use lychgate_seal::durable::{
    DirRefused, Lock, LockRefused, PRIVATE_FILE, ReadRefused, private_dir, read_owned, remove_leftovers, replace,
    replace_keeping_previous,
};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

#[test]
fn a_replaced_file_has_the_new_bytes_the_asked_mode_and_nothing_beside_it() {
    let dir = Scratch::new();
    let path = dir.path("file");
    for (bytes, mode) in [(b"one".as_slice(), 0o600), (b"two, longer", 0o644), (b"", 0o400)] {
        replace(&path, bytes, mode).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        assert_eq!(dir.names(), ["file"]);
    }
}

#[test]
fn a_reader_sees_the_old_or_the_new_file_and_never_a_part() {
    let dir = Scratch::new();
    let path = dir.path("file");
    let contents: Vec<Vec<u8>> = (0..3u8).map(|n| vec![n; 100_000 + usize::from(n)]).collect();
    replace(&path, &contents[0], PRIVATE_FILE).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..60 {
                replace(&path, &contents[round % 3], PRIVATE_FILE).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = read_owned(&path, 1 << 20).unwrap();
            assert!(contents.contains(&seen));
        }
    });
}

#[test]
fn a_link_in_the_place_of_the_file_is_replaced_and_its_target_left_alone() {
    let dir = Scratch::new();
    fs::write(dir.path("target"), b"mine").unwrap();
    symlink(dir.path("target"), dir.path("file")).unwrap();
    replace(&dir.path("file"), b"new", PRIVATE_FILE).unwrap();
    assert_eq!(fs::read(dir.path("target")).unwrap(), b"mine");
    assert!(fs::symlink_metadata(dir.path("file")).unwrap().is_file());
}

#[test]
fn what_can_not_be_written_leaves_the_old_file_and_says_which_it_was() {
    let dir = Scratch::new();
    // A directory in the place of the file: the rename fails after the temporary file was written.
    fs::create_dir(dir.path("taken")).unwrap();
    fs::write(dir.path("taken/inside"), b"x").unwrap();
    let error = replace(&dir.path("taken"), b"new", PRIVATE_FILE).unwrap_err();
    assert!(error.to_string().contains("taken"), "{error}");
    assert!(error.to_string().contains("rename"), "{error}");
    assert_eq!(dir.names(), ["taken"]);
    let error = replace(&dir.path("absent/file"), b"new", PRIVATE_FILE).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn the_previous_version_is_whole_before_the_file_is_touched() {
    let dir = Scratch::new();
    let (path, previous) = (dir.path("file"), dir.path("previous"));
    replace(&path, b"one", PRIVATE_FILE).unwrap();
    replace_keeping_previous(&path, b"two", &previous, b"one", PRIVATE_FILE).unwrap();
    assert_eq!((fs::read(&path).unwrap(), fs::read(&previous).unwrap()), (b"two".to_vec(), b"one".to_vec()));
    fs::remove_file(&previous).unwrap();
    fs::create_dir(&previous).unwrap();
    assert!(replace_keeping_previous(&path, b"three", &previous, b"two", PRIVATE_FILE).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"two");
}

#[test]
fn leftovers_of_this_file_are_removed_and_nothing_else() {
    let dir = Scratch::new();
    for name in
        [".file.0123456789abcdef.new", ".file.short.new", ".other.0123456789abcdef.new", "file", "file.new", ".file"]
    {
        fs::write(dir.path(name), b"x").unwrap();
    }
    remove_leftovers(&dir.path("file")).unwrap();
    assert_eq!(dir.names(), [".file", ".file.short.new", ".other.0123456789abcdef.new", "file", "file.new"]);
}

#[test]
fn only_a_regular_file_of_ours_that_nobody_else_may_open_is_read() {
    let dir = Scratch::new();
    let path = dir.path("file");
    replace(&path, b"12345", PRIVATE_FILE).unwrap();
    assert_eq!(read_owned(&path, 5).unwrap().as_slice(), b"12345");
    assert!(matches!(read_owned(&path, 4), Err(ReadRefused::TooLarge { .. })));
    assert!(matches!(read_owned(&dir.path("absent"), 5), Err(ReadRefused::Absent(_))));

    symlink(&path, dir.path("link")).unwrap();
    assert!(matches!(read_owned(&dir.path("link"), 5), Err(ReadRefused::Symlink(_))));
    assert!(matches!(read_owned(dir.root(), 5), Err(ReadRefused::NotRegular(_))));
    assert!(matches!(read_owned(std::path::Path::new("/dev/null"), 5), Err(ReadRefused::NotRegular(_))));

    for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = read_owned(&path, 5).unwrap_err();
        assert!(matches!(refused, ReadRefused::Mode { .. }), "{mode:o}");
        assert!(refused.to_string().contains("chmod 600"));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

    fs::hard_link(&path, dir.path("second")).unwrap();
    assert!(matches!(read_owned(&path, 5), Err(ReadRefused::Links(_))));
}

#[test]
fn a_pipe_in_the_place_of_the_file_is_refused_without_waiting() {
    let dir = Scratch::new();
    let made = std::process::Command::new("mkfifo").arg("-m600").arg(dir.path("pipe")).status().unwrap();
    assert!(made.success());
    assert!(matches!(read_owned(&dir.path("pipe"), 5), Err(ReadRefused::NotRegular(_))));
}

#[test]
fn a_private_directory_is_made_with_its_parents_and_nobody_else_may_enter() {
    let dir = Scratch::new();
    let deep = dir.path("a/b/c");
    private_dir(&deep).unwrap();
    for path in [dir.path("a"), dir.path("a/b"), deep.clone()] {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o700);
    }
    private_dir(&deep).unwrap();
}

#[test]
fn a_directory_that_is_open_linked_or_no_directory_is_refused_and_left_as_it_was() {
    let dir = Scratch::new();
    let open = dir.path("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(private_dir(&open), Err(DirRefused::Mode { .. })));
    assert_eq!(fs::metadata(&open).unwrap().mode() & 0o7777, 0o755);

    private_dir(&dir.path("real")).unwrap();
    symlink(dir.path("real"), dir.path("link")).unwrap();
    assert!(matches!(private_dir(&dir.path("link")), Err(DirRefused::Symlink(_))));
    symlink(dir.path("nowhere"), dir.path("dangling")).unwrap();
    assert!(matches!(private_dir(&dir.path("dangling")), Err(DirRefused::Symlink(_))));
    assert!(!dir.path("nowhere").exists());

    fs::write(dir.path("file"), b"x").unwrap();
    assert!(matches!(private_dir(&dir.path("file")), Err(DirRefused::NotADirectory(_))));
}

#[test]
fn the_second_holder_of_a_lock_is_refused_until_the_first_is_gone() {
    let dir = Scratch::new();
    let path = dir.path("lock");
    let first = Lock::take(&path).unwrap();
    let refused = Lock::take(&path).unwrap_err();
    assert!(matches!(refused, LockRefused::Held(_)));
    assert!(refused.to_string().contains("lych stop"));
    drop(first);
    Lock::take(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
}
