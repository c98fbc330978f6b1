//! Lists: live runs, channels, the gateway's state.

use crate::catalogue::{CardPart, Catalogue};
use crate::layout::Lines;
use crate::message::Message;
use lychgate_core::agent_pin::AgentPin;
use lychgate_core::card::visible;
use lychgate_core::provenance::{Signer, Unsigned};

/// A live run.
#[derive(Debug, Clone, Copy)]
pub struct RunLine<'a> {
    /// `R31`.
    pub run: &'a str,
    /// Agent program.
    pub program: &'a str,
    /// Process id.
    pub pid: u32,
    /// Who vouches for the program.
    pub signer: Option<&'a Signer>,
    /// Working directory.
    pub directory: Option<&'a str>,
    /// Conversation label.
    pub conversation: Option<&'a str>,
    /// The run whose agent started it, and that agent's program.
    pub works_under: Option<(&'a str, &'a str)>,
    /// Channels with a live session approval.
    pub channels: &'a [String],
    /// Actions under way or waiting.
    pub actions: u32,
}

/// A channel.
#[derive(Debug, Clone)]
pub struct ChannelLine<'a> {
    /// Name.
    pub name: &'a str,
    /// Origins.
    pub origins: Vec<String>,
    /// Path prefixes.
    pub paths: Vec<String>,
    /// Methods.
    pub methods: Vec<String>,
    /// Methods that ask each time; all of them where every use asks.
    pub asks_each_time: Vec<String>,
    /// A yes ends after so many uses.
    pub max_uses: Option<u32>,
    /// A yes ends after so many minutes.
    pub max_minutes: Option<u32>,
    /// Private and loopback addresses are allowed.
    pub private: bool,
    /// It has certificates of its own.
    pub own_ca: bool,
    /// Unverified requesters may ask for single actions.
    pub unverified: bool,
    /// Unreadable programs may have session approvals.
    pub unreadable: bool,
    /// Each use is asked, whatever the method.
    pub per_call: bool,
    /// What a yes takes.
    pub ceremony: lychgate_core::channel::Ceremony,
}

/// State of the gateway.
#[derive(Debug, Clone, Copy)]
pub struct StatusLine<'a> {
    /// Version.
    pub version: &'a str,
    /// Vault state as the gateway's word.
    pub vault: &'a str,
    /// Epoch number.
    pub epoch: u64,
    /// `B8`.
    pub boot: &'a str,
    /// Live runs.
    pub runs: u32,
    /// Open cards.
    pub cards: u32,
    /// Channels, while the vault is unlocked.
    pub channels: Option<u32>,
    /// Rows in the journal.
    pub journal_rows: u64,
}

/// A pinned program in a few lines.
#[must_use]
pub fn agent_lines(say: &dyn Catalogue, agent: &AgentPin, columns: usize) -> Vec<String> {
    let mut lines = Lines::new(columns);
    lines.heading(agent.name.as_str());
    lines.fact(&say.card(&CardPart::File), &agent.path);
    lines.fact(&say.card(&CardPart::ProgramDigest), &agent.sha256.to_string());
    lines.finish()
}

/// A run in a few lines.
#[must_use]
pub fn run_lines(say: &dyn Catalogue, run: &RunLine<'_>, columns: usize) -> Vec<String> {
    let mut lines = Lines::new(columns);
    let program = say.card(&CardPart::ProgramAndPid { name: &visible(run.program), pid: run.pid });
    lines.heading(&format!("{}  {program}", run.run));
    let unseen = Signer::Unsigned(Unsigned::Unseen);
    let signer = say.signer(&run.signer.unwrap_or(&unseen).visible());
    lines.told(&say.card(&CardPart::Signer), &signer);
    match run.directory {
        Some(directory) => lines.fact(&say.card(&CardPart::Directory), directory),
        None => lines.told(&say.card(&CardPart::Directory), &say.card(&CardPart::DirectoryUnknown)),
    }
    if let Some((run, program)) = run.works_under {
        lines.sentence(&say.card(&CardPart::StartedBy { run: run.to_owned(), program: &visible(program) }));
    }
    if let Some(label) = run.conversation {
        let claimed = format!("{} {}", say.card(&CardPart::Claimed), visible(label));
        lines.told(&say.card(&CardPart::Conversation), &claimed);
    }
    lines.sentence(&say.message(&Message::RunHolds { channels: &run.channels.join(", "), actions: run.actions }));
    lines.finish()
}

/// A channel in a few lines.
#[must_use]
pub fn channel_lines(say: &dyn Catalogue, channel: &ChannelLine<'_>, columns: usize) -> Vec<String> {
    let mut lines = Lines::new(columns);
    lines.heading(channel.name);
    lines.fact(&say.card(&CardPart::GoesTo), &channel.origins.join(", "));
    lines.fact(&say.card(&CardPart::Paths), &channel.paths.join(", "));
    lines.fact(&say.card(&CardPart::Methods), &channel.methods.join(", "));
    if !channel.asks_each_time.is_empty() {
        lines.fact(&say.card(&CardPart::AsksEachTime), &channel.asks_each_time.join(", "));
    }
    if channel.max_uses.is_some() || channel.max_minutes.is_some() {
        let limits = CardPart::LimitedTo { uses: channel.max_uses, minutes: channel.max_minutes };
        lines.told(&say.card(&CardPart::Limits), &say.card(&limits));
    }
    let set = CardPart::SettingWords {
        per_call: channel.per_call,
        private: channel.private,
        own_ca: channel.own_ca,
        unverified: channel.unverified,
        unreadable: channel.unreadable,
    };
    lines.told(&say.card(&CardPart::Settings), &say.card(&set));
    lines.told(&say.card(&CardPart::Takes), say.ceremony(channel.ceremony));
    lines.finish()
}

/// The gateway's state in a few lines.
#[must_use]
pub fn status_lines(say: &dyn Catalogue, status: &StatusLine<'_>, columns: usize) -> Vec<String> {
    let mut lines = Lines::new(columns);
    for line in say.message(&Message::Status(*status)).lines() {
        lines.line(line);
    }
    lines.finish()
}
