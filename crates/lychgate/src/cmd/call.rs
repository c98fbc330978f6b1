//! `lych call`: one authenticated request, for a script below an agent or for a person. Holds no secret.
//!
//! It asks for itself: below an agent it may work under that agent's approval (R7), else its process is approved by itself.

use super::Context;
use crate::cli::{Format, help};
use crate::operator::{VERSION, block_on};
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use lychgate_core::card::visible;
use lychgate_core::ids::Ref;
use lychgate_core::limits;
use lychgate_core::outcome::Outcome as Told;
use lychgate_shim::{Caller, ShimOptions};
use lychgate_text::{Attempt, Cause, Problem};
use lychgate_wire::agent::{Answer, Call, HttpCall};
use serde_json::Value;
use std::io::{Read as _, Write as _};

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    #[arg(help = help().call.channel)]
    channel: String,
    #[arg(help = help().call.method)]
    method: String,
    #[arg(help = help().call.url)]
    url: String,
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", help = help().call.header, value_parser = header)]
    headers: Vec<(String, String)>,
    #[arg(long, help = help().call.body_stdin)]
    body_stdin: bool,
    #[arg(long, value_name = "SECONDS", help = help().call.wait, default_value_t = limits::WAIT_MAX_SECONDS)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=86_400))]
    wait: u64,
    #[command(flatten)]
    format: Format,
}

/// `Name: value`, as on the command line of other clients.
fn header(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once(':').ok_or(help().call.no_header)?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(crate) fn run(context: &Context, args: CallArgs) -> Outcome {
    let body = if args.body_stdin { Some(input(context)?) } else { None };
    let options = ShimOptions {
        agent_socket: context.paths.agent_socket.clone(),
        conversation: None,
        build: VERSION.to_owned(),
        own_uid: rustix::process::getuid().as_raw(),
        speaks_for_agent: false,
    };
    let mut client_ref = [0u8; 16];
    getrandom::fill(&mut client_ref).map_err(|error| Trouble::system(context.say, Attempt::DrawingRandom, &error))?;
    let first = Call::HttpRequest(HttpCall {
        client_ref: Ref(client_ref),
        channel: args.channel,
        method: args.method,
        url: args.url,
        headers: args.headers,
        body_base64: body.map(|body| STANDARD.encode(body)),
        action_key: None,
        retry_of: None,
        wait_seconds: Some(args.wait.min(limits::WAIT_MAX_SECONDS)),
    });
    block_on(context.say, async {
        let caller = Caller::new(&options).map_err(|error| {
            let why = visible(&error.to_string());
            Trouble::of(context.say, &Problem::Argument { why: Cause::Said(&why) })
        })?;
        let answer = answered(&caller, first, args.wait).await;
        if args.format.json {
            output::json(&Caller::as_json(&answer));
        } else if answer.outcome == Told::Completed {
            show(context, &caller, &answer).await?;
        } else {
            output::error(&caller.in_words(&answer).lines().map(visible).collect::<Vec<_>>().join("\n  "));
        }
        Ok(exit(&answer))
    })
}

/// At most one byte more than may be sent: that it is too long is for the gateway to say.
fn input(context: &Context) -> Result<Vec<u8>, Trouble> {
    let most = u64::try_from(limits::REQUEST_BODY_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut body = Vec::new();
    let read = std::io::stdin().lock().take(most).read_to_end(&mut body);
    read.map_err(|error| Trouble::system(context.say, Attempt::ReadingInput, &error))?;
    Ok(body)
}

/// Makes the call, and waits for the person as long as the command may.
async fn answered(caller: &Caller, first: Call, wait: u64) -> Answer {
    let mut left = wait.saturating_sub(limits::WAIT_MAX_SECONDS);
    let mut answer = caller.call(first).await;
    while let (Told::ApprovalPending, Some(action), true) = (answer.outcome, answer.action_id, left > 0) {
        let now = left.min(limits::WAIT_MAX_SECONDS);
        left = left.saturating_sub(now);
        let status = Call::ActionStatus { action_id: Some(action), action_key: None, wait_seconds: Some(now) };
        answer = caller.call(status).await;
    }
    answer
}

/// The body to standard output as it came, all of it that is kept; what else is to be said to standard error.
async fn show(context: &Context, caller: &Caller, answer: &Answer) -> Result<(), Trouble> {
    let mut part = answer.clone();
    loop {
        // A reader that has left is no failure.
        let _ = std::io::stdout().lock().write_all(&bytes(&part.result));
        let next = part.result.get("next_offset").and_then(Value::as_u64);
        let (Some(offset), Some(action_id)) = (next, answer.action_id) else { break };
        part = caller.call(Call::ReadResult { action_id, offset }).await;
        if part.outcome != Told::Completed {
            let why = visible(&part.text);
            return Err(Trouble::of(context.say, &Problem::Gateway { command: "call", why: Cause::Said(&why) }));
        }
    }
    let said = |name: &str| answer.result.get(name).and_then(Value::as_str);
    if let Some(text) = said("notice").or_else(|| said("observed")) {
        output::error(&visible(text));
    } else if status(answer) >= 400 {
        output::error(&visible(&answer.text));
    }
    Ok(())
}

fn bytes(result: &Value) -> Vec<u8> {
    match (result.get("body"), result.get("body_base64").and_then(Value::as_str)) {
        (Some(Value::String(text)), _) => text.clone().into_bytes(),
        (Some(json), _) => format!("{json}\n").into_bytes(),
        (None, Some(base64)) => STANDARD.decode(base64).unwrap_or_default(),
        (None, None) => Vec::new(),
    }
}

fn status(answer: &Answer) -> u64 {
    answer.result.get("status").and_then(Value::as_u64).unwrap_or(0)
}

/// Scripts rely on it: 0 is a request that was answered without an error status.
fn exit(answer: &Answer) -> Exit {
    match answer.outcome {
        Told::Completed if status(answer) < 400 => Exit::Done,
        Told::Invalid => Exit::Usage,
        Told::GatewayUnavailable => Exit::Unreachable,
        Told::VaultLocked => Exit::Locked,
        Told::Completed
        | Told::ApprovalPending
        | Told::ReauthRequired
        | Told::RetrySafe
        | Told::StatusUnknown
        | Told::Denied
        | Told::UnverifiedRequester => Exit::Failed,
    }
}
