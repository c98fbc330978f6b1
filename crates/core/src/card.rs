//! What a card says, as facts. Each language renders it; its digest is what an approval is bound to.

use crate::channel::{Ceremony, ChannelName};
use crate::evidence::{Attestation, PathNow};
use crate::ids::{ActionNo, BootNo, CardNo, Digest, RunId};
use crate::outcome::Reason;
use crate::programs::History;
use crate::provenance::{Script, Signer, Unsigned};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A card: a question to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardView {
    /// Its number, for `lych approve C7`.
    pub card: CardNo,
    /// The run that asks.
    pub run: RunId,
    /// What changed since the last approval, by precedence. Empty: nothing was approved before.
    pub changed: Vec<Reason>,
    /// The run whose approval ended, where one is known.
    pub previous: Option<PreviousRun>,
    /// Who asks now.
    pub agent: AgentView,
    /// Conversation label: the client's own word.
    pub conversation: Option<String>,
    /// Channels that a yes would open for this run's lifetime. Empty: the card is about one action alone.
    pub channels: Vec<CardChannel>,
    /// The action, where the card asks about one. After a lapse a session card shows none (R19).
    pub action: Option<CardAction>,
    /// The action is part of the question (a per-call yes), not only its occasion.
    pub asks_action: bool,
    /// The yes to the action rests on no session approval, because this run can have none on its channel.
    pub stands_alone: bool,
    /// The run whose agent started the program that asks.
    pub works_under: Option<WorksUnder>,
    /// What a yes takes.
    pub ceremony: Ceremony,
    /// Gateway lifetime.
    pub boot: BootNo,
    /// Vault epoch.
    pub epoch: u64,
}

/// The earlier run, for "what changed".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousRun {
    /// Its number.
    pub run: RunId,
    /// Its program.
    pub program: String,
    /// The program file is the same by its hash.
    pub same_program: bool,
    /// A yes also shows this run the results of the earlier run's actions on the approved channels.
    pub shows_results: bool,
}

/// The run whose agent started the program that asks (R7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorksUnder {
    /// One of that agent's live runs: its approval, where the question is about a single use of it.
    pub run: RunId,
    /// Path of that agent's program.
    pub program: String,
    /// That run's approval is what the action rests on.
    pub covered: bool,
}

/// Who asks, as the gateway saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentView {
    /// How much of it could be seen.
    pub attestation: Attestation,
    /// The program, where the requester was verified and its program seen.
    pub program: Option<ProgramView>,
    /// Process id.
    pub pid: u32,
    /// Working directory, if it could be read.
    pub directory: Option<String>,
    /// Command line: the process's own word.
    pub claimed_command: String,
    /// Every process from the agent down to the connection.
    pub chain: Vec<ChainLink>,
}

impl AgentView {
    /// Who vouches for the program.
    #[must_use]
    pub fn signer(&self) -> Signer {
        self.program.as_ref().map_or(Signer::Unsigned(Unsigned::Unseen), |program| program.signer.clone())
    }
}

/// A program that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramView {
    /// File name of the program.
    pub name: String,
    /// Path of the program.
    pub path: String,
    /// What is at that path now.
    pub path_now: PathNow,
    /// Who vouches for the program.
    pub signer: Signer,
    /// When it first asked, and the last yes to it.
    pub history: History,
    /// The script that it says it runs, where it is an interpreter.
    pub script: Option<Script>,
    /// SHA-256 of the image.
    pub sha256: Digest,
}

/// A process of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainLink {
    /// Process id.
    pub pid: u32,
    /// Path of the program.
    pub program: String,
}

/// A channel on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardChannel {
    /// Name.
    pub name: ChannelName,
    /// Where it goes: origins, paths, methods, in words that need no translation.
    pub origins: Vec<String>,
    /// Path prefixes.
    pub paths: Vec<String>,
    /// Methods.
    pub methods: Vec<String>,
    /// Methods that still ask each time.
    pub asks_each_time: Vec<String>,
    /// A yes ends after so many uses.
    pub max_uses: Option<u32>,
    /// A yes ends after so many minutes.
    pub max_minutes: Option<u32>,
    /// Already ticked when the card opens.
    pub ticked: bool,
}

/// The complete action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardAction {
    /// Number.
    pub action: ActionNo,
    /// Channel.
    pub channel: ChannelName,
    /// Method.
    pub method: String,
    /// Whole URL with query.
    pub url: String,
    /// Headers that the caller set.
    pub headers: Vec<(String, String)>,
    /// Body, as text where it is UTF-8 and not long.
    pub body_text: Option<String>,
    /// Body length in bytes.
    pub body_bytes: u64,
    /// SHA-256 of the body.
    pub body_sha256: Digest,
    /// Digest of the whole request.
    pub digest: Digest,
}

impl CardView {
    /// Digest of everything that the card says.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        let mut hash = Sha256::new();
        hash.update(b"lychgate/card/1\0");
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
        Digest(hash.finalize().into())
    }
}

/// Makes untrusted text safe to show on one line: control, bidi, tag and zero-width characters become visible.
///
/// Every screen puts every text through this that a client, a server or a file name could have chosen.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if hides(c) => out.push_str(&format!("\\u{{{:04x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn hides(c: char) -> bool {
    let n = u32::from(c);
    c.is_control()
        || matches!(
            n,
            0x00ad
                | 0x034f
                | 0x061c
                | 0x115f..=0x1160
                | 0x17b4..=0x17b5
                | 0x180b..=0x180f
                | 0x200b..=0x200f
                | 0x2028..=0x202e
                | 0x2060..=0x206f
                | 0x3164
                | 0xfe00..=0xfe0f
                | 0xfeff
                | 0xffa0
                | 0xfff0..=0xfffb
                | 0x1d173..=0x1d17a
                | 0xe0000..=0xe0fff
        )
        // Any other white space than the plain one could fake a layout.
        || (c.is_whitespace() && c != ' ')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_could_hide_or_reorder_text_is_made_visible() {
        assert_eq!(
            visible("GET /a\n\u{202e}b\u{e0041}\u{200b}c\u{1b}[2J"),
            "GET /a\\n\\u{202e}b\\u{e0041}\\u{200b}c\\u{001b}[2J"
        );
        assert_eq!(visible("plain text, हिन्दी"), "plain text, हिन्दी");
    }
}
