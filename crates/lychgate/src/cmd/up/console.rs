//! The console: shows one card at a time and takes the answer.

use super::keys::{Key, Keys, question};
use super::{Context, unlock};
use crate::cmd::approve::{self, Yes};
use crate::factor::Source;
use crate::operator::{Cards, Operator, Refusal};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use lychgate_core::card::CardView;
use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{CardNo, Digest};
use lychgate_text::{Message, Wanted, card};
use lychgate_wire::operator::Command;

/// Serves the person until they leave or the gateway does.
pub(super) async fn run(context: &Context, operator: &mut Operator, source: Source, started: bool) -> Outcome {
    operator.must(Command::Watch, None).await?;
    let keys = Keys::open(context.say, source)?;
    let patient = source == Source::Stdin;
    let mut console = Console { context, operator, keys, seen: None, shown: None, held: None, patient, started };
    console.say(&Message::ConsoleKeys { started });
    loop {
        match console.step().await? {
            Next::Stay => {}
            Next::Leave(last) => {
                console.say(&last);
                return Ok(Exit::Done);
            }
        }
    }
}

enum Next {
    Stay,
    Leave(Message<'static>),
}

struct Console<'a> {
    context: &'a Context,
    operator: &'a mut Operator,
    keys: Keys,
    /// The cards as last told.
    seen: Option<Cards>,
    /// The card on the screen. Its digest goes with the yes, so another card is never approved.
    shown: Option<(CardNo, Digest)>,
    /// An answer from a script that came before its card.
    held: Option<Key>,
    /// Answers wait for their card: a script does not see when it comes.
    patient: bool,
    /// This console started the gateway.
    started: bool,
}

