//! `lych init`: the vault, the audit key and the journal.

use super::Context;
use crate::cli::{FactorFrom, Format};
use crate::factor::{self, Source};
use crate::operator::harden;
use crate::output;
use crate::ports::{self, Created};
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_harden::Role;
use lychgate_text::{Message, Problem};
use serde::Serialize;
use zeroize::Zeroizing;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    factor: FactorFrom,
    #[command(flatten)]
    format: Format,
}

/// What `init --json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    state_dir: String,
    public_key: &'a str,
    short_key: &'a str,
}

pub(crate) fn run(context: &Context, args: InitArgs) -> Outcome {
    harden(context.say, Role::Offline)?;
    let (created, _passphrase) = create(context, Source::of(args.factor.factor_stdin))?;
    if args.format.json {
        let state_dir = context.paths.state.display().to_string();
        output::json(&Printed { state_dir, public_key: &created.public_key, short_key: &created.short_key });
    } else {
        tell(context, &created);
    }
    Ok(Exit::Done)
}

/// Asks for new factors and creates everything. Gives the passphrase back, so that `up` need not ask twice.
pub(crate) fn create(context: &Context, source: Source) -> Result<(Created, Zeroizing<String>), Trouble> {
    let dir = visible(&context.paths.state.display().to_string());
    if ports::vault_exists(context) {
        return Err(Trouble::of(context.say, &Problem::VaultExists { dir: &dir }));
    }
    source.check(context.say)?;
    if source == Source::Terminal {
        output::prose(&context.say.message(&Message::FirstRun { dir: &dir }));
    }
    let passphrase = factor::new_passphrase(context.say, source)?;
    let pin = factor::new_pin(context.say, source, &passphrase)?;
    Ok((ports::create(context, &passphrase, &pin)?, passphrase))
}

/// Says where everything is and what to do with the public key.
pub(crate) fn tell(context: &Context, created: &Created) {
    let dir = visible(&context.paths.state.display().to_string());
    let message = Message::VaultCreated { dir: &dir, key: &created.public_key, short: &created.short_key };
    output::prose(&context.say.message(&message));
}
