//! The sealed payload: `len:u32le | CBOR | zeros`, padded to a size bucket so that the length tells little.

use lychgate_core::event::Event;
use lychgate_core::ids::WallTime;
use lychgate_text::words;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Version of the payload's schema.
const SCHEMA: u8 = 1;
/// Smallest bucket, in bytes. Buckets double from here.
const SMALLEST: usize = 64;
/// Largest bucket, in bytes. A subject with 64 processes and long paths fits.
pub const LARGEST: usize = 1024 * 1024;

/// An event that can't be put into a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// Larger than the largest bucket.
    #[error("{}", (words().journal().error.event_too_large)(LARGEST))]
    TooLarge,
    /// The encoder refused it.
    #[error("{}", words().journal().error.event_not_encoded)]
    Encode,
}

#[derive(Serialize)]
struct Written<'a> {
    v: u8,
    at: WallTime,
    event: &'a Event,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    v: u8,
    at: WallTime,
    event: Event,
}

/// The padded payload. Plain text: it must not be written anywhere.
///
/// # Errors
/// [`PayloadError`].
pub fn encode(at: WallTime, event: &Event) -> Result<Zeroizing<Vec<u8>>, PayloadError> {
    // Room for the usual row, so that growing leaves few copies behind.
    let mut out = Zeroizing::new(Vec::with_capacity(1024));
    out.extend_from_slice(&[0; 4]);
    let taken = std::mem::take(&mut *out);
    *out = cbor4ii::serde::to_vec(taken, &Written { v: SCHEMA, at, event }).map_err(|_| PayloadError::Encode)?;
    let len = u32::try_from(out.len() - 4).map_err(|_| PayloadError::TooLarge)?;
    if let Some(head) = out.first_chunk_mut() {
        *head = len.to_le_bytes();
    }
    let padded = out.len().next_power_of_two().max(SMALLEST);
    if padded > LARGEST {
        return Err(PayloadError::TooLarge);
    }
    out.resize(padded, 0);
    Ok(out)
}

/// True where a payload can have this length.
#[must_use]
pub fn is_padded_len(len: usize) -> bool {
    len.is_power_of_two() && (SMALLEST..=LARGEST).contains(&len)
}

/// Reads a payload back; `None` where it is not one of this schema, or its pad is not zero.
#[must_use]
pub fn decode(payload: &[u8]) -> Option<(WallTime, Event)> {
    let (head, rest) = payload.split_first_chunk()?;
    let (cbor, pad) = rest.split_at_checked(u32::from_le_bytes(*head) as usize)?;
    let Read { v, at, event } = cbor4ii::serde::from_slice(cbor).ok()?;
    (v == SCHEMA && pad.iter().all(|byte| *byte == 0)).then_some((at, event))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;
    use lychgate_core::evidence::{Executable, FileId, Namespaces, ProcessFacts, ProcessInode, Seen, Subject};
    use lychgate_core::ids::{Digest, RunId};
    use lychgate_core::outcome::EndReason;

    fn subject() -> Subject {
        let executable = Executable {
            file: FileId { dev: 1, ino: 2 },
            size: 3,
            mtime_ns: 1_700_000_000_123_456_789,
            ctime_ns: -1,
            sha256: Digest([4; 32]),
            path: "/usr/bin/agent".to_owned(),
            path_now: lychgate_core::evidence::PathNow::Same,
        };
        let process = ProcessFacts {
            pid: 1,
            start_ticks: 2,
            inode: ProcessInode(3),
            uid: 4,
            parent: 5,
            session: 6,
            start_stack: Seen::Seen(9),
            namespaces: Seen::Seen(Namespaces { user: 7, pid: 8 }),
            executable: Seen::Seen(executable),
            provenance: lychgate_core::provenance::Provenance::Unsigned(
                lychgate_core::provenance::Unsigned::NotPackaged,
            ),
            script: None,
            claimed_command: "agent --resume".to_owned(),
            directory: None,
        };
        Subject::observed(vec![process], "kernel".to_owned()).unwrap()
    }

    fn events() -> Vec<Event> {
        vec![
            Event::VaultLocked { epoch: 4, cause: "idle".to_owned() },
            Event::RunStarted {
                run: RunId(1),
                subject: subject(),
                descent: None,
                conversation: Some("c-1".to_owned()),
            },
            Event::RunEnded { run: RunId(1), reason: EndReason::ProcessExited, differences: vec![] },
            Event::Journal { note: "x".repeat(5000) },
        ]
    }

    #[test]
    fn events_come_back_as_they_were() {
        for event in events() {
            let payload = encode(WallTime(1_700_000_000_000), &event).unwrap();
            assert!(is_padded_len(payload.len()));
            assert_eq!(decode(&payload), Some((WallTime(1_700_000_000_000), event)));
        }
    }

    #[test]
    fn equal_events_have_equal_bytes() {
        for event in events() {
            assert_eq!(*encode(WallTime(5), &event).unwrap(), *encode(WallTime(5), &event).unwrap());
        }
    }

    #[test]
    fn lengths_within_a_bucket_can_not_be_told_apart() {
        let of = |text: &str| encode(WallTime(5), &Event::Journal { note: text.to_owned() }).unwrap().len();
        assert_eq!(of("a"), of("abcdef"));
        assert_eq!(of(&"a".repeat(300)), 512);
    }

    #[test]
    fn an_event_over_the_largest_bucket_is_refused() {
        let event = Event::Journal { note: "x".repeat(LARGEST) };
        assert_eq!(encode(WallTime(5), &event), Err(PayloadError::TooLarge));
    }

    #[test]
    fn a_pad_that_is_not_zero_is_no_payload() {
        let mut payload = encode(WallTime(5), &events()[0]).unwrap();
        let last = payload.len() - 1;
        payload[last] = 1;
        assert_eq!(decode(&payload), None);
    }
}
