//! `lych unlock`: the passphrase becomes a slot key here, and only that key goes to the gateway.

use super::Context;
use crate::cli::FactorFrom;
use crate::factor::{self, Source};
use crate::operator::{Operator, Refusal, block_on};
use crate::trouble::{Exit, Outcome, Trouble};
use crate::{output, ports};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_text::Message;
use lychgate_wire::operator::{Command, Failure, Reply};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    factor: FactorFrom,
}

pub(crate) fn run(context: &Context, args: UnlockArgs) -> Outcome {
    let source = Source::of(args.factor.factor_stdin);
    block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_outside("unlock").await?;
        source.check(context.say)?;
        ask_and_unlock(context, &mut operator, source).await?;
        Ok(Exit::Done)
    })
}

/// Asks for the passphrase and unlocks; at a terminal a wrong one is asked again.
pub(crate) async fn ask_and_unlock(context: &Context, operator: &mut Operator, source: Source) -> Result<(), Trouble> {
    let mut left = source.tries();
    loop {
        left = left.saturating_sub(1);
        let passphrase = factor::passphrase(context.say, source)?;
        let Err(refusal) = unlock(context, operator, &passphrase).await? else { return Ok(()) };
        let trouble = Trouble::refused(context.say, "unlock", refusal.kind, &refusal.text);
        if left == 0 || refusal.kind != Failure::WrongFactor {
            return Err(trouble);
        }
        output::error(&trouble.text);
    }
}

/// Unlocks and says so, with the gateway's notice where there is one.
pub(crate) async fn unlock(
    context: &Context,
    operator: &mut Operator,
    passphrase: &str,
) -> Result<Result<(), Refusal>, Trouble> {
    let (slot, key) = ports::slot_key(context, passphrase)?;
    let reply = match operator.ask(Command::Unlock { slot, key }, None).await? {
        Ok(reply) => reply,
        Err(refusal) => return Ok(Err(refusal)),
    };
    output::prose(&context.say.message(&Message::Unlocked));
    if let Reply::Ok { notice: Some(notice) } = reply {
        output::prose(&context.say.message(&Message::Notice { text: &visible(&notice) }));
    }
    Ok(Ok(()))
}