impl Console<'_> {
    async fn step(&mut self) -> Result<Next, Trouble> {
        let say = self.context.say;
        if let Some(key) = self.held.take_if(|_| self.shown.is_some()) {
            return self.key(key).await;
        }
        tokio::select! {
            cards = self.operator.next_cards() => {
                if cards.is_err() && self.shown.is_some() {
                    // Off the line of the question.
                    output::line("");
                }
                self.cards_changed(cards?);
                Ok(Next::Stay)
            }
            line = self.keys.line(say), if self.held.is_none() => match line?.map(|line| Key::of(&line)) {
                Some(key @ (Key::Yes(_) | Key::YesWithPrograms(_) | Key::No)) if self.patient && self.shown.is_none() => {
                    self.held = Some(key);
                    Ok(Next::Stay)
                }
                Some(key) => self.key(key).await,
                None => Ok(Next::Leave(Message::ConsoleInputEnded)),
            },
        }
    }

    fn cards_changed(&mut self, now: Cards) {
        let was_locked = self.seen.as_ref().map(|seen| seen.locked);
        let still = |(number, digest)| now.cards.iter().any(|view| view.card == number && view.digest() == digest);
        if let Some((number, _)) = self.shown.filter(|shown| !still(*shown)) {
            output::line("");
            let card = &number.to_string();
            let changed = now.cards.iter().any(|view| view.card == number);
            self.say(&if changed { Message::CardChanged { card } } else { Message::CardGone { card } });
            self.shown = None;
        }
        if was_locked != Some(now.locked) {
            self.say(if now.locked { &Message::ConsoleLocked } else { &Message::ConsoleWaiting });
        }
        self.seen = Some(now);
        self.show_next();
    }

    /// Puts the oldest card on the screen, unless one is there.
    fn show_next(&mut self) {
        let next = self.seen.as_ref().and_then(|seen| seen.cards.first());
        if let (None, Some(view)) = (self.shown, next) {
            output::line("");
            output::lines(&card(self.context.say, view, output::columns()));
            // Whoever typed before this card stood here did not mean it.
            self.keys.forget_typed();
            output::prompt(&question(self.context.say, &view.card.to_string()));
            self.shown = Some((view.card, view.digest()));
        }
    }

    async fn key(&mut self, key: Key) -> Result<Next, Trouble> {
        match key {
            Key::Yes(names) => self.yes(&names, false).await?,
            Key::YesWithPrograms(names) => self.yes(&names, true).await?,
            Key::No => self.no().await?,
            Key::Lock => {
                self.command(Command::Lock, &Message::Locked).await?;
            }
            Key::Unlock => self.unlock().await?,
            Key::Quit if self.started => {
                return match self.operator.stop().await? {
                    Ok(()) => Ok(Next::Leave(Message::Stopped)),
                    Err(refusal) => {
                        self.refused("stop", &refusal);
                        Ok(Next::Stay)
                    }
                };
            }
            Key::Quit | Key::Leave => return Ok(Next::Leave(Message::ConsoleLeft)),
            Key::Help | Key::Nothing => self.say(&Message::ConsoleKeys { started: self.started }),
            Key::Unknown => self.say(&Message::ConsoleUnknownKey),
        }
        Ok(Next::Stay)
    }

    async fn yes(&mut self, names: &[String], programs: bool) -> Result<(), Trouble> {
        let Some(view) = self.on_screen() else {
            self.say(&Message::NoCards);
            return Ok(());
        };
        let channels: Result<Vec<ChannelName>, _> = names.iter().map(|name| name.parse()).collect();
        let Ok(channels) = channels else {
            self.say(&Message::ConsoleUnknownKey);
            return Ok(());
        };
        let say = self.context.say;
        let keys = &mut self.keys;
        let pin = async || keys.hidden(say, Wanted::Pin).await;
        let channels = (!channels.is_empty()).then_some(channels);
        match approve::yes(self.operator, &view, Yes { channels, programs }, pin).await? {
            Ok(reply) => {
                approve::tell(self.context, &reply);
                self.answered(view.card);
            }
            Err(refusal) => self.refused("approve", &refusal),
        }
        Ok(())
    }

    async fn no(&mut self) -> Result<(), Trouble> {
        let Some(view) = self.on_screen() else {
            self.say(&Message::NoCards);
            return Ok(());
        };
        if self.command(Command::Deny { card: view.card }, &Message::Denied { card: &view.card.to_string() }).await? {
            self.answered(view.card);
        }
        Ok(())
    }

    async fn unlock(&mut self) -> Result<(), Trouble> {
        let passphrase = self.keys.hidden(self.context.say, Wanted::Passphrase).await?;
        if let Err(refusal) = unlock(self.context, self.operator, &passphrase).await? {
            self.refused("unlock", &refusal);
        }
        Ok(())
    }

    /// A command without factor. True where it was done.
    async fn command(&mut self, command: Command, done: &Message<'_>) -> Result<bool, Trouble> {
        let word = command.word();
        match self.operator.ask(command, None).await? {
            Ok(_) => {
                self.say(done);
                Ok(true)
            }
            Err(refusal) => {
                self.refused(word, &refusal);
                Ok(false)
            }
        }
    }

    /// A card that was answered is not shown once more while the gateway's news are on their way.
    fn answered(&mut self, card: CardNo) {
        self.shown = None;
        if let Some(seen) = &mut self.seen {
            seen.cards.retain(|view| view.card != card);
        }
        self.show_next();
    }

    fn on_screen(&self) -> Option<CardView> {
        let (number, digest) = self.shown?;
        let cards = &self.seen.as_ref()?.cards;
        cards.iter().find(|view| view.card == number && view.digest() == digest).cloned()
    }

    fn refused(&self, command: &str, refusal: &Refusal) {
        output::error(&Trouble::refused(self.context.say, command, refusal.kind, &refusal.text).text);
        if let Some((number, _)) = self.shown {
            output::prompt(&question(self.context.say, &number.to_string()));
        }
    }

    fn say(&self, message: &Message<'_>) {
        output::prose(&self.context.say.message(message));
    }
}
