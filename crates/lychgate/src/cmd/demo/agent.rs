//! `lych demo-agent`: a small agent. It starts `lych mcp`, is its MCP client, and calls what it is told on standard
//! input. Its help has the lines that it reads and writes.

use super::parent;
use crate::cli::help;
use crate::cmd::Context;
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use lychgate_core::card::visible;
use lychgate_text::{Attempt, Cause, Problem};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use rmcp::service::{Peer, RoleClient};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    #[arg(long, value_name = "PATH", help = help().others.demo_agent_lych)]
    lych: PathBuf,
    #[arg(long, value_name = "REF", help = help().others.demo_agent_conversation)]
    conversation: Option<String>,
}

/// A line of input.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Line {
    Call {
        #[serde(default)]
        id: Value,
        tool: String,
        #[serde(default)]
        arguments: Map<String, Value>,
    },
    Exec {
        exec: Exec,
    },
}

/// What to become.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Exec {
    /// This program again, with the same arguments. `false` means nothing.
    Again(bool),
    /// Another program with its arguments.
    Other(Vec<String>),
}

pub(crate) fn run(context: &Context, args: &AgentArgs) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::system(context.say, Attempt::Starting, &error))?;
    let outcome = runtime.block_on(converse(context, args));
    // A read of standard input may be under way.
    runtime.shutdown_background();
    outcome.map(|()| Exit::Done)
}

async fn converse(context: &Context, args: &AgentArgs) -> Result<(), Trouble> {
    let failed = |what, error: &dyn Display| Trouble::system(context.say, what, error);
    let mut shim = start_shim(context, args)?;
    let (Some(output), Some(input)) = (shim.stdout.take(), shim.stdin.take()) else {
        return Err(Trouble::of(context.say, &Problem::System { what: Attempt::StartingShim, why: Cause::NoPipes }));
    };
    let client =
        ().serve(AsyncRwTransport::new_client(output, input))
            .await
            .map_err(|error| failed(Attempt::SpeakingMcp, &error))?;
    output::json(&json!({ "ready": true, "pid": std::process::id() }));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let orphaned = parent::ended();
    tokio::pin!(orphaned);
    loop {
        let line = tokio::select! {
            () = &mut orphaned => return Ok(()),
            line = lines.next_line() => line.map_err(|error| failed(Attempt::ReadingInput, &error))?,
        };
        let Some(line) = line else { return Ok(()) };
        match serde_json::from_str(&line) {
            Ok(Line::Call { id, tool, arguments }) => {
                let peer = client.peer().clone();
                tokio::spawn(async move { output::json(&call(&peer, id, tool, arguments).await) });
            }
            Ok(Line::Exec { exec: Exec::Again(false) }) => {}
            Ok(Line::Exec { exec }) => return Err(become_another(context, exec)),
            Err(error) => {
                let why = Cause::InputLine { why: &visible(&error.to_string()) };
                return Err(Trouble::of(context.say, &Problem::Argument { why }));
            }
        }
    }
}

fn start_shim(context: &Context, args: &AgentArgs) -> Result<Child, Trouble> {
    let mut shim = Command::new(&args.lych);
    if context.paths.chosen {
        shim.arg("--state-dir").arg(&context.paths.state);
    }
    shim.arg("mcp");
    if let Some(conversation) = &args.conversation {
        shim.arg("--conversation").arg(conversation);
    }
    shim.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    shim.spawn().map_err(|error| Trouble::system(context.say, Attempt::StartingShim, &error))
}

async fn call(peer: &Peer<RoleClient>, id: Value, tool: String, arguments: Map<String, Value>) -> Value {
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let mut line = match peer.call_tool(request).await {
        Ok(result) => shape(result),
        Err(error) => Map::from_iter([("error".to_owned(), json!(error.to_string()))]),
    };
    if !id.is_null() {
        line.insert("id".to_owned(), id);
    }
    Value::Object(line)
}

fn shape(result: CallToolResult) -> Map<String, Value> {
    let texts: Vec<&str> =
        result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.text.as_str()).collect();
    let text = texts.join("\n");
    let mut line = match result.structured_content {
        Some(Value::Object(fields)) => fields,
        other => Map::from_iter([("structured".to_owned(), other.unwrap_or_default())]),
    };
    line.insert("text".to_owned(), json!(text));
    line
}

/// Returns only where it failed. Our pipes to the shim close with it, so a new program starts a shim of its own.
fn become_another(context: &Context, exec: Exec) -> Trouble {
    let mut next = match exec {
        Exec::Again(_) => match std::env::current_exe() {
            Ok(own) => {
                let mut again = std::process::Command::new(own);
                again.args(std::env::args_os().skip(1));
                again
            }
            Err(error) => return Trouble::system(context.say, Attempt::FindingProgram, &error),
        },
        Exec::Other(words) => {
            let Some((program, arguments)) = words.split_first() else {
                return Trouble::of(context.say, &Problem::Argument { why: Cause::NoProgramNamed });
            };
            let mut other = std::process::Command::new(program);
            other.args(arguments);
            other
        }
    };
    let error = next.exec();
    Trouble::system(context.say, Attempt::Executing, &error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
    use super::*;

    #[test]
    fn a_line_calls_a_tool_or_executes_and_anything_else_is_refused() {
        let of = |text: &str| serde_json::from_str::<Line>(text);
        let Ok(Line::Call { id, tool, arguments }) = of(r#"{"id":1,"tool":"run_status"}"#) else { panic!("no call") };
        assert_eq!((id, tool.as_str(), arguments.len()), (json!(1), "run_status", 0));
        assert!(matches!(of(r#"{"exec":true}"#), Ok(Line::Exec { exec: Exec::Again(true) })));
        let Ok(Line::Exec { exec: Exec::Other(words) }) = of(r#"{"exec":["/bin/cat"]}"#) else { panic!("no exec") };
        assert_eq!(words, ["/bin/cat"]);
        for bad in
            ["{}", r#"{"id":1}"#, r#"{"exec":1}"#, r#"{"tool":"x","arguments":[]}"#, r#"{"tool":"x","what":1}"#, "x"]
        {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
