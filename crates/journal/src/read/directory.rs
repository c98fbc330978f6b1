//! Names in a journal directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What never changes about the log.
pub const LOG: &str = "LOG";
/// Secrets of the writer, for its next start.
pub const NEXT_KEY: &str = "next.key";
/// Tails that recovery set aside.
pub const TORN: &str = "torn";

/// Path of the segment whose first row is `first_seq`.
#[must_use]
pub fn segment_path(dir: &Path, first_seq: u64) -> PathBuf {
    dir.join(format!("seg-{first_seq:020}.lgj"))
}

/// A segment's file, as its name tells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentName {
    /// Sequence number of its first row.
    pub first_seq: u64,
    /// Its path.
    pub path: PathBuf,
}

/// All segments, in order. Other names are none: a segment that was not begun has another one.
///
/// # Errors
/// What reading the directory gave.
pub fn segments(dir: &Path) -> io::Result<Vec<SegmentName>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(first_seq) = first_seq(name) {
            found.push(SegmentName { first_seq, path });
        }
    }
    found.sort();
    Ok(found)
}

fn first_seq(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("seg-")?.strip_suffix(".lgj")?;
    let plain = digits.len() == 20 && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_exactly() {
        assert_eq!(first_seq("seg-00000000000000000012.lgj"), Some(12));
        for other in ["seg-12.lgj", "seg-00000000000000000012.lgj.new", "seg-+0000000000000000012.lgj", "LOG"] {
            assert_eq!(first_seq(other), None, "{other}");
        }
    }
}
