//! `lych agent pin` and `unpin`.

use super::Context;
use crate::cli::{FactorFrom, help};
use crate::factor::{self, Source};
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::agent_pin::{AgentName, AgentPin};
use lychgate_core::card::visible;
use lychgate_core::ids::Digest;
use lychgate_text::{Cause, Message, Problem};
use lychgate_wire::operator::Command;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[arg(value_name = "PATH", help = help().others.agent_path)]
    path: PathBuf,
    #[arg(long, value_name = "NAME", help = help().others.agent_new_name)]
    #[arg(value_parser = lychgate_text::read::<AgentName>)]
    name: AgentName,
    #[command(flatten)]
    factor: FactorFrom,
}

#[derive(Debug, Args)]
pub(crate) struct UnpinArgs {
    #[arg(value_name = "NAME", help = help().others.agent_name)]
    #[arg(value_parser = lychgate_text::read::<AgentName>)]
    name: AgentName,
    #[command(flatten)]
    factor: FactorFrom,
}

pub(super) fn pin(context: &Context, args: &PinArgs) -> Outcome {
    let refuse = |why: Cause<'_>| {
        let file = visible(&args.path.display().to_string());
        Trouble::of(context.say, &Problem::File { file: &file, why })
    };
    // The file that would run, by the name under which the kernel will know it.
    let path = args.path.canonicalize().map_err(|error| refuse(Cause::Said(&error.to_string())))?;
    let sha256 = digest(&path).map_err(|error| refuse(Cause::Said(&error.to_string())))?;
    let Some(text) = path.to_str() else { return Err(refuse(Cause::PathUnwritable)) };
    let pin = AgentPin { name: args.name.clone(), sha256, path: text.to_owned() };
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_unlocked("agent pin").await?;
        let factor = factor::pin(context.say, Source::of(args.factor.factor_stdin))?;
        operator.must(Command::AgentPin { pin: Box::new(pin) }, Some(factor)).await?;
        let (name, path, sha256) = (args.name.as_str(), visible(text), sha256.to_string());
        output::prose(&context.say.message(&Message::AgentPinned { name, path: &path, sha256: &sha256 }));
        Ok(Exit::Done)
    })
}

pub(super) fn unpin(context: &Context, args: &UnpinArgs) -> Outcome {
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_unlocked("agent unpin").await?;
        let factor = factor::pin(context.say, Source::of(args.factor.factor_stdin))?;
        operator.must(Command::AgentUnpin { name: args.name.clone() }, Some(factor)).await?;
        output::prose(&context.say.message(&Message::AgentUnpinned { name: args.name.as_str() }));
        Ok(Exit::Done)
    })
}

/// Only of a regular file: reading a pipe or a device would wait, or never end.
fn digest(path: &Path) -> io::Result<Digest> {
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 256 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(Digest(hash.finalize().into())),
            length => hash.update(piece.get(..length).unwrap_or_default()),
        }
    }
}
