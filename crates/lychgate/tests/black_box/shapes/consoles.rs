//! A person's console beside an agent is no descendant of its run, whatever they have in common above; one below is.

use super::starters::Tmux;
use super::{shim_through, words};
use crate::world::agent::Agent;
use crate::world::children::Running;
use crate::world::fixture::PIN;
use crate::world::{World, until};
use std::path::PathBuf;

/// A shell command that says yes to the card that it reads from `pipe`, and writes what came of it to `told`.
struct Console {
    line: String,
    pipe: PathBuf,
    told: PathBuf,
}

impl Console {
    fn new(world: &World) -> Self {
        let [pipe, told] = ["pipe", "told"].map(|name| world.own_dir().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        world.user.give(&pipe);
        let pin = world.file("pin", format!("{PIN}\n").as_bytes());
        let lych = world.words(&[]).join(" ");
        let line = format!(
            "read card <{pipe}; {lych} approve $card --factor-stdin <{pin} >{told}.all 2>&1; echo $? >>{told}.all; \
             mv {told}.all {told}",
            pipe = pipe.display(),
            pin = pin.display(),
            told = told.display(),
        );
        Self { line, pipe, told }
    }

    /// A card of the agent is refused from below it and accepted here.
    #[track_caller]
    fn says_yes(&self, world: &World, agent: &mut Agent) {
        let card = format!("C{}", agent.get(world, "/v1/x").must_say("APPROVAL_PENDING new_run").card());
        let approve = world.words(&["approve", &card, "--factor-stdin"]);
        agent.runs(&approve, &format!("{PIN}\n")).exits(1).complains("agent");
        let mut shell = words(&["/bin/sh", "-c", "\"$@\"; exit $?", "sh"]);
        shell.extend(approve);
        agent.runs(&shell, &format!("{PIN}\n")).exits(1).complains("agent");
        assert_eq!((world.cards().len(), world.upstream.connections()), (1, 0));

        std::fs::write(&self.pipe, format!("{card}\n")).unwrap();
        let told = until("the console's answer", || std::fs::read_to_string(&self.told).ok());
        assert_eq!(told.lines().last(), Some("0"), "{told}");
        agent.get(world, "/v1/x").must_say("COMPLETED");
    }
}

#[test]
fn a_console_in_the_multiplexer_of_the_agent_may_say_yes_and_one_below_the_agent_may_not() {
    let world = World::new();
    let (tmux, meeting, console) = (Tmux::new(&world), world.meeting(), Console::new(&world));
    tmux.runs(&meeting.words(&[], &world.words_of_agent("pilot", &shim_through(&world, &[]))));
    let mut agent = meeting.agent();
    agent.takes_orders(&world);
    tmux.runs(&words(&["/bin/sh", "-c", &console.line]));
    console.says_yes(&world, &mut agent);
}

#[test]
fn a_console_of_the_shell_that_started_the_agent_may_say_yes_and_one_below_the_agent_may_not() {
    let world = World::new();
    let (meeting, console) = (world.meeting(), Console::new(&world));
    let agent = meeting.words(&[], &world.words_of_agent("pilot", &shim_through(&world, &[])));
    let mut command = world.user.command("/bin/sh".as_ref());
    command.args(["-c", &format!("{} & {}; wait", agent.join(" "), console.line)]);
    let (_shell, _output) = Running::with_output("shell", command);
    let mut agent = meeting.agent();
    agent.takes_orders(&world);
    console.says_yes(&world, &mut agent);
}
