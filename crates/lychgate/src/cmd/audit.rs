//! `lych audit`: checks the journal. Needs no passphrase and no gateway, and writes nothing.

use super::Context;
use crate::cli::{Format, help};
use crate::output;
use crate::ports::store;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::{Args, Subcommand};
use lychgate_core::card::visible;
use lychgate_core::ids::Ref;
use lychgate_core::receipt::Receipt;
use lychgate_journal::checkpoint;
use lychgate_journal::format::note::parse_verifier_key;
use lychgate_journal::read::flaw::Flaw;
use lychgate_journal::verify::{Report, Verdict, VerifyOptions, verify};
use lychgate_text::{Attempt, Cause, Message, Problem};
use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Receipts and checkpoints are small; anything larger is another file.
const EVIDENCE_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    #[command(about = help().commands.audit_verify.short, long_about = help().commands.audit_verify.long)]
    Verify(VerifyArgs),
    #[command(about = help().commands.audit_checkpoint)]
    Checkpoint(CheckpointArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[arg(help = help().audit.dir)]
    dir: Option<PathBuf>,
    #[arg(long, value_name = "KEY", help = help().audit.key)]
    key: Option<Key>,
    #[arg(long = "checkpoint", value_name = "FILE", help = help().audit.checkpoint)]
    checkpoints: Vec<PathBuf>,
    #[arg(long = "receipt", value_name = "FILE", help = help().audit.receipt)]
    receipts: Vec<PathBuf>,
    #[arg(long, help = help().audit.all_commits)]
    all_commits: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    #[arg(help = help().audit.dir)]
    dir: Option<PathBuf>,
}

/// What a journal is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Vault([u8; 32]),
    Log([u8; 32]),
}

impl FromStr for Key {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut key = [0; 32];
        if hex::decode_to_slice(text, &mut key).is_ok() {
            return Ok(Self::Vault(key));
        }
        parse_verifier_key(text).map(|(_, key)| Self::Log(key)).ok_or(help().audit.not_a_key)
    }
}

/// What `audit verify --json` prints.
#[derive(Serialize)]
struct Printed {
    verdict: &'static str,
    exit: u8,
    accepted: bool,
    from_row: u64,
    rows: u64,
    anchored_to: u64,
    vouched_to: u64,
    vault_key: Option<String>,
    offset: Option<u64>,
    seq: Option<u64>,
    unknown: Vec<Ref>,
    flaws: Vec<PrintedFlaw>,
}

/// One finding. `kind` and the others are for programs, `text` is for people.
#[derive(Serialize)]
struct PrintedFlaw {
    fault: &'static str,
    kind: &'static str,
    about: String,
    offset: Option<u64>,
    seq: Option<u64>,
    text: String,
}

pub(super) fn run(context: &Context, command: AuditCommand) -> Outcome {
    match command {
        AuditCommand::Verify(args) => check(context, &args),
        AuditCommand::Checkpoint(args) => {
            let dir = args.dir.unwrap_or_else(|| context.paths.audit());
            must_be_there(context, &dir)?;
            let note = checkpoint(&dir).map_err(|error| store(context, Attempt::MakingCheckpoint, error))?;
            output::lines(&note.lines().collect::<Vec<_>>());
            Ok(Exit::Done)
        }
    }
}

