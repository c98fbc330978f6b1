//! `lych mcp`: the stdio MCP server that an agent starts. And [`Caller`], the same without MCP.
//!
//! It answers the client at once, with no gateway running too, and outlives gateway restarts. It holds no secret and
//! decides nothing: it passes calls on, and it remembers what proves something later (`memory.rs`).
//!
//! ```text
//! client ── stdin ──> Shim (rmcp) ── Ask ──> Task ── frames ──> gateway
//!        <─ stdout ──             <─ Answer ──    <─ frames ──
//! ```
//!
//! Its life ends with standard input or with the process that started it, whichever ends first.
#![forbid(unsafe_code)]

mod answers;
mod arguments;
mod caller;
mod clients;
mod link;
mod memory;
mod parent;
mod schema;
mod server;
mod stdio;
mod tools;

pub use caller::Caller;

use lychgate_core::limits;
use lychgate_text::{english, fill, words};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What `lych mcp` is started with. None of it grants anything.
#[derive(Debug, Clone)]
pub struct ShimOptions {
    /// The gateway's agent socket. Its directory must be ours, with mode 0700 and no symbolic link.
    pub agent_socket: PathBuf,
    /// Conversation label of `--conversation`, for calls whose client sends none. At most
    /// [`limits::CONVERSATION_BYTES`].
    pub conversation: Option<String>,
    /// Version of this program. It is told to the gateway and to the client.
    pub build: String,
    /// The real uid of this process: whoever serves the socket must have it too.
    pub own_uid: u32,
    /// It is `lych mcp`, and asks for the agent above it. Else the process itself is the one that asks.
    pub speaks_for_agent: bool,
}

/// Why the server could not serve.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// The label is too long to be shown on a card.
    #[error("{}", long_label(*.0))]
    Conversation(usize),
    /// The client does not speak MCP.
    #[error("{}", because(words().shim().not_serving.no_mcp, .0))]
    Protocol(String),
    /// No event loop.
    #[error("{}", because(words().shim().not_serving.no_event_loop, .0))]
    Runtime(io::Error),
    /// The service loop failed.
    #[error("{}", because(words().shim().not_serving.fault, .0))]
    Fault(String),
}

fn long_label(size: usize) -> String {
    let (size, limit) = (size.to_string(), limits::CONVERSATION_BYTES.to_string());
    fill(words().shim().not_serving.long_label, &[("size", &size), ("limit", &limit)])
}

fn because(text: &str, why: &dyn Display) -> String {
    fill(text, &[("why", &why.to_string())])
}

/// How long answers may take to reach the client after it closed our standard input.
const DRAIN: Duration = Duration::from_millis(500);

/// Serves MCP on standard input and output until the client closes the input or the parent process ends.
///
/// A read of standard input may still be under way when this returns, so end the process, or leave the runtime with
/// `shutdown_background`; [`run`] does that. Writes nothing but JSON-RPC to standard output.
///
/// # Errors
/// [`ShimError`]. That no gateway answers is none: calls say so.
pub async fn serve(options: ShimOptions) -> Result<(), ShimError> {
    if let Some(label) = options.conversation.as_ref().filter(|label| label.len() > limits::CONVERSATION_BYTES) {
        return Err(ShimError::Conversation(label.len()));
    }
    // A model reads these, whatever language the person speaks.
    let texts = english().shim();
    let parent = parent::watch();
    let closing = CancellationToken::new();
    let link = link::Link::start(&options, texts, closing.clone());
    let (input, output) = rmcp::transport::stdio_pipes();
    let transport = AsyncRwTransport::new_server(stdio::Watched::new(input, closing.clone()), output);
    let shim = server::Shim::new(options, link, texts);

    let conversation = async {
        let running = match shim.serve(transport).await {
            Ok(running) => running,
            // The client closed either stream before it said anything: nobody is left to tell.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(ShimError::Protocol(error.to_string())),
        };
        running.waiting().await.map(drop).map_err(|error| ShimError::Fault(error.to_string()))
    };
    let drained = async {
        closing.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    let result = tokio::select! {
        result = conversation => result,
        () = drained => Ok(()),
        () = parent => Ok(()),
    };
    // Ends the connection to the gateway, and with it every card that only we wait for.
    closing.cancel();
    result
}

/// [`serve`] in an event loop of its own, on this thread; returns at once when it ends.
///
/// # Errors
/// As [`serve`].
pub fn run(options: ShimOptions) -> Result<(), ShimError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ShimError::Runtime)?;
    let result = runtime.block_on(serve(options));
    runtime.shutdown_background();
    result
}
