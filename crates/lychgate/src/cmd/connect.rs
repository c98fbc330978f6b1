//! `lych connect CLIENT --print`: what to type, or to put into the client's own file.

use super::Context;
use crate::cli::help;
use crate::output;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::{Args, ValueEnum};
use lychgate_core::card::visible;
use lychgate_text::{Attempt, Cause, Message, Problem};

/// Names of products, the same in every language.
const CLAUDE: &str = "Claude Code";
const CODEX: &str = "Codex";

#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    #[arg(value_enum, help = help().others.connect_client)]
    client: Client,
    #[arg(long, required = true, help = help().others.connect_print)]
    print: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    #[value(help = CLAUDE)]
    Claude,
    #[value(help = CODEX)]
    Codex,
}

pub(crate) fn run(context: &Context, args: &ConnectArgs) -> Outcome {
    let command = own_command(context)?;
    let say = context.say;
    let (client, typed, file, of_project, entry) = match args.client {
        Client::Claude => {
            (CLAUDE, "claude mcp add --scope user lychgate --", ".mcp.json", true, claude_entry(&command))
        }
        Client::Codex => (CODEX, "codex mcp add lychgate --", "~/.codex/config.toml", false, codex_entry(&command)),
    };
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    output::prose(&say.message(&Message::ConnectIntro { client }));
    output::line(&format!("  {typed} {}", words.join(" ")));
    output::line("");
    output::prose(&say.message(&Message::ConnectFile { file, of_project }));
    output::line(&entry);
    Ok(Exit::Done)
}

/// This program by its absolute path, and the flags that lead it to the same gateway without an environment.
fn own_command(context: &Context) -> Result<Vec<String>, Trouble> {
    let program =
        std::env::current_exe().map_err(|error| Trouble::system(context.say, Attempt::FindingProgram, &error))?;
    let mut command = vec![program];
    if context.paths.chosen {
        command.extend(["--state-dir".into(), context.paths.state.clone()]);
    }
    command.push("mcp".into());
    let words: Option<Vec<String>> = command.into_iter().map(|word| word.into_os_string().into_string().ok()).collect();
    words
        .filter(|words| words.iter().all(|word| visible(word) == *word))
        .ok_or_else(|| Trouble::of(context.say, &Problem::Argument { why: Cause::PathUnwritable }))
}

fn claude_entry(command: &[String]) -> String {
    let (program, flags) = command.split_first().map_or(("", &[][..]), |(program, flags)| (program.as_str(), flags));
    let entry = serde_json::json!({
        "mcpServers": { "lychgate": { "type": "stdio", "command": program, "args": flags } }
    });
    serde_json::to_string_pretty(&entry).unwrap_or_default()
}

/// TOML basic strings and JSON strings agree on what we can have here: no control characters.
fn codex_entry(command: &[String]) -> String {
    let (program, flags) = command.split_first().map_or(("", &[][..]), |(program, flags)| (program.as_str(), flags));
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let flags: Vec<String> = flags.iter().map(|flag| quoted(flag)).collect();
    format!("[mcp_servers.lychgate]\ncommand = {}\nargs = [{}]", quoted(program), flags.join(", "))
}

fn shell_word(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+=:@,".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_and_the_files_as_they_are() {
        assert_eq!(shell_word("/usr/bin/lych"), "/usr/bin/lych");
        assert_eq!(shell_word("/tmp/it's $HOME"), r"'/tmp/it'\''s $HOME'");
        assert_eq!(shell_word(""), "''");
        let command = ["/a \"b\"/lych".to_owned(), "mcp".to_owned()];
        assert_eq!(codex_entry(&command), "[mcp_servers.lychgate]\ncommand = \"/a \\\"b\\\"/lych\"\nargs = [\"mcp\"]");
        let json: serde_json::Value = serde_json::from_str(&claude_entry(&command)).unwrap_or_default();
        assert_eq!(json.pointer("/mcpServers/lychgate/command"), Some(&"/a \"b\"/lych".into()));
    }
}
