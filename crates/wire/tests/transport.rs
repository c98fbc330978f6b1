//! Frames over real sockets, written by real processes.
#![expect(clippy::unwrap_used, reason = "tests")]

use lychgate_core::evidence::ProcessInode;
use lychgate_core::limits;
use lychgate_wire::crowd::Crowd;
use lychgate_wire::transport::{FrameError, Reader, Writer, accept, connect, halves, listen};
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;

struct Pair {
    reader: Reader,
    writer: Writer,
    /// The client's end, as a plain stream that a child can be given.
    client: UnixStream,
    _dir: tempfile::TempDir,
}

async fn pair() -> Pair {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let listener = listen(&path).unwrap();
    let client = connect(&path).unwrap();
    let served = accept(&listener).await.unwrap();
    let (reader, _) = halves(served).unwrap();
    let plain = UnixStream::from(client.try_clone().unwrap());
    let (_, writer) = halves(client).unwrap();
    Pair { reader, writer, client: plain, _dir: dir }
}

fn own_inode() -> ProcessInode {
    let own = rustix::process::getpid();
    let pidfd = rustix::process::pidfd_open(own, rustix::process::PidfdFlags::empty()).unwrap();
    ProcessInode(rustix::fs::fstat(&pidfd).unwrap().st_ino)
}

/// Lets another process write `text` to the client's end, and waits for its end.
fn child_writes(client: &UnixStream, text: &str) {
    let end = OwnedFd::from(client.try_clone().unwrap());
    let status =
        Command::new("sh").args(["-c", "printf %b \"$1\"", "sh", text]).stdout(Stdio::from(end)).status().unwrap();
    assert!(status.success());
}

fn frame(body: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend_from_slice(body);
    bytes
}

#[tokio::test]
async fn a_frame_comes_whole_with_its_one_writer() {
    let mut pair = pair().await;
    let long = "x".repeat(3 * 1024 * 1024);
    let (sent, frame) = tokio::join!(pair.writer.send(&long), pair.reader.frame());
    sent.unwrap();
    let frame = frame.unwrap();
    assert_eq!(serde_json::from_slice::<String>(&frame.bytes).unwrap(), long);
    assert_eq!(frame.sender.inode, own_inode());
}

#[tokio::test]
async fn two_frames_in_one_piece_both_name_their_writer() {
    let mut pair = pair().await;
    let mut both = frame(b"1");
    both.extend(frame(b"22"));
    pair.client.write_all(&both).unwrap();
    let first = pair.reader.frame().await.unwrap();
    let second = pair.reader.frame().await.unwrap();
    assert_eq!((first.bytes.as_slice(), second.bytes.as_slice()), (b"1".as_slice(), b"22".as_slice()));
    assert_eq!(first.sender.inode, own_inode());
    assert_eq!(second.sender.inode, own_inode());
}

#[tokio::test]
async fn a_frame_written_by_a_child_on_the_inherited_descriptor_names_the_child() {
    let mut pair = pair().await;
    child_writes(&pair.client, "\\001\\000\\000\\000a");
    // The child is reaped by now: its identity is still told, or the frame is refused. Never is it ours.
    match pair.reader.frame().await {
        Ok(frame) => assert_ne!(frame.sender.inode, own_inode()),
        Err(error) => assert!(matches!(error, FrameError::NoSender), "{error}"),
    }
}

#[tokio::test]
async fn nobody_can_finish_the_frame_that_another_process_began() {
    let mut pair = pair().await;
    pair.client.write_all(b"\x04\0\0\0ab").unwrap();
    child_writes(&pair.client, "cd");
    let error = pair.reader.frame().await.err().unwrap();
    assert!(matches!(error, FrameError::MixedSenders | FrameError::NoSender), "{error}");
}

#[tokio::test]
async fn a_frame_over_the_limit_is_refused_by_its_length_alone() {
    let mut pair = pair().await;
    let length = u32::try_from(limits::FRAME_BYTES + 1).unwrap();
    pair.client.write_all(&length.to_le_bytes()).unwrap();
    let error = pair.reader.frame().await.err().unwrap();
    assert!(matches!(error, FrameError::TooLarge(_)), "{error}");
    let too_long = "x".repeat(limits::FRAME_BYTES);
    assert_eq!(pair.writer.send(&too_long).await.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn an_end_between_frames_and_an_end_within_one_are_told_apart() {
    let mut between = pair().await;
    between.client.shutdown(std::net::Shutdown::Both).unwrap();
    assert!(matches!(between.reader.frame().await.err().unwrap(), FrameError::Closed));
    let mut within = pair().await;
    within.client.write_all(b"\x04\0\0\0a").unwrap();
    within.client.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(matches!(within.reader.frame().await.err().unwrap(), FrameError::CutOff));
}

#[tokio::test]
async fn what_arrived_before_a_question_is_not_quiet() {
    let mut pair = pair().await;
    assert!(pair.reader.is_quiet());
    pair.client.write_all(&frame(b"1")).unwrap();
    assert!(!pair.reader.is_quiet());
    drop(pair.reader.frame().await.unwrap());
    assert!(pair.reader.is_quiet());
    let mut both = frame(b"1");
    both.extend(frame(b"2"));
    pair.client.write_all(&both).unwrap();
    drop(pair.reader.frame().await.unwrap());
    assert!(!pair.reader.is_quiet(), "a frame that was read and not taken counts");
}

#[tokio::test]
async fn the_socket_is_the_owners_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let _listener = listen(&path).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn who_begins_too_many_large_frames_loses_his_oldest_and_small_ones_do_not_count() {
    let crowd = Crowd::new(2);
    let large = u32::try_from(limits::LARGE_FRAME_BYTES + 1).unwrap().to_le_bytes();
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let mut pair = pair().await;
        pair.reader.share(Arc::clone(&crowd));
        pairs.push(pair);
    }
    let [first, second, third] = &mut pairs[..] else { unreachable!() };
    third.client.write_all(&frame(b"small")).unwrap();
    third.reader.frame().await.unwrap();
    for pair in [&mut *first, &mut *second] {
        pair.client.write_all(&large).unwrap();
        pair.client.write_all(b"begun").unwrap();
        let begun = tokio::time::timeout(std::time::Duration::from_millis(200), pair.reader.frame()).await;
        assert!(begun.is_err(), "a frame that lacks bytes is waited for");
    }
    let body = vec![b'x'; limits::LARGE_FRAME_BYTES + 1];
    let mut client = third.client.try_clone().unwrap();
    let writing = std::thread::spawn(move || client.write_all(&frame(&body)).map(|()| body.len()));
    // A wait that was cancelled gave its place back; both go on now, and the third one comes.
    let (lost, waits, came) = tokio::join!(
        first.reader.frame(),
        tokio::time::timeout(std::time::Duration::from_millis(500), second.reader.frame()),
        third.reader.frame(),
    );
    assert!(matches!(lost.err().unwrap(), FrameError::Crowded));
    assert!(waits.is_err());
    assert_eq!(came.unwrap().bytes.len(), writing.join().unwrap().unwrap());
}
