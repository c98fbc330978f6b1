//! What stands where on a card: the same order in every language.
//!
//! What changed comes first, then who asks, then what is asked (R19, R29). Everything that a client, a server or a
//! file name could have chosen goes through the layout, which escapes it.

use crate::catalogue::{CardPart as P, Catalogue};
use crate::layout::Lines;
use lychgate_core::card::{AgentView, CardAction, CardChannel, CardView, ProgramView, WorksUnder, visible};
use lychgate_core::evidence::{Attestation, PathNow};
use lychgate_core::ids::WallTime;
use lychgate_core::programs::{History, LastYes};

/// The lines of a card for a screen of so many columns.
#[must_use]
pub fn card(catalogue: &dyn Catalogue, card: &CardView, columns: usize) -> Vec<String> {
    let mut page = Page { say: catalogue, lines: Lines::new(columns) };
    page.headline(card);
    page.what_changed(card);
    page.who_asks(&card.agent, card.conversation.as_deref());
    page.works_under(card.works_under.as_ref());
    page.channels(&card.channels);
    if let Some(action) = card.action.as_ref().filter(|_| may_show_action(card)) {
        page.action(action, card.asks_action);
    }
    page.what_yes_covers(card);
    page.lines.finish()
}

/// After a lapse a session card explains what changed and shows no action (R19).
fn may_show_action(card: &CardView) -> bool {
    card.asks_action || card.changed.is_empty()
}

struct Page<'a> {
    say: &'a dyn Catalogue,
    lines: Lines,
}

