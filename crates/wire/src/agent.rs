//! The agent socket: what a shim (or another client) and the gateway say to each other.
//!
//! ```text
//! client                      gateway
//! Hello            ->                      pins the sender and the processes above it
//!                  <-         Pinned       from here on frames count
//! Register         ->                      looks again: a process can write and then exec
//!                  <-         Registered   (or Refused, and the connection closes)
//! Call, Cancel     ->
//!                  <-         Progress, Notice, Answer, RunEnded
//! ```

use lychgate_core::ids::{BootNo, Ref, RunId};
use lychgate_core::outcome::{Outcome, Reason};
use lychgate_core::receipt::Receipt;
use serde::{Deserialize, Serialize};

/// From the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromAgent {
    /// First frame.
    Hello {
        /// [`crate::WIRE`] of the client.
        wire: u32,
        /// It is `lych mcp` and speaks for the agent above it: the gateway believes that of its own program file alone.
        /// Anyone else is himself the one that asks.
        shim: bool,
        /// Its version, for messages to the person.
        build: String,
    },
    /// Second frame, after [`ToAgent::Pinned`].
    Register {
        /// Conversation label. A label: it can narrow and never grants.
        conversation: Option<String>,
        /// What the client says of its last registration. Chooses words only.
        previous: Option<Previous>,
    },
    /// A call.
    Call {
        /// The client's number for it, unique on this connection.
        id: u64,
        /// Conversation label of this call, where the client sent one.
        conversation: Option<String>,
        /// What to do.
        call: Call,
    },
    /// Withdraws a call that waits. An action that has begun is not undone.
    Cancel {
        /// The call's number.
        id: u64,
    },
}

/// What a surviving shim kept of its last registration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Previous {
    /// Its run then.
    pub run: RunId,
    /// The gateway's boot label then.
    pub boot: BootNo,
    /// Newest receipt of that connection.
    pub receipt: Option<Receipt>,
    /// Client refs of calls that got no answer.
    pub unanswered: Vec<Ref>,
    /// Refs for which a dispatch notice arrived (action ids and client refs).
    pub noticed: Vec<Ref>,
    /// It read the old connection to its end, so no notice can have been missed.
    pub read_to_end: bool,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case", deny_unknown_fields)]
pub enum Call {
    /// One authenticated HTTP request.
    HttpRequest(HttpCall),
    /// Ask for authority on channels.
    Authorize {
        /// Channel names.
        channels: Vec<String>,
        /// Seconds to wait for the person, 0 to 50; 20 where absent.
        wait_seconds: Option<u64>,
    },
    /// What became of an action.
    ActionStatus {
        /// The action's id (or the client's own ref of it).
        action_id: Option<Ref>,
        /// Or its key.
        action_key: Option<String>,
        /// Seconds to wait.
        wait_seconds: Option<u64>,
    },
    /// More of a result that was truncated.
    ReadResult {
        /// The action.
        action_id: Ref,
        /// First byte wanted.
        offset: u64,
    },
    /// Lets a live program that the agent started work under this run's own session approvals.
    Delegate {
        /// The program's process.
        pid: u32,
        /// Channel names.
        channels: Vec<String>,
    },
    /// Names and bindings of the channels.
    ListChannels,
    /// This run: number, approvals, unfinished actions.
    RunStatus,
}

/// Arguments of [`Call::HttpRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpCall {
    /// The shim's random name for this attempt, made before it is sent.
    pub client_ref: Ref,
    /// Channel name.
    pub channel: String,
    /// Method.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// Headers in order.
    pub headers: Vec<(String, String)>,
    /// Body in base64 (standard alphabet, padded).
    pub body_base64: Option<String>,
    /// Name of the logical business action.
    pub action_key: Option<String>,
    /// An earlier attempt of the same thing.
    pub retry_of: Option<Ref>,
    /// Seconds to wait for the person, 0 to 50; 20 where absent.
    pub wait_seconds: Option<u64>,
}

/// From the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToAgent {
    /// The sender of `Hello` has been pinned.
    Pinned {
        /// [`crate::WIRE`] of the gateway.
        wire: u32,
        /// Its version.
        version: String,
    },
    /// A run began.
    Registered {
        /// Its number. A label; it opens nothing.
        run: RunId,
        /// Boot label.
        boot: BootNo,
    },
    /// Not registered. The connection closes.
    Refused {
        /// Why.
        answer: Answer,
    },
    /// A call still waits.
    Progress {
        /// The call.
        id: u64,
        /// For the client's progress display.
        text: String,
    },
    /// An action is about to leave: kept by the shim, so that a missing one proves something later.
    Notice {
        /// The action's id.
        action_id: Ref,
        /// The client's own ref of it.
        client_ref: Ref,
        /// The journal with the action's DISPATCH in it.
        receipt: Receipt,
    },
    /// The answer to a call.
    Answer {
        /// The call.
        id: u64,
        /// The answer.
        answer: Answer,
    },
    /// The run ended; the connection closes after this.
    RunEnded {
        /// Why.
        answer: Answer,
    },
}

/// The one shape of every result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What became of the call.
    pub outcome: Outcome,
    /// The reason with the highest precedence.
    pub reason: Option<Reason>,
    /// All reasons.
    pub reasons: Vec<Reason>,
    /// The action.
    pub action_id: Option<Ref>,
    /// The run.
    pub run_id: Option<RunId>,
    /// What changed, in words.
    pub changed: Option<String>,
    /// What to do next, in words.
    pub next: Option<String>,
    /// The journal at this answer.
    pub receipt: Option<Receipt>,
    /// What the call is about: a response, a list, a status.
    pub result: serde_json::Value,
    /// One or more lines for the model.
    pub text: String,
}
