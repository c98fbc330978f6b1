//! `audit verify` over logs that real gateways wrote: accepted as they are, rejected after any change.

use crate::world::World;
use crate::world::operator::Ran;
use std::path::{Path, PathBuf};

/// A frame of a segment: `len:u32le | crc:u32le | entry | pad to 8`.
#[derive(Debug, Clone, Copy)]
struct Frame {
    at: usize,
    end: usize,
    /// A COMMIT, which ends a batch; anything else is a row.
    commit: bool,
    /// Number of rows that a COMMIT covers.
    size: u64,
}

/// Offset in a frame of an entry's kind, its second byte.
const KIND: usize = 9;
/// Offset in the frame of a COMMIT of the number of rows that it covers.
const SIZE: usize = 20;
const COMMIT: u8 = 0xc0;

fn frames(segment: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut at = 0;
    while let Some(len) = segment.get(at..at + 4) {
        let len = u32::from_le_bytes(len.try_into().unwrap()) as usize;
        if len == 0 {
            break;
        }
        let end = at + (8 + len).next_multiple_of(8);
        let commit = segment[at + KIND] == COMMIT;
        let size = if commit { u64::from_le_bytes(segment[at + SIZE..at + SIZE + 8].try_into().unwrap()) } else { 0 };
        frames.push(Frame { at, end, commit, size });
        at = end;
    }
    frames
}

/// A log at rest, and a receipt that an agent was given.
struct Log {
    world: World,
    receipt: PathBuf,
    receipt_size: u64,
}

impl Log {
    /// A gateway's life with all kinds of rows, ended in order.
    fn of_a_life() -> Self {
        let mut world = World::new();
        let mut agent = world.agent();
        agent.authorized(&world, &["api"]);
        for path in ["/v1/one", "/v1/drop", "/v1/three"] {
            agent.get(&world, path);
        }
        let receipt = agent.get(&world, "/v1/four").must_say("COMPLETED").0["receipt"].clone();
        let receipt_size = receipt["size"].as_u64().unwrap();
        let file = world.file("receipt.json", receipt.to_string().as_bytes());
        world.lych(&["revoke", "--all"]).exits(0);
        drop(agent);
        world.stop_gateway();
        Self { world, receipt: file, receipt_size }
    }

    /// The only segment with rows of agents.
    fn segment(&self) -> PathBuf {
        let mut segments: Vec<PathBuf> = std::fs::read_dir(self.world.state.join("audit"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "lgj"))
            .collect();
        segments.sort_by_key(|path| std::fs::metadata(path).unwrap().len());
        segments.pop().unwrap()
    }

    /// A copy of the log in which one file was changed.
    fn changed(&self, change: impl FnOnce(&mut Vec<u8>, &[Frame])) -> PathBuf {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let copy = self.world.own_dir().join(format!("audit{number}"));
        copy_dir(&self.world.state.join("audit"), &copy);
        let path = copy.join(self.segment().file_name().unwrap());
        let mut bytes = std::fs::read(&path).unwrap();
        let all = frames(&bytes);
        change(&mut bytes, &all);
        std::fs::write(&path, &bytes).unwrap();
        self.world.user.give(&copy);
        copy
    }

    fn verify(&self, dir: &Path, more: &[&str]) -> Ran {
        let dir = dir.display().to_string();
        let mut args = vec!["audit", "verify", &dir, "--key", &self.world.public_key];
        args.extend(more);
        self.world.lych(&args)
    }

    #[track_caller]
    fn rejects(&self, what: &str, dir: &Path) {
        for more in [&[][..], &["--all-commits"]] {
            let ran = self.verify(dir, more);
            assert!((11..=18).contains(&ran.status), "{what}: {ran:#?}");
        }
    }
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_dir(&path, &target) } else { std::fs::copy(&path, &target).map(drop).unwrap() }
    }
}