impl Page<'_> {
    fn headline(&mut self, card: &CardView) {
        let one_action = card.channels.is_empty();
        self.heading(&P::Headline { card: card.card.to_string(), run: card.run.to_string(), one_action });
    }

    fn what_changed(&mut self, card: &CardView) {
        self.heading(&P::WhatChanged);
        if card.changed.is_empty() {
            let covering = card.works_under.as_ref().filter(|under| under.covered).map(|under| under.run.to_string());
            self.sentence(&match (card.stands_alone, card.channels.is_empty(), covering) {
                (true, _, _) => P::NoneCanStand,
                // A card about one use is otherwise only put where an approval is fresh.
                (false, true, Some(run)) => P::CoveredBy { run },
                (false, true, None) => P::ApprovalStands,
                (false, false, _) => P::NothingBefore,
            });
        }
        for reason in &card.changed {
            self.lines.sentence(self.say.reason(*reason));
        }
        if let Some(previous) = &card.previous {
            let program = visible(&previous.program);
            let run = previous.run.to_string();
            self.sentence(&P::Previous { run: run.clone(), program: &program, same_program: previous.same_program });
            if previous.shows_results {
                self.sentence(&P::ShowsResults { run });
            }
        }
    }

    fn who_asks(&mut self, agent: &AgentView, conversation: Option<&str>) {
        self.heading(&P::WhoAsks);
        match agent.attestation {
            Attestation::Whole => {}
            Attestation::ProgramUnreadable => self.sentence(&P::ProgramUnreadable),
            Attestation::Unverified(why) => self.sentence(&P::NobodyVerified(why)),
        }
        match &agent.program {
            Some(program) => self.program(program, agent.pid),
            None => self.told(&P::Program, &self.say.card(&P::ProcessNumber { pid: agent.pid })),
        }
        match &agent.directory {
            Some(directory) => self.fact(&P::Directory, directory),
            None => self.told(&P::Directory, &self.say.card(&P::DirectoryUnknown)),
        }
        if let Some(program) = &agent.program {
            self.past(program);
        }
        self.claimed(&P::CommandLine, &agent.claimed_command);
        if let Some(label) = conversation {
            self.claimed(&P::Conversation, label);
        }
        let mut label = self.say.card(&P::Processes);
        for link in &agent.chain {
            self.lines.fact(&label, &format!("{} ({})", link.program, link.pid));
            label.clear();
        }
    }

    fn works_under(&mut self, under: Option<&WorksUnder>) {
        if let Some(under) = under {
            self.sentence(&P::StartedBy { run: under.run.to_string(), program: &visible(&under.program) });
        }
    }

    fn program(&mut self, program: &ProgramView, pid: u32) {
        let named = self.say.card(&P::ProgramAndPid { name: &visible(&program.name), pid });
        self.told(&P::Program, &named);
        self.told(&P::Signer, &self.say.signer(&program.signer.visible()));
        self.fact(&P::File, &program.path);
        match program.path_now {
            PathNow::Same => {}
            PathNow::Gone => self.lines.told("", &self.say.card(&P::FileGone)),
            PathNow::Replaced => self.lines.told("", &self.say.card(&P::FileReplaced)),
        }
        self.fact(&P::ProgramDigest, &program.sha256.to_string());
    }

    fn past(&mut self, program: &ProgramView) {
        if let Some(script) = &program.script {
            self.claimed(&P::Script, &script.path);
            match script.sha256 {
                Some(sha256) => self.fact(&P::ScriptDigest, &sha256.to_string()),
                None => self.told(&P::ScriptDigest, &self.say.card(&P::ScriptUnread)),
            }
        }
        self.history(&program.history);
    }

    fn history(&mut self, history: &History) {
        let History::Known { first_asked, last_yes } = history else {
            self.told(&P::FirstAsked, &self.say.card(&P::HistoryUnknown));
            return;
        };
        self.told(&P::FirstAsked, &self.say.card(&P::FirstAskedOn { day: first_asked.map(day) }));
        let yes = match *last_yes {
            LastYes::Never => P::NoYes,
            LastYes::Same(at) => P::YesToTheSame { day: day(at) },
            LastYes::OtherProgram(at) => P::YesToOtherProgram { day: day(at) },
            LastYes::OtherScript(at) => P::YesToOtherScript { day: day(at) },
            LastYes::Uncomparable(at) => P::YesUncomparable { day: day(at) },
        };
        self.told(&P::LastYes, &self.say.card(&yes));
    }

    fn channels(&mut self, channels: &[CardChannel]) {
        if channels.is_empty() {
            return;
        }
        self.heading(&P::WhatAYesOpens);
        for channel in channels {
            self.fact(&P::Tick { ticked: channel.ticked }, channel.name.as_str());
            self.fact(&P::GoesTo, &channel.origins.join(", "));
            self.fact(&P::Paths, &channel.paths.join(", "));
            self.fact(&P::Methods, &channel.methods.join(", "));
            if !channel.asks_each_time.is_empty() {
                self.fact(&P::AsksEachTime, &channel.asks_each_time.join(", "));
            }
            if channel.max_uses.is_some() || channel.max_minutes.is_some() {
                let limits = P::LimitedTo { uses: channel.max_uses, minutes: channel.max_minutes };
                self.told(&P::Limits, &self.say.card(&limits));
            }
        }
    }

    fn action(&mut self, action: &CardAction, asked: bool) {
        self.heading(if asked { &P::TheAction } else { &P::TheOccasion });
        let channel = action.channel.as_str();
        let named = self.say.card(&P::ActionOn { action: action.action.to_string(), channel });
        self.told(&P::ActionLabel, &named);
        self.fact(&P::Request, &format!("{} {}", action.method, action.url));
        for (name, value) in &action.headers {
            self.fact(&P::Header, &format!("{name}: {value}"));
        }
        if action.body_bytes == 0 {
            self.told(&P::Body, &self.say.card(&P::NoBody));
        } else {
            self.told(&P::Body, &self.say.card(&P::BodyBytes { bytes: action.body_bytes }));
            self.fact(&P::BodyDigest, &action.body_sha256.to_string());
            match &action.body_text {
                Some(text) => self.lines.body(text),
                None => self.sentence(&P::BodyNotShown),
            }
        }
        self.fact(&P::RequestDigest, &action.digest.to_string());
    }

    fn what_yes_covers(&mut self, card: &CardView) {
        self.heading(&P::WhatYesCovers);
        if !card.channels.is_empty() {
            self.sentence(&P::CoversRun);
            self.sentence(&P::CoversNoOther);
            self.sentence(&P::ProgramsToo);
            self.sentence(&P::MayDelegate);
            if card.channels.iter().any(|channel| !channel.asks_each_time.is_empty()) {
                self.sentence(&P::StillAsks);
            }
        }
        if card.asks_action {
            self.sentence(&P::CoversAction);
        }
        self.told(&P::Takes, self.say.ceremony(card.ceremony));
        let state = self.say.card(&P::BootAndEpoch { boot: card.boot.to_string(), epoch: card.epoch });
        self.told(&P::State, &state);
    }

    fn claimed(&mut self, label: &P<'_>, text: &str) {
        self.told(label, &format!("{} {}", self.say.card(&P::Claimed), visible(text)));
    }

    fn heading(&mut self, part: &P<'_>) {
        self.lines.heading(&self.say.card(part));
    }

    fn sentence(&mut self, part: &P<'_>) {
        self.lines.sentence(&self.say.card(part));
    }

    fn told(&mut self, label: &P<'_>, text: &str) {
        self.lines.told(&self.say.card(label), text);
    }

    fn fact(&mut self, label: &P<'_>, text: &str) {
        self.lines.fact(&self.say.card(label), text);
    }
}

/// The day in UTC. Text knows no time zone, and a day is close enough to remember by.
fn day(at: WallTime) -> String {
    let time = i64::try_from(at.0).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    time.map_or_else(|| "?".to_owned(), |time| time.strftime("%Y-%m-%d").to_string())
}
