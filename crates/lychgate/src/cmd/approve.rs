//! `lych approve`: says yes to what is shown here, and to nothing else.

use super::Context;
use super::approvals::open_cards;
use crate::cli::{FactorFrom, Format, help};
use crate::factor::{self, Source};
use crate::operator::{Operator, Refusal, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::CardView;
use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{CardNo, Digest};
use lychgate_text::{Cause, Message, card};
use lychgate_wire::operator::{Command, Failure, Reply};
use zeroize::Zeroizing;

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    #[arg(help = help().answers.card)]
    #[arg(value_parser = lychgate_text::read::<CardNo>)]
    card: CardNo,
    #[arg(long = "channel", value_name = "NAME", help = help().answers.channel)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    channels: Vec<ChannelName>,
    #[arg(long, value_name = "DIGEST", help = help().answers.shown)]
    #[arg(value_parser = lychgate_text::read::<Digest>)]
    shown: Option<Digest>,
    #[arg(long, help = help().answers.programs)]
    programs: bool,
    #[command(flatten)]
    factor: FactorFrom,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(context: &Context, args: ApproveArgs) -> Outcome {
    let source = Source::of(args.factor.factor_stdin);
    let reply = block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        operator.must_be_unlocked("approve").await?;
        let cards = open_cards(&mut operator).await?;
        let view = cards.iter().find(|view| view.card == args.card);
        let view = view.ok_or_else(|| refused(context, Failure::NotFound, Cause::NoSuchCard))?;
        if args.shown.is_some_and(|shown| shown != view.digest()) {
            return Err(refused(context, Failure::Refused, Cause::CardChanged));
        }
        if source == Source::Terminal {
            output::lines(&card(context.say, view, output::columns()));
        }
        let channels = (!args.channels.is_empty()).then_some(args.channels);
        let answer = Yes { channels, programs: args.programs };
        yes(&mut operator, view, answer, async || factor::pin(context.say, source))
            .await?
            .map_err(|refusal| Trouble::refused(context.say, "approve", refusal.kind, &refusal.text))
    })?;
    if args.format.json {
        output::json(&reply);
    } else {
        tell(context, &reply);
    }
    Ok(Exit::Done)
}

/// What a yes is to.
pub(crate) struct Yes {
    /// These channels; those that are ticked where absent.
    pub(crate) channels: Option<Vec<ChannelName>>,
    /// For the programs that the agent starts, too.
    pub(crate) programs: bool,
}

/// Says yes to `view` as it was shown, with the PIN.
pub(crate) async fn yes(
    operator: &mut Operator,
    view: &CardView,
    answer: Yes,
    ask_pin: impl AsyncFnOnce() -> Result<Zeroizing<String>, Trouble>,
) -> Result<Result<Reply, Refusal>, Trouble> {
    let pin = ask_pin().await?;
    let Yes { channels, programs } = answer;
    operator.ask(Command::Approve { card: view.card, channels, shown: Some(view.digest()), programs }, Some(pin)).await
}

/// What a yes granted, in words.
pub(crate) fn tell(context: &Context, reply: &Reply) {
    if let Reply::Approved { run, channels } = reply {
        let channels: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
        let message = Message::Approved { run: &run.to_string(), channels: &channels.join(", ") };
        output::line(&context.say.message(&message));
    }
}

fn refused(context: &Context, kind: Failure, why: Cause<'_>) -> Trouble {
    Trouble::not_done(context.say, "approve", kind, why)
}
