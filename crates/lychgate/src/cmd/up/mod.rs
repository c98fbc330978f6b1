//! `lych up`: everything that a person needs, in one terminal.
//!
//! First run: vault. Then: gateway, unless one runs. Then: unlock, where it is locked. Then: the console.

mod console;
mod keys;
mod start;

use super::Context;
use super::init;
use super::unlock::{ask_and_unlock, unlock};
use crate::cli::FactorFrom;
use crate::factor::Source;
use crate::hidden::Quiet;
use crate::operator::{Operator, block_on, hardening};
use crate::trouble::{Exit, Outcome, Trouble};
use crate::{output, ports};
use clap::Args;
use lychgate_text::{HardenStep, Message};
use zeroize::Zeroizing;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    factor: FactorFrom,
}

pub(crate) fn run(context: &Context, args: UpArgs) -> Outcome {
    let source = Source::of(args.factor.factor_stdin);
    source.check(context.say)?;
    // Until the console is there. Where this fails, each prompt hides its own line.
    let quiet = if source == Source::Terminal { Quiet::between_prompts().ok() } else { None };
    let passphrase = if ports::vault_exists(context) { None } else { Some(first_run(context, source)?) };
    block_on(context.say, async {
        let (mut operator, started) = connect(context).await?;
        unlock_if_locked(context, &mut operator, source, passphrase).await?;
        drop(quiet);
        console::run(context, &mut operator, source, started).await
    })
}

/// Creates the vault. The passphrase is used once more, for the first unlock.
fn first_run(context: &Context, source: Source) -> Result<Zeroizing<String>, Trouble> {
    // Nobody looks at this process yet, so it can hide; the gateway will look, so it must show itself again. What can't be
    // taken back comes with the connection.
    let hide = |hidden: bool| {
        lychgate_sys::set_dumpable(!hidden).map_err(|error| hardening(context.say, HardenStep::Hiding, &error))
    };
    hide(true)?;
    let (created, passphrase) = init::create(context, source)?;
    init::tell(context, &created);
    hide(false)?;
    Ok(passphrase)
}

/// A connection to the gateway that runs, or to one that is started now (true).
async fn connect(context: &Context) -> Result<(Operator, bool), Trouble> {
    match Operator::connect(context.say, &context.paths).await {
        Ok(operator) => {
            output::prose(&context.say.message(&Message::GatewayFound));
            Ok((operator, false))
        }
        Err(trouble) if trouble.exit == Exit::Unreachable => {
            start::gateway(context)?;
            output::prose(&context.say.message(&Message::GatewayStarted));
            Ok((Operator::connect(context.say, &context.paths).await?, true))
        }
        Err(trouble) => Err(trouble),
    }
}

async fn unlock_if_locked(
    context: &Context,
    operator: &mut Operator,
    source: Source,
    known: Option<Zeroizing<String>>,
) -> Result<(), Trouble> {
    operator.must_be_outside("up").await?;
    if operator.status().await?.vault != "locked" {
        return Ok(());
    }
    match known {
        None => ask_and_unlock(context, operator, source).await,
        Some(passphrase) => unlock(context, operator, &passphrase)
            .await?
            .map_err(|refusal| Trouble::refused(context.say, "unlock", refusal.kind, &refusal.text)),
    }
}
