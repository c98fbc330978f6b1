//! The sessions view: each session approval with its life.

use crate::line::{clock, quoted, rfc3339};
use crate::row::ViewedRow;
use crate::rows::ViewError;
use jiff::tz::TimeZone;
use lychgate_core::event::Event;
use lychgate_core::ids::{ApprovalId, BootNo, GrantNo, RunId, WallTime};
use lychgate_core::outcome::EndReason;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum SessionState {
    /// No row ends it. It lives only if its gateway does, which this log can't tell.
    Open,
    /// It ended.
    Ended {
        /// When; unknown where a later boot shows that its gateway was gone.
        #[serde(serialize_with = "as_time")]
        ended_at: Option<WallTime>,
        /// Why.
        reason: EndReason,
    },
}

/// One session approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionLine {
    /// Sequence number of its GRANT.
    pub seq: u64,
    /// When the person said yes.
    #[serde(serialize_with = "as_time")]
    pub approved_at: Option<WallTime>,
    /// Run.
    #[serde(serialize_with = "as_text")]
    pub run: RunId,
    /// Approval.
    pub approval: ApprovalId,
    /// Grant number in the clear header.
    #[serde(serialize_with = "as_text")]
    pub grant: GrantNo,
    /// Channel.
    pub channel: String,
    /// Gateway lifetime.
    #[serde(serialize_with = "as_text")]
    pub boot: BootNo,
    /// Vault epoch.
    pub epoch: u64,
    /// Program of the agent, as the kernel told it.
    pub program: Option<String>,
    /// Signer as the card showed it.
    pub signer: String,
    /// Conversation label, the client's own word.
    pub claimed_conversation: Option<String>,
    /// Actions that were started under it.
    pub uses: u32,
    /// How it stands.
    #[serde(flatten)]
    pub state: SessionState,
}

/// Makes session lines of rows, in the order of approval. Errors among the rows are not sessions: show them from
/// [`crate::activity`], or the view would be silent about what it could not read.
pub fn sessions<'a>(rows: impl IntoIterator<Item = &'a Result<ViewedRow, ViewError>>) -> Vec<SessionLine> {
    let mut lines: Vec<SessionLine> = Vec::new();
    let mut boot = BootNo(0);
    for row in rows.into_iter().flatten() {
        if row.boot != boot {
            end_all(&mut lines);
            boot = row.boot;
        }
        match row.event() {
            Some(Event::SessionApproved {
                run, approval, channel, subject, signer, conversation, boot, vault, ..
            }) => lines.push(SessionLine {
                seq: row.seq,
                approved_at: row.at(),
                run: *run,
                approval: *approval,
                grant: row.grant,
                channel: channel.to_string(),
                boot: *boot,
                epoch: *vault,
                program: subject
                    .agent()
                    .and_then(|agent| agent.executable.value())
                    .map(|executable| executable.path.clone()),
                signer: signer.clone(),
                claimed_conversation: conversation.clone(),
                uses: 0,
                state: SessionState::Open,
            }),
            Some(Event::SessionEnded { approval, reason, .. }) => {
                if let Some(line) = open(&mut lines, *approval) {
                    line.state = SessionState::Ended { ended_at: row.at(), reason: *reason };
                }
            }
            Some(Event::HttpActionStarted { approval, .. }) => {
                if let Some(line) = lines.iter_mut().rfind(|line| line.approval == *approval) {
                    line.uses = line.uses.saturating_add(1);
                }
            }
            _ => {}
        }
    }
    lines
}

fn open(lines: &mut [SessionLine], approval: ApprovalId) -> Option<&mut SessionLine> {
    lines.iter_mut().rfind(|line| line.approval == approval && line.state == SessionState::Open)
}

/// A row of a later boot shows that the gateway which held them is gone.
fn end_all(lines: &mut [SessionLine]) {
    for line in lines.iter_mut().filter(|line| line.state == SessionState::Open) {
        line.state = SessionState::Ended { ended_at: None, reason: EndReason::GatewayRestarted };
    }
}

impl SessionLine {
    /// One line of text, with times of day in `zone`.
    #[must_use]
    pub fn text(&self, zone: &TimeZone) -> String {
        let field = |text: &str| quoted(&Value::String(text.to_owned()));
        let mut out = format!(
            "{} {} channel={} uses={}",
            clock(self.approved_at, zone),
            self.run,
            field(&self.channel),
            self.uses
        );
        match self.state {
            SessionState::Open => out.push_str(" open"),
            SessionState::Ended { ended_at, reason } => {
                out.push_str(&format!(" ended={} reason={}", clock(ended_at, zone), reason.word()));
            }
        }
        if let Some(program) = &self.program {
            out.push_str(&format!(" program={}", field(program)));
        }
        out.push_str(&format!(" signer={}", field(&self.signer)));
        if let Some(conversation) = &self.claimed_conversation {
            out.push_str(&format!(" claimed_conversation={}", field(conversation)));
        }
        out
    }
}

#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn as_time<S: Serializer>(at: &Option<WallTime>, to: S) -> Result<S::Ok, S::Error> {
    at.and_then(rfc3339).serialize(to)
}

fn as_text<S: Serializer>(value: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string())
}
