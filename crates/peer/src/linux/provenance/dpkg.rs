//! Debian's package database: which package installed a file, and the digest that the file had then.
//!
//! `dpkg(1)` keeps for each package a list of paths with MD5 digests (`/var/lib/dpkg/info/*.md5sums`), what is installed
//! in `status`, and which files stand elsewhere than their package says in `diversions`. MD5 is broken against whoever
//! can choose both files; here one of them is Debian's, so a forger needs a second preimage. The card says whose word it
//! is and no more.

use crate::linux::hash::Version;
use crate::linux::held::file_id;
use lychgate_core::evidence::Executable;
use lychgate_core::provenance::{Package, Provenance, Unsigned};
use md5::{Digest as _, Md5};
use memchr::memmem;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A database, and who alone may have written it.
pub(crate) struct Dpkg<'a> {
    /// `/var/lib/dpkg`.
    directory: &'a str,
    owner: u32,
}

impl Dpkg<'static> {
    /// The machine's own.
    pub(crate) const SYSTEM: Self = Self { directory: "/var/lib/dpkg", owner: 0 };
}

impl Dpkg<'_> {
    /// What the database says of the image that is open as `image`.
    ///
    /// Reads all its lists, some ten megabytes, and the image once, where this was not asked before.
    pub(crate) fn provenance(&self, executable: &Executable, image: BorrowedFd<'_>) -> Provenance {
        let Some(state) = self.state() else { return Provenance::Unsigned(Unsigned::NoDatabase) };
        let Some(version) = fstat(image).ok().as_ref().and_then(Version::of) else {
            return Provenance::Unsigned(Unsigned::Unseen);
        };
        let key = Key { state, version, path: executable.path.clone() };
        if let Some(known) = remembered(&key) {
            return known;
        }
        let found = self.look_up(executable, image);
        remember(key, found.clone());
        found
    }

    fn look_up(&self, executable: &Executable, image: BorrowedFd<'_>) -> Provenance {
        // The path is text; only where it leads to this very file does the database speak of it.
        let there = statat(CWD, executable.path.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        if !there.is_ok_and(|stat| file_id(&stat) == executable.file) {
            return Provenance::Unsigned(Unsigned::NotPackaged);
        }
        self.ask(&executable.path, image).unwrap_or(Provenance::Unsigned(Unsigned::NoDatabase))
    }

    /// `None` where the database can't be read or is not `owner`'s alone.
    fn ask(&self, path: &str, image: BorrowedFd<'_>) -> Option<Provenance> {
        let owners = self.owners(path)?;
        if owners.is_empty() {
            return Some(Provenance::Unsigned(Unsigned::NotPackaged));
        }
        let installed = self.read("status")?;
        let installed: Vec<(Package, String)> = owners
            .into_iter()
            .filter_map(|(name, digest)| {
                Some((Package { version: installed_version(&installed, &name)?, name }, digest))
            })
            .collect();
        let digest = md5_of(image)?;
        let matching = installed.iter().find(|(_, theirs)| *theirs == digest);
        Some(match (matching, installed.first()) {
            (Some((package, _)), _) => Provenance::Package(package.clone()),
            (None, Some((package, _))) => Provenance::Differs(package.clone()),
            (None, None) => Provenance::Unsigned(Unsigned::NotPackaged),
        })
    }

    /// The packages whose list names `path`, with the digest in it (lower-case hexadecimal).
    fn owners(&self, path: &str) -> Option<Vec<(String, String)>> {
        let diversions = self.read("diversions")?;
        let wanted: Vec<Wanted> = names(path).into_iter().filter_map(|name| wanted(&diversions, name)).collect();
        let info = self.directory().join("info");
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&info).ok()? {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let Some(package) = name.strip_suffix(".md5sums") else { continue };
            let plain = package.split(':').next().unwrap_or(package);
            let list = self.read(&format!("info/{name}"))?;
            let lines = wanted.iter().filter(|wanted| wanted.may_be_of(plain));
            found.extend(
                lines.filter_map(|wanted| digest_in(&list, &wanted.path)).map(|digest| (package.to_owned(), digest)),
            );
        }
        Some(found)
    }

    fn directory(&self) -> PathBuf {
        PathBuf::from(self.directory)
    }

    /// A file of the database that only its owner can have written.
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(CWD, self.directory().join(name), flags, Mode::empty()) {
            Ok(file) => file,
            // Without a diversion there need be no file of them.
            Err(Errno::NOENT) if name == "diversions" => return Some(Vec::new()),
            Err(_) => return None,
        };
        let stat = fstat(&file).ok()?;
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !regular || !self.owned(&stat) || stat.st_size > LIST_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        std::fs::File::from(file).take(LIST_BYTES.unsigned_abs()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn owned(&self, stat: &rustix::fs::Stat) -> bool {
        stat.st_uid == self.owner && stat.st_mode & 0o022 == 0
    }

    /// What changes when a package is installed, changed or removed. `None` where the directories are not the owner's
    /// alone.
    fn state(&self) -> Option<State> {
        let info = self.stat("info").filter(|stat| self.owned(stat))?;
        let _directory = self.stat("").filter(|stat| self.owned(stat))?;
        let status = self.stat("status")?;
        let of = |stat: &rustix::fs::Stat| (stat.st_ino, stat.st_mtime, stat.st_mtime_nsec.into());
        Some([of(&info), of(&status)])
    }

    fn stat(&self, name: &str) -> Option<rustix::fs::Stat> {
        statat(CWD, self.directory().join(name), AtFlags::SYMLINK_NOFOLLOW).ok()
    }
}

