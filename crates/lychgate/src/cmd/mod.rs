//! The commands, one file each.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod approve;
pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod channel;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod deny;
pub(crate) mod gateway;
pub(crate) mod init;
pub(crate) mod journal_view;
pub(crate) mod lock;
pub(crate) mod mcp;
pub(crate) mod restore;
pub(crate) mod revoke;
pub(crate) mod runs;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod unlock;
pub(crate) mod up;

use crate::cli::{Cli, Command};
use crate::paths::Paths;
use crate::trouble::Outcome;
use lychgate_text::Catalogue;

/// What every command gets.
pub(crate) struct Context {
    /// Where things are.
    pub(crate) paths: Paths,
    /// The person's language.
    pub(crate) say: &'static dyn Catalogue,
}

/// Does what the arguments say.
pub(crate) fn run(cli: Cli, say: &'static dyn Catalogue) -> Outcome {
    let paths = Paths::find(say, cli.state_dir.as_deref())?;
    let context = Context { paths, say };
    match cli.command {
        Command::Up(args) => up::run(&context, args),
        Command::Gateway(args) => gateway::run(&context, &args),
        Command::Init(args) => init::run(&context, args),
        Command::Unlock(args) => unlock::run(&context, args),
        Command::Restore(args) => restore::run(&context, args),
        Command::Lock => lock::run(&context),
        Command::Status(args) => status::run(&context, args),
        Command::Stop => stop::run(&context),
        Command::Channel(command) => channel::run(&context, command),
        Command::Agent(command) => agent::run(&context, command),
        Command::Approvals(args) => approvals::run(&context, args),
        Command::Approve(args) => approve::run(&context, args),
        Command::Deny(args) => deny::run(&context, &args),
        Command::Runs(args) => runs::run(&context, args),
        Command::Revoke(args) => revoke::run(&context, &args),
        Command::Sessions(args) => journal_view::sessions(&context, &args),
        Command::Activity(args) => journal_view::activity(&context, &args),
        Command::Audit(command) => audit::run(&context, command),
        Command::Mcp(args) => mcp::run(&context, args),
        Command::Call(args) => call::run(&context, args),
        Command::Connect(args) => connect::run(&context, &args),
        Command::Demo(args) => demo::run(&context, args),
        Command::DemoAgent(args) => demo::agent::run(&context, &args),
        Command::DemoService(args) => demo::service::run(&context, &args),
    }
}

/// The locale of messages. It chooses words and nothing else.
pub(crate) fn locale() -> String {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
}
