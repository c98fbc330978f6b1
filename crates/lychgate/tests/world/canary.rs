//! Looking for a secret where it must not be.

use super::World;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A secret in the forms in which it could have been copied.
pub struct Canary(Vec<Vec<u8>>);

impl Canary {
    pub fn of(secret: &str) -> Self {
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD_NO_PAD;
        // Base64 at each of the three alignments, without the characters that depend on what stands around it.
        let mut forms = vec![secret.as_bytes().to_vec(), hex::encode(secret).into_bytes()];
        for lead in 0..3 {
            let shifted = STANDARD_NO_PAD.encode([&b"..."[..lead], secret.as_bytes()].concat());
            let whole = &shifted.as_bytes()[4.min(lead * 4)..shifted.len() - 4];
            forms.push(whole.to_vec());
        }
        assert!(forms.iter().all(|form| form.len() >= 8), "a short text stands in places by chance");
        Self(forms)
    }

    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.iter().any(|form| memchr::memmem::find(bytes, form).is_some())
    }

    #[track_caller]
    pub fn not_in_text(&self, what: &str, text: &str) {
        assert!(!self.is_in(text.as_bytes()), "the secret is in {what}");
    }

    /// Every file below `dir`, by name and content.
    #[track_caller]
    pub fn not_below(&self, dir: &Path) -> usize {
        let mut files = 0;
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            assert!(!self.is_in(path.as_os_str().as_encoded_bytes()), "the secret is in the name {}", path.display());
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_dir() {
                files += self.not_below(&path);
            } else if kind.is_file() {
                assert!(!self.is_in(&std::fs::read(&path).unwrap()), "the secret is in {}", path.display());
                files += 1;
            }
        }
        files
    }

    /// Command line, environment and memory of a process.
    #[track_caller]
    pub fn not_in_process(&self, what: &str, pid: u32) {
        for file in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap();
            assert!(!self.is_in(&bytes), "the secret is in the {file} of {what}");
        }
        let read = self.search_memory(pid, |at| panic!("the secret is in the memory of {what} at {at:#x}"));
        assert!(read > 64 * 1024, "almost nothing of {what} could be read");
    }

    /// True where a process holds the secret in its memory. For the proof that the search can find something.
    pub fn is_in_process(&self, pid: u32) -> bool {
        let mut found = false;
        self.search_memory(pid, |_| found = true);
        found
    }

    /// The secret is in no memory of a process that could reach the swap space.
    #[track_caller]
    pub fn only_in_locked_memory(&self, pid: u32) {
        let smaps = std::fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap();
        let mut flags = std::collections::BTreeMap::new();
        let mut start = 0;
        for line in smaps.lines() {
            let range = line.split_once('-').and_then(|(from, _)| u64::from_str_radix(from, 16).ok());
            if let Some(from) = range {
                start = from;
            } else if let Some(of) = line.strip_prefix("VmFlags:") {
                flags.insert(start, of.to_owned());
            }
        }
        let is_locked = |at: u64| flags.get(&at).is_some_and(|of| of.split_whitespace().any(|flag| flag == "lo"));
        self.search_memory(pid, |at| assert!(is_locked(at), "the secret is in memory that is not locked, at {at:#x}"));
    }

    /// Reads all memory that can be written; gives the number of bytes.
    fn search_memory(&self, pid: u32, mut found: impl FnMut(u64)) -> usize {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
        let mut read = 0;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
            if !rights.starts_with("rw") {
                continue;
            }
            let (from, to) = range.split_once('-').unwrap();
            let (from, to) = (u64::from_str_radix(from, 16).unwrap(), u64::from_str_radix(to, 16).unwrap());
            let mut bytes = vec![0; usize::try_from(to - from).unwrap().min(256 * 1024 * 1024)];
            // A mapping may go away, and some can't be read.
            let Ok(got) = memory.read_at(&mut bytes, from) else { continue };
            read += got;
            if self.is_in(&bytes[..got]) {
                found(from);
            }
        }
        read
    }
}

impl World {
    /// A secret must be in no file of the gateway, in nothing that it said and in no view of the journal.
    #[track_caller]
    pub fn keeps_secret(&self, secret: &Canary) {
        assert!(secret.not_below(&self.state) > 5, "there are no files to look at");
        secret.not_in_text("what the gateway wrote", &self.gateway_said());
        secret.not_in_text("the activity", &self.activity());
        secret.not_in_text("the sessions", &self.sessions());
    }
}