/// A list or a status file larger than this is not understood, in bytes.
const LIST_BYTES: i64 = 64 * 1024 * 1024;

/// A path to look for in the lists, and which packages may have it.
struct Wanted {
    /// Without the slash before it, as the lists have it.
    path: String,
    of: Of,
}

enum Of {
    Anyone,
    Only(String),
    AnyoneBut(String),
}

impl Wanted {
    fn may_be_of(&self, package: &str) -> bool {
        match &self.of {
            Of::Anyone => true,
            Of::Only(one) => one == package,
            Of::AnyoneBut(one) => one != package,
        }
    }
}

/// The names that a file may have in the lists: `/bin` and its like are links into `/usr`, and packages list either.
fn names(path: &str) -> Vec<String> {
    let Some(path) = path.strip_prefix('/') else { return Vec::new() };
    let merged = |path: &str| {
        let top = path.split('/').next().unwrap_or_default();
        top == "bin" || top == "sbin" || top.starts_with("lib")
    };
    let mut names = vec![path.to_owned()];
    match path.strip_prefix("usr/") {
        Some(short) if merged(short) => names.push(short.to_owned()),
        None if merged(path) => names.push(format!("usr/{path}")),
        _ => {}
    }
    names
}

/// What to look for so that the file at `path` is found; `None` where the administrator put one of no package there.
///
/// `diversions` is of three lines each: the path, where the file of every package but one stands instead, and that
/// package, or `:` for the administrator (`dpkg-divert(1)`).
fn wanted(diversions: &[u8], path: String) -> Option<Wanted> {
    let text = String::from_utf8_lossy(diversions);
    let mut lines = text.lines();
    while let (Some(from), Some(to), Some(by)) = (lines.next(), lines.next(), lines.next()) {
        let by_administrator = by == ":";
        if from.strip_prefix('/') == Some(&path) {
            return (!by_administrator).then(|| Wanted { path, of: Of::Only(by.to_owned()) });
        }
        if to.strip_prefix('/') == Some(&path) {
            let of = if by_administrator { Of::Anyone } else { Of::AnyoneBut(by.to_owned()) };
            return Some(Wanted { path: from.strip_prefix('/')?.to_owned(), of });
        }
    }
    Some(Wanted { path, of: Of::Anyone })
}

