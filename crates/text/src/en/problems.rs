//! What went wrong: what, why, what next. Lower case, as the program's name stands before it.

mod attempt;
mod cause;

pub(super) use attempt::attempt;
pub(super) use cause::cause;

use crate::problem::{Problem as P, Wanted};

pub(super) fn problem(problem: &P<'_>) -> [String; 3] {
    let (what, why, next): (String, String, &str) = match problem {
        P::NoGateway { socket } => (
            "no gateway answers".into(),
            format!("nothing listens at {socket}"),
            "start it with `lych up`, or give the --state-dir that it was started with",
        ),
        P::GatewayLeft { why } => (
            "the gateway left in the middle of the command".into(),
            cause(why),
            "`lych status` shows whether it runs; what was asked may have been done",
        ),
        P::GatewayEnded { why } => (
            "the gateway was stopped or ended, so this console ends".into(),
            (*why).into(),
            "all approvals have ended; `lych up` starts it again",
        ),
        P::NotOurGateway { why } => (
            "whoever serves the socket can't be trusted with a passphrase or PIN; none was sent".into(),
            cause(why),
            "find out who made that directory or socket before you go on",
        ),
        P::OtherBuild { gateway, ours } => (
            "the gateway is of another build".into(),
            format!("the gateway is {gateway}, this program is {ours}"),
            "stop the gateway with the program that started it, then run `lych up`",
        ),
        P::Gateway { command, why } => (format!("{command}: not done"), cause(why), ""),
        P::GatewayNotStarted { why } => {
            ("the gateway did not start".into(), (*why).into(), "run `lych gateway` to see it in the foreground")
        }
        P::NoTerminal => (
            "a passphrase or PIN is needed, and there is no terminal to ask on".into(),
            "secrets are never taken from arguments or the environment".into(),
            "run it in a terminal, or give --factor-stdin and one line for each on standard input",
        ),
        P::Terminal { why } => {
            ("the terminal could not be read".into(), (*why).into(), "run it in a terminal, or give --factor-stdin")
        }
        P::InputEnded { wanted } => (
            format!("standard input ended before the {}", name(*wanted)),
            String::new(),
            "give each on a line of its own; `lych COMMAND --help` says in which order",
        ),
        P::InputMalformed { wanted } => (
            format!("the line for the {} can't be used", name(*wanted)),
            "it is too long or not UTF-8 text".into(),
            "give each on a line of its own; `lych COMMAND --help` says in which order",
        ),
        P::Empty { wanted } => (format!("the {} is empty", name(*wanted)), String::new(), "nothing was changed"),
        P::Differ { wanted } => (
            format!("the two entries of the {} differ", name(*wanted)),
            String::new(),
            "nothing was changed; choose one and type it twice",
        ),
        P::FactorForm { wanted, why } => {
            (format!("that {} can't be used", name(*wanted)), cause(why), "nothing was changed; choose another one")
        }
        P::VaultExists { dir } => (
            "there is a vault already".into(),
            format!("it is in {dir}, and a second one would replace it"),
            "run `lych up` to use it, or give another --state-dir",
        ),
        P::NoVault { dir } => (
            "there is no vault yet".into(),
            format!("nothing was found in {dir}"),
            "run `lych up` (or `lych init`) to create one, or give the right --state-dir",
        ),
        P::NoJournal { dir } => (
            format!("there is no journal in {dir}"),
            String::new(),
            "give the journal's directory (it holds a file LOG), or the --state-dir that it belongs to",
        ),
        P::Store { what, why } => (format!("{} failed", attempt(what)), cause(why), ""),
        P::Directory { dir, why } => (
            format!("the directory {dir} can't be used"),
            (*why).into(),
            "it must be a directory of yours that nobody else may enter (mode 0700), and no symbolic link",
        ),
        P::NoHome => (
            "the operating system names no home directory for this user".into(),
            "the home comes from the password database, never from the environment".into(),
            "give --state-dir",
        ),
        P::File { file, why } => (format!("{file} can't be read"), cause(why), ""),
        P::Argument { why } => (cause(why), String::new(), "`lych COMMAND --help` shows what is accepted"),
        P::System { what, why } => (format!("{} failed", attempt(what)), cause(why), ""),
    };
    [what, why, next.to_owned()]
}

fn name(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Passphrase => "passphrase",
        Wanted::Pin => "PIN",
        Wanted::Secret => "credential",
    }
}
