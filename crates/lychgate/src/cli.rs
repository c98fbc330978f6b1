//! The arguments, and what `--help` says.

use crate::cmd;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A local credential gateway for AI agents.
///
/// Lychgate keeps API credentials in an encrypted vault, carries out requests that agents ask for, asks you first, and
/// records what was done. Start with `lych up`.
#[derive(Debug, Parser)]
#[command(name = "lych", version, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct Cli {
    /// Keep vault, journal and sockets below this directory.
    ///
    /// Without it they are in ~/.local/share/lychgate and /run/user/UID/lychgate. The home directory comes from the
    /// password database, never from the environment.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// For every command that prints data.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Format {
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// For every command that needs a passphrase or a PIN.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FactorFrom {
    /// Read the passphrase or PIN from standard input, one per line, instead of asking on the terminal.
    #[arg(long)]
    pub(crate) factor_stdin: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start here: create the vault, start the gateway, and answer agents in this terminal.
    ///
    /// The first time it asks for a new passphrase and a new PIN. Later it asks for the passphrase where the vault is
    /// locked. Then it shows each card: who asks, what for, and what a yes covers.
    ///
    /// With --factor-stdin: the passphrase on the first line, and the first time the PIN on the second. Lines that follow
    /// are keys, and PINs after each y; a y or n waits for its card.
    Up(cmd::up::UpArgs),
    /// Run the gateway in the foreground; prints "ready" when agents can connect.
    Gateway(cmd::gateway::GatewayArgs),
    /// Create the vault, the audit key and the journal, and print the vault's public key.
    ///
    /// With --factor-stdin: the passphrase on the first line, the PIN on the second.
    Init(cmd::init::InitArgs),
    /// Unlock the vault. Takes the passphrase.
    Unlock(cmd::unlock::UnlockArgs),
    /// Put an older vault file back, with the gateway stopped. Takes the passphrase.
    ///
    /// The epoch rises above both files, and the next unlock names what was put back.
    #[command(override_usage = "lych restore [OPTIONS] FILE\n       lych restore [OPTIONS] --previous")]
    Restore(cmd::restore::RestoreArgs),
    /// Lock the vault. All approvals end. Takes nothing.
    Lock,
    /// Show the state of the gateway and the vault.
    Status(cmd::status::StatusArgs),
    /// Stop the gateway. All approvals end. Takes nothing.
    Stop,
    /// Add, list, show or remove channels: each is one credential and what it may be used for.
    #[command(subcommand)]
    Channel(cmd::channel::ChannelCommand),
    /// Show the cards that wait for an answer.
    Approvals(cmd::approvals::ApprovalsArgs),
    /// Say yes to a card. Takes the PIN.
    Approve(cmd::approve::ApproveArgs),
    /// Say no to a card. Takes nothing.
    Deny(cmd::deny::DenyArgs),
    /// Show the agents that are connected, and what they may use.
    Runs(cmd::runs::RunsArgs),
    /// End the approvals of a run, or all of them, at once. Takes nothing.
    Revoke(cmd::revoke::RevokeArgs),
    /// Show past and present runs from the journal: what was approved, when and why it ended. Takes the passphrase.
    Sessions(cmd::journal_view::SessionsArgs),
    /// Show what happened, row by row, from the journal. Takes the passphrase.
    Activity(cmd::journal_view::ActivityArgs),
    /// Check the journal, or print a checkpoint of it. Needs no passphrase and no gateway.
    #[command(subcommand)]
    Audit(cmd::audit::AuditCommand),
    /// Serve MCP on standard input and output. An agent starts this; see `lych connect`.
    Mcp(cmd::mcp::McpArgs),
    /// Show how to give an agent its entry for Lychgate.
    Connect(cmd::connect::ConnectArgs),
    /// See the whole story on throw-away state: an agent asks, you decide, and a resumed agent starts without authority.
    Demo(cmd::demo::DemoArgs),
    /// The agent of the demo and of tests: an MCP client that is told on standard input what to call.
    ///
    /// It starts `LYCH mcp` and speaks MCP to it. Input and output are lines of JSON. The first line that it writes is
    /// {"ready":true,"pid":N}. {"id":1,"tool":"http_request","arguments":{…}} calls a tool; several calls may be under
    /// way. The answer is the tool's structured content with the id and the text for a model added, or
    /// {"id":1,"error":"…"}. {"exec":true} makes the process execute its own program again, {"exec":["/bin/cat"]}
    /// another one. It ends with its input.
    #[command(hide = true)]
    DemoAgent(cmd::demo::agent::AgentArgs),
    /// The service of the demo and of tests: HTTPS on a free port of 127.0.0.1, with a certificate of its own.
    ///
    /// DIR/service.json ({"port":N,"ca_pem":"FILE"}) appears when it is ready. Each request becomes one line of
    /// DIR/requests.jsonl before it is answered: time (milliseconds since 1970), method, path, headers, body (or
    /// body_base64). /v1/items answers 201, /v1/drop closes without an answer, /v1/slow?ms=N answers after N
    /// milliseconds, /v1/echo-auth answers with the Authorization header that it got, and everything else is 404.
    #[command(hide = true)]
    DemoService(cmd::demo::service::ServiceArgs),
}