/// The digest before `path` in a list of lines `digest`, two spaces, path.
fn digest_in(list: &[u8], path: &str) -> Option<String> {
    let line_end = format!("  {path}\n");
    memmem::find_iter(list, line_end.as_bytes()).find_map(|at| {
        let start = at.checked_sub(32)?;
        let begins_line = start == 0 || list.get(start - 1) == Some(&b'\n');
        let digest = std::str::from_utf8(list.get(start..at)?).ok()?;
        let hexadecimal = digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (begins_line && hexadecimal).then(|| digest.to_owned())
    })
}

/// The version of an installed package; `name` may end with `:architecture`.
fn installed_version(status: &[u8], name: &str) -> Option<String> {
    let (plain, architecture) = name.split_once(':').map_or((name, None), |(plain, of)| (plain, Some(of)));
    let text = String::from_utf8_lossy(status);
    text.split("\n\n").find_map(|paragraph| {
        let field = |name: &str| {
            let mut lines = paragraph.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::trim_end))
        };
        let this = field("Package") == Some(plain) && architecture.is_none_or(|of| field("Architecture") == Some(of));
        let state = field("Status").filter(|_| this)?.split(' ').next_back()?;
        let installed = matches!(state, "installed" | "triggers-awaited" | "triggers-pending");
        installed.then(|| field("Version").map(str::to_owned)).flatten()
    })
}

