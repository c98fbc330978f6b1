//! Who vouches for a program, as far as the gateway could find out itself: what a card shows where another system has
//! a signer. A label for the person, never a barrier: programs of one user can change each other.

use crate::card::visible;
use crate::ids::Digest;
use serde::{Deserialize, Serialize};

/// What the system itself knows of a program file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The package database names this very file, and the digest that it has for it is the image's.
    Package(Package),
    /// The package database names this file, and the image is not what it was when it was installed.
    Differs(Package),
    /// Nobody vouches for it.
    Unsigned(Unsigned),
}

/// An installed package.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Package {
    /// Name, with the architecture where the database tells them apart.
    pub name: String,
    /// Version.
    pub version: String,
}

/// Why nobody vouches for a program, whatever a database says of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsigned {
    /// No installed package holds this file.
    NotPackaged,
    /// The package database could not be read, is not root's alone, or is not understood.
    NoDatabase,
    /// The program could not be seen.
    Unseen,
    /// It loads and runs another file (`ld.so`).
    Loader,
    /// It runs a script: what it does is in a file that is not its own.
    Interpreter,
    /// Many programs in one file; which one it is, it says itself.
    ManyPrograms,
    /// It runs and changes another program.
    Debugger,
    /// It runs a program of another machine.
    Emulator,
    /// The file system it lies on is served by a program or by another machine, which may show each reader another
    /// content.
    ForeignFileSystem,
    /// It runs code from a file that a program of its user can write, or that has no name any more.
    UserCode,
}

impl Unsigned {
    /// As it stands in rows and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotPackaged => "not_packaged",
            Self::NoDatabase => "no_database",
            Self::Unseen => "unseen",
            Self::Loader => "loader",
            Self::Interpreter => "interpreter",
            Self::ManyPrograms => "many_programs",
            Self::Debugger => "debugger",
            Self::Emulator => "emulator",
            Self::ForeignFileSystem => "foreign_file_system",
            Self::UserCode => "user_code",
        }
    }

    /// Whether an operator's pin of the program's digest changes it: it does where all that is missing is a voucher.
    #[must_use]
    pub fn can_be_pinned(self) -> bool {
        matches!(self, Self::NotPackaged | Self::NoDatabase)
    }
}

/// A script that an interpreter says it runs. Claimed: the command line is the process's own word, and the file may have
/// changed since it was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Script {
    /// As the command line has it.
    pub path: String,
    /// SHA-256 of the file there now; `None` where it is no readable regular file of a bearable size.
    pub sha256: Option<Digest>,
}

/// Who vouches for a program, the operator's own pins included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signer {
    /// The operator pinned this digest under this name.
    Pinned(String),
    /// The package database.
    Package(Package),
    /// The package database, against it.
    Differs(Package),
    /// Nobody.
    Unsigned(Unsigned),
}

impl Signer {
    /// With every text in it made safe to show on one line.
    #[must_use]
    pub fn visible(&self) -> Self {
        let package = |package: &Package| Package { name: visible(&package.name), version: visible(&package.version) };
        match self {
            Self::Pinned(name) => Self::Pinned(visible(name)),
            Self::Package(of) => Self::Package(package(of)),
            Self::Differs(of) => Self::Differs(package(of)),
            Self::Unsigned(why) => Self::Unsigned(*why),
        }
    }

    /// As it stands in rows and in JSON: `pinned:NAME`, `package:NAME=VERSION`, `differs:NAME=VERSION` or
    /// `unsigned:why`.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Pinned(name) => format!("pinned:{name}"),
            Self::Package(package) => format!("package:{}={}", package.name, package.version),
            Self::Differs(package) => format!("differs:{}={}", package.name, package.version),
            Self::Unsigned(why) => format!("unsigned:{}", why.word()),
        }
    }
}

/// The signer to show for an image: the operator's name for its digest, if there is one and if one may count, else
/// what the system knows.
///
/// `pins` are pairs of digest and name from the vault. `sha256` is `None` for an image that was not seen.
#[must_use]
pub fn signer<'a>(
    provenance: &Provenance,
    sha256: Option<Digest>,
    pins: impl IntoIterator<Item = (Digest, &'a str)>,
) -> Signer {
    let may_be_pinned = match provenance {
        Provenance::Package(_) | Provenance::Differs(_) => true,
        Provenance::Unsigned(why) => why.can_be_pinned(),
    };
    let pinned = pins.into_iter().find(|(digest, _)| may_be_pinned && Some(*digest) == sha256);
    match (pinned, provenance) {
        (Some((_, name)), _) => Signer::Pinned(name.to_owned()),
        (None, Provenance::Package(package)) => Signer::Package(package.clone()),
        (None, Provenance::Differs(package)) => Signer::Differs(package.clone()),
        (None, Provenance::Unsigned(why)) => Signer::Unsigned(*why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: Digest = Digest([7; 32]);
    const PINS: [(Digest, &str); 2] = [(Digest([1; 32]), "other"), (DIGEST, "my agent")];

    fn package() -> Package {
        Package { name: "coreutils".to_owned(), version: "9.7-3".to_owned() }
    }

    #[test]
    fn the_operators_own_name_comes_before_the_database() {
        for provenance in [
            Provenance::Unsigned(Unsigned::NotPackaged),
            Provenance::Unsigned(Unsigned::NoDatabase),
            Provenance::Package(package()),
            Provenance::Differs(package()),
        ] {
            assert_eq!(signer(&provenance, Some(DIGEST), PINS), Signer::Pinned("my agent".to_owned()));
        }
    }

    #[test]
    fn a_pin_vouches_for_no_other_digest_and_for_none_that_was_not_seen() {
        let provenance = Provenance::Unsigned(Unsigned::NotPackaged);
        for sha256 in [Some(Digest([8; 32])), None] {
            assert_eq!(signer(&provenance, sha256, PINS), Signer::Unsigned(Unsigned::NotPackaged));
        }
    }

    #[test]
    fn what_runs_something_else_stays_unsigned_whatever_was_pinned() {
        for why in [
            Unsigned::Unseen,
            Unsigned::Loader,
            Unsigned::Interpreter,
            Unsigned::ManyPrograms,
            Unsigned::Debugger,
            Unsigned::Emulator,
            Unsigned::ForeignFileSystem,
            Unsigned::UserCode,
        ] {
            assert_eq!(signer(&Provenance::Unsigned(why), Some(DIGEST), PINS), Signer::Unsigned(why));
        }
    }

    #[test]
    fn without_a_pin_the_database_is_heard() {
        assert_eq!(signer(&Provenance::Package(package()), Some(DIGEST), []), Signer::Package(package()));
        assert_eq!(signer(&Provenance::Differs(package()), Some(DIGEST), []), Signer::Differs(package()));
    }
}
