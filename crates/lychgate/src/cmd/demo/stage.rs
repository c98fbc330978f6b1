//! Everything that takes part, and what several steps do with it.

use super::caller::{Agent, Heard, words};
use super::person::{Answered, Person, next_card, open_cards};
use super::place::Place;
use super::process::{Lych, Program, log};
use super::secrets::Secrets;
use super::upstream::{Arrived, Service};
use super::{failure, visible_lines};
use crate::cmd::gateway::READY;
use crate::output;
use crate::trouble::Trouble;
use lychgate_core::outcome::{Outcome, Reason};
use lychgate_text::{Attempt, Catalogue, Cause, Demo, DemoCheck, DemoFailure, DemoProgram, Problem};
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::ChildStdout;
use zeroize::Zeroizing;

/// The channel to the service.
pub(super) const ITEMS: &str = "items";
/// The channel to nobody.
pub(super) const CLOSED: &str = "closed";
/// A gateway is ready long before.
const GATEWAY_TAKES: Duration = Duration::from_secs(20);

/// Who and what takes part. Dropped: every process has ended.
pub(super) struct Stage<'a> {
    pub(super) say: &'static dyn Catalogue,
    pub(super) place: &'a Place,
    pub(super) lych: Lych,
    /// The program file that the shim runs, by its path: the gateway's own.
    pub(super) program: PathBuf,
    pub(super) secrets: Secrets,
    pub(super) person: Person,
    pub(super) public_key: String,
    pub(super) agent: Option<Agent>,
    pub(super) gateway: Option<Program>,
    pub(super) service: Service,
    /// The origin of [`CLOSED`].
    pub(super) nobody: String,
}

/// What the agent wants done, and how that is told.
pub(super) struct Wish {
    tool: &'static str,
    arguments: Value,
    gist: String,
}

impl Stage<'_> {
    pub(super) fn tell(&self, text: &Demo<'_>) {
        output::prose(&self.say.demo(text));
    }

    pub(super) fn good(&self, check: DemoCheck<'_>) {
        self.tell(&Demo::Good(check));
    }

    /// Holds or ends the demo.
    pub(super) fn check(&self, holds: bool, check: DemoCheck<'_>) -> Result<(), Trouble> {
        if !holds {
            return Err(failure(self.say, &DemoFailure::Check(check)));
        }
        self.good(check);
        Ok(())
    }

    /// A request to the service.
    pub(super) fn post(&self, path: &str) -> Wish {
        Self::request(ITEMS, &format!("{}{path}", self.service.origin()))
    }

    pub(super) fn request(channel: &str, url: &str) -> Wish {
        let body = r#"{"name":"an item"}"#;
        Wish {
            tool: "http_request",
            arguments: json!({
                "channel": channel, "method": "POST", "url": url, "body": body,
                "headers": { "content-type": "application/json" },
            }),
            gist: format!("POST {url} {body}"),
        }
    }

    pub(super) fn authorize(channel: &str) -> Wish {
        Wish { tool: "authorize", arguments: json!({ "channels": [channel] }), gist: channel.to_owned() }
    }

    /// The agent calls and no card may open.
    pub(super) async fn alone(
        &mut self,
        wish: &Wish,
        outcome: Outcome,
        reason: Option<Reason>,
    ) -> Result<Heard, Trouble> {
        let agent = announce(self.say, &mut self.agent, wish)?;
        let heard = agent.call(wish.tool, &wish.arguments).await?;
        self.must_hear(&heard, outcome, reason)?;
        Ok(heard)
    }

    /// The same, for a call that must reach neither the person nor the service.
    pub(super) async fn refused(&mut self, wish: &Wish, outcome: Outcome, reason: Reason) -> Result<(), Trouble> {
        let before = self.service.arrived()?.len();
        self.alone(wish, outcome, Some(reason)).await?;
        let same = self.service.arrived()?.len() == before;
        self.check(same, DemoCheck::NothingSent)?;
        if outcome == Outcome::ReauthRequired {
            let none = open_cards(self.say, &self.lych).await?.is_empty();
            self.check(none, DemoCheck::NoCardYet)?;
        }
        Ok(())
    }

    /// The agent calls, a card opens, the person answers it.
    pub(super) async fn with_card(
        &mut self,
        wish: &Wish,
        outcome: Outcome,
        reason: Option<Reason>,
    ) -> Result<Heard, Trouble> {
        let agent = announce(self.say, &mut self.agent, wish)?;
        let (heard, answered) = {
            let call = agent.call(wish.tool, &wish.arguments);
            tokio::pin!(call);
            let opened = tokio::select! {
                heard = &mut call => Err(heard?),
                card = next_card(self.say, &self.lych) => Ok(card?),
            };
            match opened {
                // The agent may hear of the answer before the command that gave it has said so.
                Ok(card) => tokio::try_join!(call, self.person.answer(self.say, &self.lych, &self.secrets, &card))?,
                // Without a card: what it heard is judged below.
                Err(heard) => (heard, Answered::Yes),
            }
        };
        if answered == Answered::No {
            self.must_hear(&heard, Outcome::Denied, Some(Reason::DeniedByOperator))?;
            return Err(failure(self.say, &DemoFailure::SaidNo));
        }
        self.must_hear(&heard, outcome, reason)?;
        self.person.pause().await;
        Ok(heard)
    }

    fn must_hear(&self, heard: &Heard, outcome: Outcome, reason: Option<Reason>) -> Result<(), Trouble> {
        let (wanted, words) = (words(outcome, reason), heard.words());
        if words != wanted {
            let heard = heard.lines().join("\n  ");
            return Err(failure(self.say, &DemoFailure::Heard { wanted: &wanted, heard: &heard }));
        }
        self.tell(&Demo::AgentHeard);
        output::lines(&heard.lines().iter().map(|line| format!("    {line}")).collect::<Vec<_>>());
        self.good(DemoCheck::Heard { words: &words });
        Ok(())
    }

    /// The one request that arrived at the service since there were `before`; the credential must stand in it once.
    pub(super) fn arrived_since(&self, before: usize) -> Result<Arrived, Trouble> {
        let mut new = self.service.arrived()?.into_iter().skip(before);
        let one = new.next().filter(|first| new.len() == 0 && first.bearers(&self.secrets.bearer) == 1);
        let one = one.ok_or_else(|| failure(self.say, &DemoFailure::Check(DemoCheck::BearerOnce)))?;
        self.good(DemoCheck::BearerOnce);
        Ok(one)
    }

    /// Starts an agent; the one before it has ended.
    pub(super) async fn start_agent(&mut self) -> Result<(), Trouble> {
        let agent = Agent::start(self.say, self.place, &self.program).await?;
        self.tell(&Demo::Started { program: DemoProgram::Agent, pid: agent.pid() });
        self.agent = Some(agent);
        Ok(())
    }

    /// SIGKILL.
    pub(super) async fn kill_agent(&mut self) {
        if let Some(agent) = self.agent.take() {
            let pid = agent.pid();
            agent.kill().await;
            self.tell(&Demo::Killed { program: DemoProgram::Agent, pid });
        }
    }

    /// Starts the gateway; it listens when this returns.
    pub(super) async fn start_gateway(&mut self) -> Result<(), Trouble> {
        let gateway = start_gateway(self.say, self.place, &self.lych).await?;
        self.tell(&Demo::Started { program: DemoProgram::Gateway, pid: gateway.pid() });
        self.gateway = Some(gateway);
        Ok(())
    }

    /// SIGKILL.
    pub(super) fn kill_gateway(&mut self) {
        if let Some(gateway) = self.gateway.take() {
            let pid = gateway.pid();
            drop(gateway);
            self.tell(&Demo::Killed { program: DemoProgram::Gateway, pid });
        }
    }

    /// `lych unlock`.
    pub(super) async fn unlock(&self) -> Result<(), Trouble> {
        self.command("unlock", &["unlock", "--factor-stdin"], &line_of(&self.secrets.passphrase)).await
    }

    /// A command of the person, told as it would be typed, with what it printed.
    pub(super) async fn command(&self, told: &str, args: &[&str], input: &str) -> Result<(), Trouble> {
        self.tell(&Demo::PersonRuns { command: &format!("lych {told}") });
        let ran = self.lych.must(args, input).await?;
        output::lines(&visible_lines(&ran.out));
        Ok(())
    }
}

