//! The stage is set, and a first action is approved.

use super::Teller;
use crate::cmd::Context;
use crate::cmd::demo::person::Person;
use crate::cmd::demo::place::Place;
use crate::cmd::demo::process::Lych;
use crate::cmd::demo::secrets::Secrets;
use crate::cmd::demo::stage::{CLOSED, ITEMS, Stage, line_of};
use crate::cmd::demo::upstream::Service;
use crate::output;
use crate::paths::Paths;
use crate::ports::{self, Sizes};
use crate::trouble::Trouble;
use lychgate_core::card::visible;
use lychgate_core::outcome::Outcome;
use lychgate_seal::Cost;
use lychgate_text::{Attempt, Demo, DemoCheck, DemoProgram, DemoStep};
use std::net::{Ipv4Addr, TcpListener};
use zeroize::Zeroizing;

/// The passphrase is random and protects nothing, so a try may be cheap: the demo opens the vault many times.
const CHEAP: Sizes = Sizes { cost: Cost { memory_kib: 8 * 1024, passes: 1, lanes: 1 }, segment_bytes: 1024 * 1024 };

/// Service, vault, gateway, channels.
pub(super) async fn set_up<'a>(teller: &mut Teller, place: &'a Place, person: Person) -> Result<Stage<'a>, Trouble> {
    let say = teller.say;
    let secrets = Secrets::random().map_err(|error| Trouble::system(say, Attempt::DrawingRandom, &error))?;
    output::prose(&say.demo(&Demo::Intro { dir: &visible(&place.dir().display().to_string()) }));
    if let Person::Terminal(_) = person {
        output::prose(&say.demo(&Demo::Pin { pin: &secrets.pin }));
    }
    teller.begin(DemoStep::SetUp);
    person.pause().await;

    let program = std::env::current_exe().map_err(|error| Trouble::system(say, Attempt::FindingProgram, &error))?;
    let lych = Lych::new(say, place.state());
    let service = Service::start(say, place, &lych).await?;
    let nobody = unused_port().map_err(|error| Trouble::system(say, Attempt::FindingPort, &error))?;
    output::prose(&say.demo(&Demo::Started { program: DemoProgram::Service, pid: service.pid() }));
    let context = Context { paths: Paths::find(say, Some(&place.state()))?, say };
    let created = ports::create_sized(&context, &secrets.passphrase, &secrets.pin, CHEAP)?;
    output::prose(&say.demo(&Demo::PublicKey { key: &created.public_key }));
    let public_key = created.public_key;
    let mut stage = Stage {
        say,
        place,
        lych,
        program,
        secrets,
        person,
        public_key,
        agent: None,
        gateway: None,
        service,
        nobody: format!("https://127.0.0.1:{nobody}"),
    };
    stage.start_gateway().await?;
    stage.unlock().await?;
    let origin = stage.service.origin();
    add_channel(&stage, ITEMS, &origin).await?;
    add_channel(&stage, CLOSED, &stage.nobody).await?;
    Ok(stage)
}

/// `lych channel add`, with the PIN and then the credential on standard input.
async fn add_channel(stage: &Stage<'_>, name: &str, origin: &str) -> Result<(), Trouble> {
    let told =
        format!("channel add {name} --origin {origin} --path /v1/ --method GET,POST --kind bearer --allow-private");
    let ca = stage.service.ca_pem();
    let mut args: Vec<&str> = told.split(' ').collect();
    args.extend(["--ca", ca, "--factor-stdin", "--secret-stdin"]);
    let input = Zeroizing::new(format!("{}{}", *line_of(&stage.secrets.pin), *line_of(&stage.secrets.bearer)));
    stage.command(&told, &args, &input).await
}

/// A port where nobody listens. Somebody could take it meanwhile; the demo would say so.
fn unused_port() -> std::io::Result<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr().map(|address| address.port())
}

/// A card, a yes, one request.
pub(super) async fn first_yes(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.start_agent().await?;
    let wish = stage.post("/v1/items");
    let heard = stage.with_card(&wish, Outcome::Completed, None).await?;
    let created = heard.result("/status") == Some(&201.into());
    stage.check(created, DemoCheck::Created)?;
    stage.arrived_since(0)?;
    never_had_it(stage)
}

/// The credential went past the agent.
pub(super) fn never_had_it(stage: &Stage<'_>) -> Result<(), Trouble> {
    let had = stage.agent.as_ref().is_none_or(|agent| agent.ever_had(&stage.secrets.bearer));
    stage.check(!had, DemoCheck::AgentNeverHadIt)
}
