//! The arguments. What `--help` says of them is in the catalogue.

use crate::cmd;
use clap::{Args, Parser, Subcommand};
use lychgate_text::{HelpTexts, words};
use std::path::PathBuf;

/// What `--help` says, in the language of this process. clap asks when it builds the command: after `speak`.
///
/// A doc comment on an argument or a command would be taken as its help, in English: an attribute names it instead.
pub(crate) fn help() -> &'static HelpTexts {
    words().help()
}

#[derive(Debug, Parser)]
#[command(name = "lych", version, arg_required_else_help = true, propagate_version = true)]
#[command(about = help().program.short, long_about = help().program.long)]
pub(crate) struct Cli {
    #[arg(long, global = true, value_name = "DIR")]
    #[arg(help = help().common.state_dir.short, long_help = help().common.state_dir.long)]
    pub(crate) state_dir: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// For every command that prints data.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Format {
    #[arg(long, help = help().common.json)]
    pub(crate) json: bool,
}

/// For every command that needs a passphrase or a PIN.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FactorFrom {
    #[arg(long, help = help().common.factor_stdin)]
    pub(crate) factor_stdin: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(about = help().commands.up.short, long_about = help().commands.up.long)]
    Up(cmd::up::UpArgs),
    #[command(about = help().commands.gateway)]
    Gateway(cmd::gateway::GatewayArgs),
    #[command(about = help().commands.init.short, long_about = help().commands.init.long)]
    Init(cmd::init::InitArgs),
    #[command(about = help().commands.unlock)]
    Unlock(cmd::unlock::UnlockArgs),
    #[command(override_usage = "lych restore [OPTIONS] FILE\n       lych restore [OPTIONS] --previous")]
    #[command(about = help().commands.restore.short, long_about = help().commands.restore.long)]
    Restore(cmd::restore::RestoreArgs),
    #[command(about = help().commands.lock)]
    Lock,
    #[command(about = help().commands.status)]
    Status(cmd::status::StatusArgs),
    #[command(about = help().commands.stop)]
    Stop,
    #[command(subcommand, about = help().commands.channel)]
    Channel(cmd::channel::ChannelCommand),
    #[command(subcommand, about = help().commands.agent)]
    Agent(cmd::agent::AgentCommand),
    #[command(about = help().commands.approvals)]
    Approvals(cmd::approvals::ApprovalsArgs),
    #[command(about = help().commands.approve)]
    Approve(cmd::approve::ApproveArgs),
    #[command(about = help().commands.deny)]
    Deny(cmd::deny::DenyArgs),
    #[command(about = help().commands.runs)]
    Runs(cmd::runs::RunsArgs),
    #[command(about = help().commands.revoke)]
    Revoke(cmd::revoke::RevokeArgs),
    #[command(about = help().commands.sessions)]
    Sessions(cmd::journal_view::SessionsArgs),
    #[command(about = help().commands.activity)]
    Activity(cmd::journal_view::ActivityArgs),
    #[command(subcommand, about = help().commands.audit)]
    Audit(cmd::audit::AuditCommand),
    #[command(about = help().commands.mcp)]
    Mcp(cmd::mcp::McpArgs),
    #[command(about = help().commands.call.short, long_about = help().commands.call.long)]
    Call(cmd::call::CallArgs),
    #[command(about = help().commands.connect)]
    Connect(cmd::connect::ConnectArgs),
    #[command(about = help().commands.demo)]
    Demo(cmd::demo::DemoArgs),
    #[command(hide = true)]
    #[command(about = help().commands.demo_agent.short, long_about = help().commands.demo_agent.long)]
    DemoAgent(cmd::demo::agent::AgentArgs),
    #[command(hide = true)]
    #[command(about = help().commands.demo_service.short, long_about = help().commands.demo_service.long)]
    DemoService(cmd::demo::service::ServiceArgs),
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{Command, CommandFactory as _};

    /// Names of what is shown and says nothing of itself.
    fn silent(command: &Command, found: &mut Vec<String>) {
        if command.get_about().is_none() {
            found.push(command.get_name().to_owned());
        }
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let bare = arguments.filter(|argument| argument.get_help().is_none());
        found.extend(bare.map(|argument| format!("{} {}", command.get_name(), argument.get_id())));
        command.get_subcommands().for_each(|below| silent(below, found));
    }

    #[test]
    fn every_command_and_every_argument_says_what_it_is_for() {
        let mut found = Vec::new();
        silent(&Cli::command(), &mut found);
        assert!(found.is_empty(), "{found:?}");
        Cli::command().debug_assert();
    }
}
