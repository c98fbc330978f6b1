//! `lych approvals`: the cards that wait.

use super::Context;
use crate::cli::Format;
use crate::operator::{Operator, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::CardView;
use lychgate_core::ids::Digest;
use lychgate_text::{Message, card};
use lychgate_wire::operator::{Command, Reply};
use serde::Serialize;

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ApprovalsArgs {
    #[command(flatten)]
    format: Format,
}

/// A card and the digest that `approve --shown` takes.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    card: &'a CardView,
    shown: Digest,
}

pub(crate) fn run(context: &Context, args: ApprovalsArgs) -> Outcome {
    let cards = block_on(context.say, async {
        let mut operator = Operator::connect(context.say, &context.paths).await?;
        open_cards(&mut operator).await
    })?;
    if args.format.json {
        let cards: Vec<Shown<'_>> = cards.iter().map(|card| Shown { card, shown: card.digest() }).collect();
        output::json(&cards);
        return Ok(Exit::Done);
    }
    if cards.is_empty() {
        output::prose(&context.say.message(&Message::NoCards));
        return Ok(Exit::Done);
    }
    for view in &cards {
        output::lines(&card(context.say, view, output::columns()));
        output::line("");
    }
    if let Some(first) = cards.first() {
        let message = Message::HowToAnswer { card: &first.card.to_string(), more: cards.len() > 1 };
        output::prose(&context.say.message(&message));
    }
    Ok(Exit::Done)
}

/// The open cards.
pub(crate) async fn open_cards(operator: &mut Operator) -> Result<Vec<CardView>, Trouble> {
    match operator.must(Command::Approvals, None).await? {
        Reply::Cards { cards } => Ok(cards),
        other => Err(operator.unexpected(&other)),
    }
}
