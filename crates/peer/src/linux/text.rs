//! Parsing what the kernel says in `/proc`. Pure.

use crate::world::Standing;
use std::path::Path;

/// The fields of `/proc/PID/stat` that are used (`proc_pid_stat(5)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) parent: u32,
    pub(crate) session: u32,
    pub(crate) start_ticks: u64,
    /// 0 where the kernel does not tell us.
    pub(crate) start_stack: u64,
}

/// Parses `/proc/PID/stat`. The name in it is the process's own choice and may hold spaces, digits and parentheses:
/// what counts stands behind the last closing one.
pub(crate) fn stat(text: &[u8]) -> Option<Stat> {
    let close = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
    // Field 3 is the first one here.
    let mut fields = rest.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    // A kernel session outside our namespace reads 0; numbers are never negative here.
    let session = fields.nth(1)?.parse().ok()?;
    let start_ticks = fields.nth(15)?.parse().ok()?;
    let start_stack = fields.nth(5)?.parse().ok()?;
    Some(Stat { parent, session, start_ticks, start_stack })
}

/// Parses `/proc/PID/status`. The name in its first line is escaped by the kernel, so lines are lines.
pub(crate) fn status(text: &[u8]) -> Option<Standing> {
    let text = String::from_utf8_lossy(text);
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::split_ascii_whitespace))
    };
    let mut uids = [0; 4];
    let mut told = field("Uid")?;
    for uid in &mut uids {
        *uid = told.next()?.parse().ok()?;
    }
    let tracer = field("TracerPid")?.next()?.parse().ok()?;
    let nested = field("NSpid")?.count() != 1;
    Some(Standing { uids, tracer, nested })
}

/// The number in `user:[4026531837]` (`namespaces(7)`).
pub(crate) fn namespace(link: &[u8]) -> Option<u64> {
    let (_, number) = std::str::from_utf8(link).ok()?.strip_suffix(']')?.split_once(":[")?;
    number.parse().ok()
}

/// One executable mapping of `/proc/PID/maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping<'a> {
    /// Inode number; 0 where no file is behind it.
    pub(crate) inode: u64,
    /// File path or kernel name; empty for anonymous memory.
    pub(crate) name: &'a [u8],
}

/// The executable mappings in `text`; `None` where a line is not understood.
pub(crate) fn executable_mappings(text: &[u8]) -> Option<Vec<Mapping<'_>>> {
    let mut found = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let (mapping, executable) = mapping(line)?;
        if executable {
            found.push(mapping);
        }
    }
    Some(found)
}

/// `start-end perms offset major:minor inode   name`, the name to the end of the line, spaces and all.
fn mapping(line: &[u8]) -> Option<(Mapping<'_>, bool)> {
    let mut rest = line;
    let mut field = || {
        let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
        let (field, after) = rest.split_at_checked(end)?;
        rest = after.strip_prefix(b" ").unwrap_or(after);
        (!field.is_empty()).then_some(field)
    };
    let _range = field()?;
    let permissions = field()?;
    let _offset = field()?;
    let _device = field()?;
    let inode = std::str::from_utf8(field()?).ok()?.parse().ok()?;
    let name = rest.trim_ascii_start();
    Some((Mapping { inode, name }, *permissions.get(2)? == b'x'))
}

/// The arguments in `/proc/PID/cmdline`. A program may have written anything there.
pub(crate) fn arguments(cmdline: &[u8]) -> Vec<String> {
    let end = cmdline.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    cmdline
        .get(..end)
        .unwrap_or_default()
        .split(|byte| *byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect()
}

/// The last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const TAIL: &str = "S 41 42 43 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 88 99 1844 1 2 140725 0 0 0 0 0";

    #[test]
    fn a_name_with_parentheses_does_not_move_the_fields() {
        let expected = Stat { parent: 41, session: 43, start_ticks: 777, start_stack: 140_725 };
        for name in ["sh", "a b", ") S 1 1 1 (", "((", "99 (x) R 7"] {
            assert_eq!(stat(format!("9 ({name}) {TAIL}\n").as_bytes()), Some(expected), "{name}");
        }
        assert_eq!(stat(b"9 (\xff\xfe) S 1"), None);
        assert_eq!(stat(b""), None);
    }

    #[test]
    fn a_status_without_a_needed_field_is_not_understood() {
        let whole = "Name:\tsh\nUid:\t1000\t1000\t1000\t1000\nTracerPid:\t0\nNSpid:\t7\n";
        assert_eq!(status(whole.as_bytes()), Some(Standing { uids: [1000; 4], tracer: 0, nested: false }));
        for missing in ["Uid", "TracerPid", "NSpid"] {
            assert_eq!(status(whole.replace(missing, "Other").as_bytes()), None, "{missing}");
        }
        assert!(status(whole.replace("\t7\n", "\t7\t1\n").as_bytes()).unwrap().nested);
    }

    #[test]
    fn the_number_of_a_namespace_is_read_from_its_link_or_not_at_all() {
        assert_eq!(namespace(b"user:[4026531837]"), Some(4_026_531_837));
        for strange in ["", "user:[]", "user:[12", "user:12", "/proc/1/ns"] {
            assert_eq!(namespace(strange.as_bytes()), None, "{strange}");
        }
    }

    #[test]
    fn executable_mappings_are_found_with_their_whole_name() {
        let text = b"1-2 r--p 00000000 08:01 5      /lib/a.so\n\
            2-3 r-xp 00000000 08:01 5      /lib/with  two spaces.so\n\
            3-4 rwxp 00000000 00:00 0 \n\
            4-5 r-xp 00000000 00:00 0      [vdso]\n";
        let found = executable_mappings(text).unwrap();
        let names: Vec<_> = found.iter().map(|mapping| mapping.name).collect();
        assert_eq!(names, [b"/lib/with  two spaces.so".as_slice(), b"", b"[vdso]"]);
        assert_eq!(executable_mappings(b"1-2 r-xp 0\n"), None);
    }

    #[test]
    fn arguments_that_were_overwritten_lose_only_their_padding() {
        assert_eq!(arguments(b"npm exec thing\0\0\0\0"), ["npm exec thing"]);
        assert_eq!(arguments(b"a\0\0b\0"), ["a", "", "b"]);
        assert_eq!(arguments(b""), [""]);
    }
}
