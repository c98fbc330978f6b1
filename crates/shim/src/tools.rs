//! The tools: their names, their arguments, and the call that each makes to the gateway.
//!
//! A tool that can't be served yet is not here: a model must not plan with it.

use crate::arguments::{Arguments, Wrong};
use crate::schema::{Argument, Kind, optional, required, schema};
use lychgate_core::ids::Ref;
use lychgate_text::{ShimTexts, fill};
use lychgate_wire::agent::{Call, HttpCall};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};

/// A tool.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
    /// It only looks: clients may run it without asking their user. A hint; nothing here relies on it.
    looks_only: bool,
    /// It reaches beyond the gateway.
    reaches_out: bool,
    read: fn(&mut Arguments<'_>, &ShimTexts, Ref) -> Result<Call, Wrong>,
}

/// Names fit `^[a-z_]+$` and are short: clients put their own prefix before them and one name over 64 characters
/// makes some refuse the whole server.
pub(crate) const TOOLS: &[Definition] = &[
    Definition {
        name: "http_request",
        arguments: &[
            required("channel", Kind::Text),
            required("method", Kind::Text),
            required("url", Kind::Text),
            optional("headers", Kind::Headers),
            optional("body", Kind::Text),
            optional("body_base64", Kind::Base64),
            optional("action_key", Kind::Text),
            optional("retry_of", Kind::Action),
            optional("wait_seconds", Kind::Seconds),
        ],
        looks_only: false,
        reaches_out: true,
        read: http_request,
    },
    Definition {
        name: "authorize",
        arguments: &[required("channels", Kind::Texts), optional("wait_seconds", Kind::Seconds)],
        looks_only: false,
        reaches_out: false,
        read: authorize,
    },
    Definition {
        name: "action_status",
        arguments: &[
            optional("action_id", Kind::Action),
            optional("action_key", Kind::Text),
            optional("wait_seconds", Kind::Seconds),
        ],
        // An action that was approved in the meantime runs in it.
        looks_only: false,
        reaches_out: true,
        read: action_status,
    },
    Definition {
        name: "read_result",
        arguments: &[required("action_id", Kind::Action), optional("offset", Kind::Offset)],
        looks_only: true,
        reaches_out: false,
        read: read_result,
    },
    Definition {
        name: "list_channels",
        arguments: &[],
        looks_only: true,
        reaches_out: false,
        read: |_, _, _| Ok(Call::ListChannels),
    },
    Definition {
        name: "delegate",
        arguments: &[required("pid", Kind::Process), required("channels", Kind::Texts)],
        looks_only: false,
        reaches_out: false,
        read: delegate,
    },
    Definition {
        name: "run_status",
        arguments: &[],
        looks_only: true,
        reaches_out: false,
        read: |_, _, _| Ok(Call::RunStatus),
    },
];

/// As clients see them.
pub(crate) fn list(texts: &ShimTexts) -> Vec<Tool> {
    TOOLS.iter().map(|tool| tool.describe(texts)).collect()
}

/// The tool of that name.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Definition {
    /// The call that `given` asks for. `client_ref` names the attempt where it is an action.
    pub(crate) fn call(&self, given: JsonObject, client_ref: Ref, texts: &ShimTexts) -> Result<Call, Wrong> {
        let mut arguments = Arguments::new(given, self.name, self.arguments, texts)?;
        (self.read)(&mut arguments, texts, client_ref)
    }

    fn describe(&self, texts: &ShimTexts) -> Tool {
        let hints = ToolAnnotations::new()
            .read_only(self.looks_only)
            .destructive(self.reaches_out)
            .idempotent(self.looks_only)
            .open_world(self.reaches_out);
        Tool::new(self.name, texts.tool(self.name), schema(self.arguments, texts)).with_annotations(hints)
    }
}

fn http_request(given: &mut Arguments<'_>, _: &ShimTexts, client_ref: Ref) -> Result<Call, Wrong> {
    Ok(Call::HttpRequest(HttpCall {
        client_ref,
        channel: given.text("channel")?,
        method: given.text("method")?,
        url: given.url("url")?,
        headers: given.headers("headers")?,
        body_base64: given.body("body", "body_base64")?,
        action_key: given.optional_text("action_key")?,
        retry_of: given.optional_action("retry_of")?,
        wait_seconds: given.seconds("wait_seconds")?,
    }))
}

fn authorize(given: &mut Arguments<'_>, _: &ShimTexts, _: Ref) -> Result<Call, Wrong> {
    Ok(Call::Authorize { channels: given.texts("channels")?, wait_seconds: given.seconds("wait_seconds")? })
}

fn delegate(given: &mut Arguments<'_>, _: &ShimTexts, _: Ref) -> Result<Call, Wrong> {
    Ok(Call::Delegate { pid: given.process("pid")?, channels: given.texts("channels")? })
}

fn action_status(given: &mut Arguments<'_>, texts: &ShimTexts, _: Ref) -> Result<Call, Wrong> {
    let action_id = given.optional_action("action_id")?;
    let action_key = given.optional_text("action_key")?;
    if action_id.is_some() == action_key.is_some() {
        return Err(Wrong(fill(texts.exactly_one, &[("first", "action_id"), ("second", "action_key")])));
    }
    Ok(Call::ActionStatus { action_id, action_key, wait_seconds: given.seconds("wait_seconds")? })
}

fn read_result(given: &mut Arguments<'_>, _: &ShimTexts, _: Ref) -> Result<Call, Wrong> {
    Ok(Call::ReadResult { action_id: given.action("action_id")?, offset: given.offset("offset")? })
}

#[cfg(test)]
mod tests;