/// A factor as a line of standard input.
pub(super) fn line_of(factor: &str) -> Zeroizing<String> {
    Zeroizing::new(format!("{factor}\n"))
}

fn announce<'a>(say: &dyn Catalogue, agent: &'a mut Option<Agent>, wish: &Wish) -> Result<&'a mut Agent, Trouble> {
    let none = || Trouble::of(say, &Problem::System { what: Attempt::CallingTool, why: Cause::NoAgent });
    let agent = agent.as_mut().ok_or_else(none)?;
    output::prose(&say.demo(&Demo::AgentCalls { pid: agent.pid(), tool: wish.tool, gist: &wish.gist }));
    Ok(agent)
}

async fn start_gateway(say: &'static dyn Catalogue, place: &Place, lych: &Lych) -> Result<Program, Trouble> {
    let failed = |error: io::Error| Trouble::system(say, Attempt::StartingGateway, &error);
    let mut command = lych.command(&["gateway"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log(&place.log("gateway")).map_err(failed)?);
    let mut program = Program::start(&mut command).map_err(failed)?;
    let no_pipes = || Trouble::of(say, &Problem::System { what: Attempt::StartingGateway, why: Cause::NoPipes });
    let stdout = program.child().stdout.take().ok_or_else(no_pipes)?;
    let mut lines = BufReader::new(ChildStdout::from_std(stdout).map_err(failed)?).lines();
    let heard = tokio::time::timeout(GATEWAY_TAKES, lines.next_line())
        .await
        .map_err(|_| failure(say, &DemoFailure::TooLong { what: Attempt::StartingGateway }))?
        .map_err(failed)?;
    if heard.as_deref() == Some(READY) {
        return Ok(program);
    }
    let said = std::fs::read_to_string(place.log("gateway")).unwrap_or_default();
    Err(failed(io::Error::other(visible_lines(&said).join("\n  "))))
}