/// A frame's checksum as it must be over what stands in it now.
fn repair_checksum(bytes: &mut [u8], frame: Frame) {
    let len = u32::from_le_bytes(bytes[frame.at..frame.at + 4].try_into().unwrap()) as usize;
    let over_len = crc32c::crc32c(&bytes[frame.at..frame.at + 4]);
    let crc = crc32c::crc32c_append(over_len, &bytes[frame.at + 8..frame.at + 8 + len]);
    bytes[frame.at + 4..frame.at + 8].copy_from_slice(&crc.to_le_bytes());
}

/// Rows that stand in the middle: not the first, not the last batch.
fn middle_rows(all: &[Frame]) -> Vec<Frame> {
    let rows: Vec<Frame> = all.iter().filter(|frame| !frame.commit).copied().collect();
    rows[3..rows.len() - 4].to_vec()
}

#[test]
fn a_log_is_accepted_with_the_printed_key_and_rejected_after_each_kind_of_change() {
    let log = Log::of_a_life();
    let receipt = log.receipt.display().to_string();
    let whole = log.changed(|_, _| {});
    log.verify(&whole, &[]).exits(0);
    log.verify(&whole, &["--all-commits", "--receipt", &receipt]).exits(0).says("OK");

    let middle = middle_rows(&frames(&std::fs::read(log.segment()).unwrap()));
    assert!(middle.len() > 10, "too few rows for this test");
    for row in [middle[0], middle[middle.len() / 2], *middle.last().unwrap()] {
        let plain = log.changed(|bytes, _| bytes[(row.at + row.end) / 2] ^= 0x10);
        log.rejects("a flipped byte", &plain);
        let careful = log.changed(|bytes, _| {
            bytes[(row.at + row.end) / 2] ^= 0x10;
            repair_checksum(bytes, row);
        });
        log.rejects("a flipped byte under a new checksum", &careful);
        let dropped = log.changed(|bytes, _| {
            let length = bytes.len();
            bytes.drain(row.at..row.end);
            bytes.resize(length, 0);
        });
        log.rejects("a dropped row", &dropped);
    }
    let neighbours = middle.windows(2).find(|pair| pair[0].end == pair[1].at).expect("two rows in one batch");
    let swapped = log.changed(|bytes, _| {
        let (one, two) = (neighbours[0], neighbours[1]);
        bytes[one.at..two.end].rotate_left(one.end - one.at);
    });
    log.rejects("two swapped rows", &swapped);
}

#[test]
fn a_tail_that_was_cut_below_a_receipt_is_truncated_and_never_plainly_good_without_one() {
    let log = Log::of_a_life();
    let cut = log.changed(|bytes, all| {
        let last = all.iter().rfind(|frame| frame.commit && frame.size < log.receipt_size).unwrap();
        bytes.truncate(last.end);
    });
    let receipt = log.receipt.display().to_string();
    log.verify(&cut, &["--receipt", &receipt]).exits(15).says("TRUNCATED");
    let alone = log.verify(&cut, &[]);
    assert!(alone.status != 0 || alone.out.contains("UNANCHORED"), "{alone:#?}");
}

#[test]
fn another_key_and_no_key_are_never_plainly_good() {
    let log = Log::of_a_life();
    let dir = log.changed(|_, _| {});
    let audit = dir.display().to_string();
    log.world.lych(&["audit", "verify", &audit]).exits(10).says("SELF-SIGNED");
    let other = World::asleep().public_key.clone();
    log.world.lych(&["audit", "verify", &audit, "--key", &other]).exits(17).says("BAD_KEY");
}

#[test]
fn a_log_of_crashes_and_restarts_is_accepted_also_while_a_gateway_writes_it() {
    let mut world = World::new();
    let mut agent = world.agent();
    agent.authorized(&world, &["api"]);
    for round in 1..=3 {
        agent.begin("http_request", world.get("api", "/v1/slow"));
        world.upstream.wait_for(round);
        world.kill_gateway();
        world.start();
        world.unlock();
        let asked = agent.call("authorize", serde_json::json!({ "channels": ["api"], "wait_seconds": 0 }));
        world.approve(asked.card());
        world.verify(&[]).exits(0);
        world.verify(&["--all-commits"]).exits(0);
    }
    let sessions = world.sessions();
    assert!(sessions.contains("gateway_restarted"), "{sessions}");
}
