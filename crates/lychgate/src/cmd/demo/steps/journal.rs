//! The journal: what it tells to whoever has the passphrase, what it proves to whoever has the public key.

use crate::cmd::demo::stage::{Stage, line_of};
use crate::cmd::demo::visible_lines;
use crate::output;
use crate::trouble::Trouble;
use lychgate_journal::read::directory::segments;
use lychgate_text::{Attempt, Demo, DemoCheck};
use lychgate_vault::Files;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The journal's directory below a state directory.
fn audit(stage: &Stage<'_>) -> PathBuf {
    Files::in_dir(&stage.place.state()).audit()
}

pub(super) async fn journal(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    let passphrase = line_of(&stage.secrets.passphrase);
    stage.command("sessions", &["sessions", "--factor-stdin"], &passphrase).await?;
    stage.person.pause().await;
    stage.command("activity", &["activity", "--factor-stdin"], &passphrase).await?;
    stage.person.pause().await;

    let accepted = verify(stage, None).await?;
    stage.check(accepted, DemoCheck::JournalAccepted)?;
    stage.person.pause().await;
    let copy = stage.place.changed_copy();
    let (file, offset) = changed_copy(&audit(stage), &copy)
        .map_err(|error| Trouble::system(stage.say, Attempt::ChangingCopy, &error))?;
    stage.tell(&Demo::Flipped { file: &file, offset });
    let rejected = !verify(stage, Some(&copy)).await?;
    stage.check(rejected, DemoCheck::CopyRejected)?;

    let searched = search(&stage.place.state(), stage.secrets.bearer.as_bytes())
        .map_err(|error| Trouble::system(stage.say, Attempt::SearchingFiles, &error))?;
    stage.check(!searched.found, DemoCheck::FilesHideIt { files: searched.files })
}

/// `lych audit verify`, told with its verdict. A status that is no verdict ends the demo.
async fn verify(stage: &Stage<'_>, dir: Option<&Path>) -> Result<bool, Trouble> {
    let dir = dir.map(|dir| dir.display().to_string());
    let mut args = vec!["audit", "verify"];
    args.extend(dir.as_deref());
    args.extend(["--key", &stage.public_key]);
    stage.tell(&Demo::PersonRuns { command: &format!("lych {}", args.join(" ")) });
    let ran = stage.lych.run(&args, "").await?;
    output::lines(&visible_lines(&ran.out));
    match ran.status {
        Some(0) => Ok(true),
        // 11 to 18: torn, gap, corrupt, … With a key given, 10 can't be.
        Some(11..=18) => Ok(false),
        Some(_) | None => Err(ran.unexpected(stage.say)),
    }
}

/// Copies the journal and changes one bit in the middle of its first segment. The file and the byte.
fn changed_copy(from: &Path, to: &Path) -> io::Result<(String, u64)> {
    copy_dir(from, to)?;
    let first = segments(to)?.into_iter().next().ok_or(io::ErrorKind::NotFound)?;
    let mut bytes = fs::read(&first.path)?;
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap_or_default();
    let middle = used / 2;
    let byte = bytes.get_mut(middle).ok_or(io::ErrorKind::UnexpectedEof)?;
    *byte ^= 1;
    fs::write(&first.path, bytes)?;
    let name = first.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, middle as u64))
}

fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    drop(lychgate_seal::durable::private_dir(to).map_err(io::Error::other)?);
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()? {
            kind if kind.is_dir() => copy_dir(&entry.path(), &target)?,
            kind if kind.is_file() => drop(fs::copy(entry.path(), target)?),
            _ => {}
        }
    }
    Ok(())
}

struct Searched {
    files: usize,
    found: bool,
}

/// Looks for `needle` in every file below `dir`.
fn search(dir: &Path, needle: &[u8]) -> io::Result<Searched> {
    let mut searched = Searched { files: 0, found: false };
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let below = search(&entry.path(), needle)?;
            searched.files += below.files;
            searched.found |= below.found;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path())?;
            searched.files += 1;
            searched.found |= bytes.windows(needle.len()).any(|window| window == needle);
        }
    }
    Ok(searched)
}
