//! What stands behind the last good COMMIT of the last segment: one batch that was cut off, or more.
//!
//! A batch is written only after the one before it is durable, so at most the *last* batch can be incomplete. Its
//! sectors may persist in any order, its own COMMIT included. A COMMIT of a *later* batch behind the damage shows that
//! the damaged batch had been durable: that is no power loss.

use crate::format::entry::{self, Commit, Entry};
use crate::format::frame::{ALIGN, frame_at, framed_len};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Everything from `offset` on, without the zeroed rest.
///
/// # Errors
/// What reading gave.
pub(crate) fn bytes_behind(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(used);
    Ok(bytes)
}

/// Offset of something behind `offset` that only a later batch than the one which begins there can have written.
/// `committed` is the number of rows before it.
pub(crate) fn later_commit(
    path: &Path,
    offset: u64,
    committed: u64,
    genuine: impl Fn(&Commit) -> bool,
) -> io::Result<Option<u64>> {
    let mut bytes = bytes_behind(path, offset)?;
    // A COMMIT may end with a zero byte of its signature, which looks like the rest of the file.
    bytes.resize(bytes.len() + framed_len(entry::COMMIT_BYTES), 0);
    let mut own_end = None;
    for at in (0..bytes.len()).step_by(ALIGN) {
        let Some(rest) = bytes.get(at..) else { break };
        if let Some(end) = own_end
            && at >= end
            && rest.iter().take(ALIGN).any(|byte| *byte != 0)
        {
            // The batch's own COMMIT is intact, and something was written behind it.
            return Ok(Some(offset + at as u64));
        }
        let Some(commit) = commit_at(rest).filter(&genuine) else { continue };
        if commit.first > committed {
            return Ok(Some(offset + at as u64));
        }
        own_end.get_or_insert(at + framed_len(entry::COMMIT_BYTES));
    }
    Ok(None)
}

fn commit_at(bytes: &[u8]) -> Option<Commit> {
    // Cheap test first: length and kind of a COMMIT.
    let len = bytes.first_chunk().map(|len| u32::from_le_bytes(*len))?;
    if len as usize != entry::COMMIT_BYTES {
        return None;
    }
    match entry::parse(&frame_at(bytes.get(..8 + entry::COMMIT_BYTES)?)?) {
        Ok(Entry::Commit(commit)) => Some(*commit),
        Ok(Entry::Row(_)) | Err(_) => None,
    }
}
