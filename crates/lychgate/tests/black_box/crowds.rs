//! Many processes that come and go at once: what they took of the gateway is free again, and others do not wait.

use crate::world::children::{Output, Running};
use crate::world::raw::{By, Raw};
use crate::world::{World, place, until};
use std::io::Write;
use std::process::{ChildStdin, Stdio};

/// Processes of `crowd.py`.
struct Crowd {
    _process: Running,
    stdin: ChildStdin,
    output: Output,
}

impl Crowd {
    fn new(world: &World, count: u32, more: &[&str]) -> Self {
        let script = world.file("crowd.py", include_bytes!("../world/crowd.py"));
        let mut command = world.user.command(&place::python());
        command.arg(script).arg(world.state.join("run/agent.sock")).arg(count.to_string()).args(more);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("crowd", command);
        let stdin = process.stdin().unwrap();
        let output = Output::of(&mut process);
        Self { _process: process, stdin, output }
    }

    fn next(&mut self) {
        self.stdin.write_all(b"\n").unwrap();
    }

    #[track_caller]
    fn hear(&self) -> String {
        self.output.line().unwrap_or_else(|| panic!("it ended: {}", self.output.text()))
    }
}

fn descriptors(world: &World) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", world.gateway_pid())).unwrap().count()
}

/// Memory of the gateway that is no file's, in KiB.
fn memory(world: &World) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", world.gateway_pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

/// One crowd of 300 comes and goes; how many requests of the agent that was there were served while it came.
#[track_caller]
fn comes_and_goes(world: &World, crowd: &mut Crowd, agent: &mut Raw) -> u32 {
    let mut serve_until = |said: &str, output: &Output| {
        let from = output.text().matches(said).count();
        let mut before = 0;
        until(said, || {
            agent.is_served(world);
            let is_said = output.text().matches(said).count() > from;
            before += u32::from(!is_said);
            is_said.then_some(())
        });
        before
    };
    let output = crowd.output.clone();
    crowd.next();
    let served = serve_until("registered", &output);
    assert_eq!(crowd.hear(), "registered 300 refused 0");
    assert_eq!(world.runs().len(), 301);
    crowd.next();
    serve_until("gone", &output);
    assert_eq!(crowd.hear(), "gone");
    until("one run", || (world.runs().len() == 1).then_some(()));
    served
}

#[test]
fn three_hundred_agents_that_register_and_end_at_once_leave_nothing_behind_and_delay_nobody() {
    let world = World::new();
    let mut agent = world.approved_raw();
    let before = descriptors(&world);
    let mut crowd = Crowd::new(&world, 300, &["--patient"]);
    comes_and_goes(&world, &mut crowd, &mut agent);
    // What a first crowd makes the allocator keep is there for the next.
    let kept = memory(&world);
    for _ in 0..2 {
        let served = comes_and_goes(&world, &mut crowd, &mut agent);
        // Not behind the crowd: it is usually some twenty.
        assert!(served >= 2, "{served}");
    }
    until("its descriptors", || (descriptors(&world) <= before).then_some(()));
    let now = memory(&world);
    assert!(now < kept + 8 * 1024, "{now} KiB after {kept}");
    agent.is_served(&world);
    until("their ends in the journal", || (world.activity().matches("process_exited").count() == 900).then_some(()));
}

#[test]
fn a_gateway_without_descriptors_refuses_new_agents_in_words_and_serves_those_that_are_there() {
    let mut world = World::asleep();
    world.start_with_descriptors(160);
    world.unlock();
    world.add_channel("api", &[]);
    let mut agent = world.approved_raw();
    let before = descriptors(&world);
    let mut crowd = Crowd::new(&world, 60, &[]);
    crowd.next();
    let said = crowd.hear();
    let numbers: Vec<u32> = said.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[0] > 0 && numbers[1] > 0 && numbers[0] + numbers[1] == 60, "{said}");
    agent.is_served(&world);
    world.lych(&["revoke", "--all"]).exits(0);
    agent.call(By::Itself, &world.raw_get("/v1/y")).unwrap().must_say("REAUTH_REQUIRED approval_revoked");
    assert_eq!(world.runs().len(), 1 + numbers[0] as usize);

    crowd.next();
    assert_eq!(crowd.hear(), "gone");
    until("its descriptors", || (descriptors(&world) <= before).then_some(()));
    world.approved_raw();
}
