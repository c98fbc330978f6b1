//! What starts an agent and is not one: multiplexers, timers, launchers that are gone.

use super::{is_no_agents, pilot_is_named, script, words};
use crate::world::World;
use crate::world::children::Running;
use crate::world::elsewhere::Meeting;
use std::process::{Command, Stdio};

/// A tmux server of the world's own; it ends with this.
pub(super) struct Tmux<'a> {
    world: &'a World,
    begin: Vec<String>,
}

impl<'a> Tmux<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let socket = world.own_dir().join("tmux").display().to_string();
        Self { world, begin: words(&["/usr/bin/tmux", "-f", "/dev/null", "-S", &socket]) }
    }

    /// Runs `words` in a window of its own. The server is the parent: it starts more than one word without a shell.
    #[track_caller]
    pub(super) fn runs(&self, words: &[String]) {
        let mut all = self.begin.clone();
        let running = self.world.own_dir().join("tmux").exists();
        let how: &[&str] = if running { &["new-window", "-d"] } else { &["new-session", "-d", "-s", "s"] };
        all.extend(super::words(how));
        all.extend(words.iter().cloned());
        let _ = self.world.starts(&all);
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let mut command = self.world.user.command(self.begin[0].as_ref());
        let _ = command.args(&self.begin[1..]).arg("kill-server").stderr(Stdio::null()).status();
    }
}

/// `words`, started at once by Debian's cron for the world's user, from a table that nobody else sees.
fn cron(world: &World, words: &[String]) -> Running {
    assert!(rustix::process::getuid().is_root(), "only root runs cron: run `cargo xtask test` as root");
    let start = script(world, "start", &format!("#!/bin/sh\nexec {}\n", words.join(" ")));
    let table = world.file("table", format!("@reboot {}\n", start.display()).as_bytes());
    let hide = format!(
        "set -e
mount -t tmpfs none /run
for folder in /etc/cron.d /var/spool/cron/crontabs; do mount -t tmpfs -o mode=755 none $folder; done
mount --bind /dev/null /etc/crontab
install -m 600 -o {user} {table} /var/spool/cron/crontabs/{user}
exec cron -f",
        user = world.user.name,
        table = table.display(),
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "--", "/bin/sh", "-c", &hide]);
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Running::with_output("cron (a package that `cargo xtask prepare` installs)", command).0
}

/// The words of `pilot` at a meeting, and those of a shim alone.
fn both(world: &World, meeting: &Meeting, how: &[&str]) -> (Vec<String>, Vec<String>) {
    let shim = world.words(&["mcp"]);
    (meeting.words(how, &world.words_of_agent("pilot", &shim)), meeting.words(how, &shim))
}

#[test]
fn an_agent_in_a_multiplexer_is_named() {
    let world = World::new();
    let (tmux, meeting) = (Tmux::new(&world), world.meeting());
    tmux.runs(&both(&world, &meeting, &[]).0);
    pilot_is_named(&world, &mut meeting.agent(), &["pilot", "lych"]);
}

#[test]
fn a_multiplexer_is_never_the_agent() {
    let world = World::new();
    let (tmux, meeting) = (Tmux::new(&world), world.meeting());
    tmux.runs(&both(&world, &meeting, &[]).1);
    is_no_agents(&world, &mut meeting.agent());
}

#[test]
fn a_shell_in_a_multiplexer_is_never_the_agent() {
    let world = World::new();
    let (tmux, meeting) = (Tmux::new(&world), world.meeting());
    let mut shell = words(&["/bin/sh", "-c", "\"$@\"; true", "sh"]);
    shell.extend(both(&world, &meeting, &[]).1);
    tmux.runs(&shell);
    is_no_agents(&world, &mut meeting.agent());
}

#[test]
fn an_agent_of_a_timer_is_named() {
    let world = World::new();
    let meeting = world.meeting();
    let _cron = cron(&world, &both(&world, &meeting, &[]).0);
    pilot_is_named(&world, &mut meeting.agent(), &["pilot", "lych"]);
}

#[test]
fn a_timer_is_never_the_agent() {
    let world = World::new();
    let meeting = world.meeting();
    let _cron = cron(&world, &both(&world, &meeting, &[]).1);
    is_no_agents(&world, &mut meeting.agent());
}

#[test]
fn an_orphaned_agent_in_a_session_of_its_own_is_named() {
    let world = World::new();
    let meeting = world.meeting();
    let _starter = world.starts(&both(&world, &meeting, &["--orphan"]).0);
    pilot_is_named(&world, &mut meeting.agent(), &["pilot", "lych"]);
}

#[test]
fn an_orphaned_shim_has_no_agent() {
    let world = World::new();
    let meeting = world.meeting();
    let _starter = world.starts(&both(&world, &meeting, &["--orphan"]).1);
    is_no_agents(&world, &mut meeting.agent());
}

#[test]
fn an_agent_whose_launcher_has_ended_is_named() {
    let world = World::new();
    let meeting = world.meeting();
    let mut shell = words(&["/bin/sh", "-c", "\"$@\" & exit 0", "sh"]);
    shell.extend(both(&world, &meeting, &[]).0);
    let _launcher = world.starts(&shell);
    pilot_is_named(&world, &mut meeting.agent(), &["pilot", "lych"]);
}

/// Nothing tells that it was the agent's, so nothing is believed of it.
#[test]
fn a_shim_that_left_its_living_agent_has_no_agent() {
    let world = World::new();
    let meeting = world.meeting();
    let agent = world.words_of_agent("pilot", &both(&world, &meeting, &["--orphan"]).1);
    let mut command = world.user.command(agent[0].as_ref());
    command.args(&agent[1..]);
    let (mut living, _output) = Running::with_output("agent", command);
    is_no_agents(&world, &mut meeting.agent());
    assert!(!living.has_ended());
}