fn md5_of(image: BorrowedFd<'_>) -> Option<String> {
    let mut hash = Md5::new();
    let mut piece = vec![0; 256 * 1024];
    let mut offset = 0;
    loop {
        match rustix::io::pread(image.as_fd(), piece.as_mut_slice(), offset) {
            Ok(0) => return Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            Ok(length) => {
                hash.update(piece.get(..length)?);
                offset += length as u64;
            }
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

type State = [(u64, i64, i128); 2];

#[derive(PartialEq, Eq)]
struct Key {
    state: State,
    version: Version,
    path: String,
}

/// Answers remembered at once. A machine runs a few dozen programs that ask.
const REMEMBERED: usize = 256;

static CACHE: Mutex<VecDeque<(Key, Provenance)>> = Mutex::new(VecDeque::new());

fn remembered(key: &Key) -> Option<Provenance> {
    let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.iter().find(|(known, _)| known == key).map(|(_, found)| found.clone())
}

fn remember(key: Key, found: Provenance) {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= REMEMBERED {
        cache.pop_front();
    }
    cache.push_back((key, found));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use tempfile::TempDir;

    /// A database with one program file beside it.
    struct Stage {
        dir: TempDir,
    }

    const CONTENT: &[u8] = b"abc";
    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    impl Stage {
        fn new() -> Self {
            let stage = Self { dir: tempfile::tempdir().unwrap() };
            fs::create_dir_all(stage.path("dpkg/info")).unwrap();
            for directory in ["dpkg", "dpkg/info"] {
                fs::set_permissions(stage.path(directory), Permissions::from_mode(0o755)).unwrap();
            }
            stage.write("dpkg/status", &paragraph("tool", "install ok installed"));
            stage.write("dpkg/info/other.md5sums", "00000000000000000000000000000000  usr/bin/other\n");
            stage
        }

        fn path(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.path(name), text).unwrap();
            fs::set_permissions(self.path(name), Permissions::from_mode(0o644)).unwrap();
        }

        fn ask_as(&self, owner: u32, path: &str) -> Option<Provenance> {
            let image = self.path("image");
            fs::write(&image, CONTENT).unwrap();
            let directory = self.path("dpkg");
            let database = Dpkg { directory: directory.to_str().unwrap(), owner };
            database.state()?;
            database.ask(path, File::open(image).unwrap().as_fd())
        }

        fn ask(&self, path: &str) -> Option<Provenance> {
            self.ask_as(rustix::process::getuid().as_raw(), path)
        }
    }

    fn paragraph(name: &str, status: &str) -> String {
        format!("Package: {name}\nStatus: {status}\nArchitecture: amd64\nVersion: 1.2-3\n\n")
    }

    fn package(name: &str) -> Package {
        Package { name: name.to_owned(), version: "1.2-3".to_owned() }
    }

    const NONE: Provenance = Provenance::Unsigned(Unsigned::NotPackaged);

    #[test]
    fn a_file_of_a_package_with_its_digest_is_the_packages() {
        let stage = Stage::new();
        stage.write("dpkg/info/tool.md5sums", &format!("{MD5}  usr/bin/tool\n"));
        assert_eq!(stage.ask("/usr/bin/tool"), Some(Provenance::Package(package("tool"))));
        assert_eq!(stage.ask("/usr/bin/too"), Some(NONE));
        assert_eq!(stage.ask("/bin/usr/bin/tool"), Some(NONE));
        assert_eq!(stage.ask("usr/bin/tool"), Some(NONE));
    }

    #[test]
    fn a_file_that_is_not_what_was_installed_is_told_from_one_of_no_package() {
        let stage = Stage::new();
        stage.write("dpkg/info/tool.md5sums", "000150983cd24fb0d6963f7d28e17f72  usr/bin/tool\n");
        assert_eq!(stage.ask("/usr/bin/tool"), Some(Provenance::Differs(package("tool"))));
    }

    #[test]
    fn packages_list_either_name_of_a_merged_directory() {
        for listed in ["bin/tool", "usr/bin/tool"] {
            let stage = Stage::new();
            stage.write("dpkg/info/tool.md5sums", &format!("{MD5}  {listed}\n"));
            for asked in ["/usr/bin/tool", "/bin/tool"] {
                assert_eq!(stage.ask(asked), Some(Provenance::Package(package("tool"))), "{listed} {asked}");
            }
            assert_eq!(stage.ask("/opt/bin/tool"), Some(NONE));
        }
    }

    #[test]
    fn a_package_of_another_architecture_or_that_was_removed_vouches_for_nothing() {
        let stage = Stage::new();
        stage.write("dpkg/info/tool:amd64.md5sums", &format!("{MD5}  usr/bin/tool\n"));
        assert_eq!(stage.ask("/usr/bin/tool"), Some(Provenance::Package(package("tool:amd64"))));
        fs::rename(stage.path("dpkg/info/tool:amd64.md5sums"), stage.path("dpkg/info/tool:arm64.md5sums")).unwrap();
        assert_eq!(stage.ask("/usr/bin/tool"), Some(NONE));
        fs::rename(stage.path("dpkg/info/tool:arm64.md5sums"), stage.path("dpkg/info/tool.md5sums")).unwrap();
        for state in ["deinstall ok config-files", "install ok unpacked", "install ok half-installed"] {
            stage.write("dpkg/status", &paragraph("tool", state));
            assert_eq!(stage.ask("/usr/bin/tool"), Some(NONE), "{state}");
        }
        stage.write("dpkg/status", &paragraph("tool", "install ok triggers-pending"));
        assert_eq!(stage.ask("/usr/bin/tool"), Some(Provenance::Package(package("tool"))));
    }

    #[test]
    fn a_diverted_file_is_of_whom_the_diversion_says() {
        let stage = Stage::new();
        let all = [paragraph("tool", "install ok installed"), paragraph("wrap", "install ok installed")].concat();
        stage.write("dpkg/status", &all);
        stage.write("dpkg/info/tool.md5sums", &format!("{MD5}  usr/bin/tool\n"));
        stage.write("dpkg/diversions", "/usr/bin/tool\n/usr/bin/tool.real\nwrap\n");
        assert_eq!(stage.ask("/usr/bin/tool"), Some(NONE), "that place is wrap's, which lists no such file");
        assert_eq!(stage.ask("/usr/bin/tool.real"), Some(Provenance::Package(package("tool"))));
        stage.write("dpkg/info/wrap.md5sums", &format!("{MD5}  usr/bin/tool\n"));
        assert_eq!(stage.ask("/usr/bin/tool"), Some(Provenance::Package(package("wrap"))));
        stage.write("dpkg/diversions", "/usr/bin/tool\n/usr/bin/tool.real\n:\n");
        assert_eq!(stage.ask("/usr/bin/tool"), Some(NONE), "the administrator's own file is of no package");
    }

    #[test]
    fn a_line_counts_only_whole() {
        let stage = Stage::new();
        for list in [
            format!("{MD5}  usr/bin/tool.old\n"),
            format!("{MD5}  opt/usr/bin/tool\n"),
            format!("{MD5} usr/bin/tool\n"),
            format!("x{MD5}  usr/bin/tool\n"),
            format!("{}  usr/bin/tool\n", MD5.to_uppercase()),
            format!("{MD5}  usr/bin/tool"),
        ] {
            stage.write("dpkg/info/tool.md5sums", &list);
            assert_eq!(stage.ask("/usr/bin/tool"), Some(NONE), "{list}");
        }
    }

    #[test]
    fn a_database_that_others_can_write_says_nothing() {
        let ours = rustix::process::getuid().as_raw();
        for loose in ["dpkg", "dpkg/info", "dpkg/status", "dpkg/info/tool.md5sums", "dpkg/info/other.md5sums"] {
            let stage = Stage::new();
            stage.write("dpkg/info/tool.md5sums", &format!("{MD5}  usr/bin/tool\n"));
            assert!(stage.ask("/usr/bin/tool").is_some());
            assert_eq!(stage.ask_as(ours + 1, "/usr/bin/tool"), None, "another owner than expected");
            let mode = fs::metadata(stage.path(loose)).unwrap().permissions().mode();
            for bit in [0o020, 0o002] {
                fs::set_permissions(stage.path(loose), Permissions::from_mode(mode | bit)).unwrap();
                assert_eq!(stage.ask("/usr/bin/tool"), None, "{loose} {bit:o}");
            }
        }
    }

    #[test]
    fn a_link_or_a_pipe_in_the_place_of_a_list_says_nothing() {
        let stage = Stage::new();
        stage.write("elsewhere", &format!("{MD5}  usr/bin/tool\n"));
        std::os::unix::fs::symlink(stage.path("elsewhere"), stage.path("dpkg/info/tool.md5sums")).unwrap();
        assert_eq!(stage.ask("/usr/bin/tool"), None);
        fs::remove_file(stage.path("dpkg/info/tool.md5sums")).unwrap();
        let mode = Mode::from_raw_mode(0o644);
        rustix::fs::mknodat(CWD, stage.path("dpkg/info/tool.md5sums"), FileType::Fifo, mode, 0).unwrap();
        assert_eq!(stage.ask("/usr/bin/tool"), None);
    }

    #[test]
    fn the_machines_own_database_knows_its_own_programs() {
        // Every Debian has these two; their files are what was installed.
        for path in ["/usr/bin/dpkg", "/usr/bin/env"] {
            let file = File::open(path).unwrap();
            let stat = fstat(&file).unwrap();
            let version = Version::of(&stat).unwrap();
            let executable = Executable {
                file: file_id(&stat),
                size: version.size,
                mtime_ns: version.mtime_ns,
                ctime_ns: version.ctime_ns,
                sha256: lychgate_core::ids::Digest([0; 32]),
                path: fs::canonicalize(path).unwrap().to_str().unwrap().to_owned(),
                path_now: lychgate_core::evidence::PathNow::Same,
            };
            let found = Dpkg::SYSTEM.provenance(&executable, file.as_fd());
            assert!(matches!(found, Provenance::Package(_)), "{path}: {found:?}");
            let elsewhere = Executable { path: "/usr/bin/dpkg-query".to_owned(), ..executable };
            assert_eq!(Dpkg::SYSTEM.provenance(&elsewhere, file.as_fd()), NONE, "the path leads to another file");
        }
    }
}