fn check(context: &Context, args: &VerifyArgs) -> Outcome {
    let receipt = |file: &PathBuf| -> Result<Receipt, Trouble> {
        serde_json::from_str(&read(context, file)?).map_err(|_| refused(context, file, Cause::NoReceipt))
    };
    let options = VerifyOptions {
        vault_key: args.key.and_then(|key| if let Key::Vault(key) = key { Some(key) } else { None }),
        log_key: args.key.and_then(|key| if let Key::Log(key) = key { Some(key) } else { None }),
        checkpoints: args.checkpoints.iter().map(|file| read(context, file)).collect::<Result<_, _>>()?,
        receipts: args.receipts.iter().map(receipt).collect::<Result<_, _>>()?,
        all_commits: args.all_commits,
        // A gateway may be writing while we read.
        at_rest: false,
    };
    let dir = args.dir.clone().unwrap_or_else(|| context.paths.audit());
    must_be_there(context, &dir)?;
    let report = verify(&dir, &options);
    if args.format.json {
        output::json(&printed(&report));
    } else {
        // File names in it are foreign where the directory is.
        output::lines(&report.to_string().lines().map(visible).collect::<Vec<_>>());
        if report.verdict == Verdict::SelfSigned {
            output::prose(&context.say.message(&Message::VerifyWithKey));
        }
    }
    Ok(Exit::Verdict(report.exit))
}

/// A mistyped directory is no damaged journal. Anything that is there and unreadable is for the verdict.
fn must_be_there(context: &Context, dir: &Path) -> Result<(), Trouble> {
    let absent = |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    match dir.join("LOG").symlink_metadata() {
        Err(error) if absent(&error) => {
            let dir = visible(&dir.display().to_string());
            Err(Trouble::of(context.say, &Problem::NoJournal { dir: &dir }))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn printed(report: &Report) -> Printed {
    Printed {
        verdict: report.verdict.code(),
        exit: report.exit,
        accepted: report.verdict.accepts(),
        from_row: report.from_row,
        rows: report.rows,
        anchored_to: report.anchored_to,
        vouched_to: report.vouched_to,
        vault_key: report.vault_key.map(hex::encode),
        offset: report.offset,
        seq: report.seq,
        unknown: report.unknown.clone(),
        flaws: report.flaws.iter().map(printed_flaw).collect(),
    }
}

fn printed_flaw(flaw: &Flaw) -> PrintedFlaw {
    PrintedFlaw {
        fault: flaw.fault.word(),
        kind: flaw.finding.code(),
        about: flaw.about.code().into_owned(),
        offset: flaw.offset,
        seq: flaw.seq,
        text: flaw.finding.to_string(),
    }
}

fn read(context: &Context, file: &Path) -> Result<String, Trouble> {
    let found = std::fs::metadata(file).map_err(|error| refused(context, file, Cause::Said(&error.to_string())))?;
    if found.len() > EVIDENCE_BYTES {
        return Err(refused(context, file, Cause::TooLargeForEvidence));
    }
    std::fs::read_to_string(file).map_err(|error| refused(context, file, Cause::Said(&error.to_string())))
}

fn refused(context: &Context, file: &Path, why: Cause<'_>) -> Trouble {
    let file = visible(&file.display().to_string());
    Trouble::of(context.say, &Problem::File { file: &file, why })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::{Key, printed};
    use lychgate_journal::verify::{VerifyOptions, verify};
    use std::path::Path;

    #[test]
    fn a_program_reads_codes_where_a_person_reads_words() {
        let report = verify(Path::new("/nonexistent"), &VerifyOptions::default());
        let json = serde_json::to_value(printed(&report)).unwrap();
        assert_eq!(json["verdict"], "CORRUPT");
        let flaw = &json["flaws"][0];
        assert_eq!(
            (&flaw["fault"], &flaw["kind"], &flaw["about"]),
            (&"CORRUPT".into(), &"unreadable".into(), &"LOG".into())
        );
        assert_eq!(flaw["text"], report.flaws[0].finding.to_string());
    }

    #[test]
    fn a_key_is_the_one_that_init_printed_or_a_verifier_key_and_nothing_else() {
        assert_eq!("ab".repeat(32).parse(), Ok(Key::Vault([0xab; 32])));
        let log = lychgate_journal::format::note::verifier_key("lychgate/x", &[7; 32]);
        assert_eq!(log.parse(), Ok(Key::Log([7; 32])));
        for bad in ["", "ab", &"ab".repeat(33), "lychgate/x+00000000+AAAA", "/etc/key"] {
            assert!(bad.parse::<Key>().is_err(), "{bad}");
        }
    }
}
