//! A user's home directory, from the password database.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Entries longer than this are not believed, in bytes.
const MOST_BYTES: usize = 1024 * 1024;

/// Home directory of `uid` by `getpwuid_r(3)`: whatever the system's name service says (files, LDAP, systemd).
///
/// Never from `$HOME`, which a program that starts us can set. `None` where the user is unknown, the entry is not an
/// absolute path, or the lookup fails.
#[must_use]
pub fn home_dir(uid: u32) -> Option<PathBuf> {
    let mut buffer: Vec<libc::c_char> = vec![0; 1024];
    loop {
        // SAFETY: all-zero bytes are a valid `passwd` (null pointers and zero ids).
        let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
        let mut found: *mut libc::passwd = std::ptr::null_mut();
        // SAFETY: `entry`, `buffer` and `found` are ours, valid for writes, and outlive the call; the length is the
        // buffer's own.
        let error = unsafe { libc::getpwuid_r(uid, &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found) };
        match error {
            0 if found.is_null() || entry.pw_dir.is_null() => return None,
            0 => {
                // SAFETY: after success `pw_dir` points to a NUL-terminated text inside `buffer`, which lives on.
                let text = unsafe { CStr::from_ptr(entry.pw_dir) };
                let path = PathBuf::from(OsStr::from_bytes(text.to_bytes()));
                return path.is_absolute().then_some(path);
            }
            libc::ERANGE if buffer.len() < MOST_BYTES => buffer.resize(buffer.len() * 4, 0),
            libc::EINTR => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::home_dir;
    use std::path::Path;

    #[test]
    fn the_home_of_root_is_known_and_that_of_nobody_at_all_is_not() {
        assert_eq!(home_dir(0).as_deref(), Some(Path::new("/root")));
        assert_eq!(home_dir(4_000_000_000), None);
    }
}
