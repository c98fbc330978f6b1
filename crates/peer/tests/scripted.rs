//! What a kernel can't be brought to show in a test: the pin and the look in a scripted world.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod scripted_world;

use lychgate_core::evidence::{
    Attestation, Difference, FileId, Namespaces, ProcessInode, Seen, Unverified, Why, differences,
};
use lychgate_core::outcome::Reason;
use lychgate_peer::world::Standing;
use lychgate_peer::{Pinned, Rules};
use scripted_world::{NAMESPACES, Script, Scripted, USER};
use std::os::fd::OwnedFd;

fn pin(world: &Scripted, pid: u32) -> Result<Pinned, Reason> {
    pin_without(world, pid, &[])
}

fn pin_without(world: &Scripted, pid: u32, never: &[ProcessInode]) -> Result<Pinned, Reason> {
    pin_by(world, pid, &Scripted::rules(never))
}

fn pin_by(world: &Scripted, pid: u32, rules: &Rules<'_>) -> Result<Pinned, Reason> {
    let handle: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
    Pinned::pin(world, handle, pid, rules).map_err(|refused| refused.reason)
}

fn now(pinned: &Pinned) -> Vec<Difference> {
    let peer = pinned.subject().peer().unwrap().inode;
    differences(pinned.subject(), &pinned.look(Seen::Seen(peer)))
}

fn pids(pinned: &Pinned) -> Vec<u32> {
    pinned.subject().chain().iter().map(|facts| facts.pid).collect()
}

#[test]
fn the_chain_goes_from_the_shim_over_its_launchers_to_the_agent_and_stays_the_same() {
    let world = Scripted::new();
    let pinned = pin(&world, 50).unwrap();
    assert_eq!(pids(&pinned), [50, 40, 30]);
    assert_eq!(pinned.subject().kernel_boot(), "boot");
    assert_eq!(now(&pinned), []);
}

/// The number and the start time are equal: a kernel with a coarse clock and few numbers could bring it about.
#[test]
fn a_process_with_the_same_number_and_start_time_is_another_one() {
    for pid in [30, 40, 50] {
        let world = Scripted::new();
        let pinned = pin(&world, pid).or_else(|_| pin(&world, 50)).unwrap();
        let parent = pinned.subject().chain().iter().find(|facts| facts.pid == pid).unwrap().parent;
        let name = ["agent", "sh", "shim"][usize::try_from(pid / 10 - 3).unwrap()];
        world.start(pid, parent, name);
        let found = now(&pinned);
        assert!(found.contains(&Difference::Ended), "{pid}: {found:?}");
    }
}

/// A world that answers for the new process as if it were the old one is still told apart by the inode alone.
#[test]
fn the_inode_alone_tells_two_lifetimes_apart() {
    let world = Scripted::new();
    let pinned = pin(&world, 50).unwrap();
    let peer = pinned.subject().peer().unwrap().inode;
    let mut live = pinned.look(Seen::Seen(peer));
    assert_eq!(differences(pinned.subject(), &live), []);
    live.processes[2].inode = Seen::Seen(ProcessInode(4711));
    assert_eq!(differences(pinned.subject(), &live), [Difference::Inode]);
}

type Change = fn(&mut Script);

#[test]
fn each_single_change_of_any_process_of_the_chain_is_named_and_nothing_else() {
    let changes: [(&str, Change, Difference); 11] = [
        ("it ended", |p| p.alive = false, Difference::Ended),
        ("reparented", |p| p.facts.parent = 1, Difference::Chain),
        ("another file", |p| p.program().file = FileId { dev: 1, ino: 9 }, Difference::Executable),
        ("another device", |p| p.program().file.dev = 2, Difference::Executable),
        ("the same program executed again", |p| p.images += 1, Difference::Exec),
        ("another stack", |p| p.facts.start_stack = Seen::Seen(5), Difference::Exec),
        (
            "another user namespace",
            |p| p.facts.namespaces = Seen::Seen(Namespaces { user: 5, ..NAMESPACES }),
            Difference::Namespace,
        ),
        (
            "another pid namespace",
            |p| p.facts.namespaces = Seen::Seen(Namespaces { pid: 5, ..NAMESPACES }),
            Difference::Namespace,
        ),
        ("program hidden", |p| p.facts.executable = Seen::Unseen(Why::NotReadable), Difference::Unseen),
        ("stack hidden", |p| p.facts.start_stack = Seen::Unseen(Why::NotReadable), Difference::Unseen),
        ("namespaces unclear", |p| p.facts.namespaces = Seen::Unseen(Why::Unclear), Difference::Unseen),
    ];
    for pid in [50, 40, 30] {
        for (what, change, difference) in changes {
            let world = Scripted::new();
            let pinned = pin(&world, 50).unwrap();
            world.change(pid, change);
            assert_eq!(now(&pinned), [difference], "{what}, process {pid}");
        }
    }
}

#[test]
fn whatever_could_not_be_seen_at_the_pin_refuses() {
    let changes: [(&str, Change, Reason); 9] = [
        ("program", |p| p.facts.executable = Seen::Unseen(Why::NotReadable), Reason::ProgramUnreadable),
        ("stack", |p| p.facts.start_stack = Seen::Unseen(Why::NotReadable), Reason::ProgramUnreadable),
        ("image", |p| p.bindable = Err(Why::NotReadable), Reason::ProgramUnreadable),
        ("image gone", |p| p.bindable = Err(Why::Gone), Reason::PeerGone),
        ("standing", |p| p.standing = Err(Why::Gone), Reason::PeerGone),
        ("ended", |p| p.alive = false, Reason::PeerGone),
        (
            "nested",
            |p| p.standing = Ok(Standing { uids: [USER; 4], tracer: 0, nested: true }),
            Reason::ForeignNamespace,
        ),
        (
            "user namespace",
            |p| p.facts.namespaces = Seen::Seen(Namespaces { user: 5, ..NAMESPACES }),
            Reason::ForeignNamespace,
        ),
        (
            "pid namespace",
            |p| p.facts.namespaces = Seen::Seen(Namespaces { pid: 5, ..NAMESPACES }),
            Reason::ForeignNamespace,
        ),
    ];
    for pid in [50, 40, 30] {
        for (what, change, reason) in changes {
            let world = Scripted::new();
            world.change(pid, change);
            assert_eq!(pin(&world, 50).unwrap_err(), reason, "{what}, process {pid}");
        }
    }
}

/// What a process does that makes itself non-dumpable.
fn shut_off(process: &mut Script) {
    process.facts.executable = Seen::Unseen(Why::NotReadable);
    process.facts.start_stack = Seen::Unseen(Why::NotReadable);
    process.facts.namespaces = Seen::Unseen(Why::NotReadable);
}

fn attested(pinned: &Pinned) -> (Attestation, Vec<u32>) {
    let subject = pinned.subject();
    (subject.attestation(), subject.chain().iter().map(|process| process.pid).collect())
}

#[test]
fn an_agent_that_shut_itself_off_is_held_without_its_program() {
    let world = Scripted::new();
    assert_eq!(attested(&pin(&world, 50).unwrap()), (Attestation::Whole, vec![50, 40, 30]));
    let mut open = None;
    world.change(30, |process| open = Some(process.facts.executable.clone()));
    world.change(30, shut_off);
    let pinned = pin(&world, 50).unwrap();
    assert_eq!(attested(&pinned), (Attestation::ProgramUnreadable, vec![50, 40, 30]));
    assert_eq!(now(&pinned), []);
    // It lets itself be seen again: an execve does that.
    world.change(30, |process| process.facts.executable = open.unwrap());
    assert_eq!(now(&pinned), [Difference::Exec]);
    world.change(30, shut_off);
    world.change(30, |process| process.facts.parent = 1);
    assert_eq!(now(&pinned), [Difference::Chain]);
}

#[test]
fn who_shut_itself_off_is_passed_over_for_nobody() {
    let world = Scripted::new();
    world.change(40, shut_off);
    assert_eq!(attested(&pin(&world, 50).unwrap()), (Attestation::ProgramUnreadable, vec![50, 40]));
}

#[test]
fn a_shim_that_shut_itself_off_is_none_and_another_client_may_have() {
    let world = Scripted::new();
    world.change(50, shut_off);
    assert_eq!(pin(&world, 50).unwrap_err(), Reason::ProgramUnreadable);
    let rules = Rules { claims_shim: false, ..Scripted::rules(&[]) };
    let pinned = pin_by(&world, 50, &rules).unwrap();
    assert_eq!(attested(&pinned), (Attestation::ProgramUnreadable, vec![50]));
}

#[test]
fn a_requester_that_can_not_be_verified_is_held_alone_and_only_where_that_is_allowed() {
    let foreign: Change = |p| p.facts.namespaces = Seen::Seen(Namespaces { user: 5, ..NAMESPACES });
    let nested: Change = |p| p.standing = Ok(Standing { uids: [USER; 4], tracer: 0, nested: true });
    let init: Change = |p| p.parent = Ok(Some(1));
    let rules = Rules { allow_unverified: true, ..Scripted::rules(&[]) };
    for (pid, change, why) in [
        (50, foreign, Unverified::ForeignNamespace),
        (50, nested, Unverified::ForeignNamespace),
        (30, foreign, Unverified::ForeignNamespace),
        (50, init, Unverified::NoAgent),
    ] {
        let world = Scripted::new();
        world.change(pid, change);
        assert_eq!(pin(&world, 50).unwrap_err(), Reason::from(why));
        let pinned = pin_by(&world, 50, &rules).unwrap();
        assert_eq!(attested(&pinned), (Attestation::Unverified(why), vec![50]));
        assert_eq!(now(&pinned), []);
        // Nothing that can be forged there is taken for a fact.
        let seen = pinned.subject().chain()[0].executable.value().is_some();
        assert_eq!(seen, why == Unverified::NoAgent);
        world.change(50, |process| process.alive = false);
        assert_eq!(now(&pinned), [Difference::Ended]);
    }
}

#[test]
fn who_is_not_the_users_or_is_above_a_console_is_refused_also_where_the_unverified_may_ask() {
    let world = Scripted::new();
    let rules = Rules { allow_unverified: true, claims_shim: false, ..Scripted::rules(&[]) };
    let above = [world.inode(40)];
    let refused = pin_by(&world, 40, &Rules { never: &above, ..rules }).unwrap_err();
    assert_eq!(refused, Reason::NoAgent);
    assert_eq!(pin_by(&world, 1, &rules).unwrap_err(), Reason::NoAgent);
    for nested in [false, true] {
        world.change(50, |p| p.standing = Ok(Standing { uids: [USER, USER, 0, USER], tracer: 0, nested }));
        assert!(pin_by(&world, 50, &rules).is_err());
    }
    // What may be refused for no word is not taken either.
    let world = Scripted::new();
    world.change(50, |process| process.bindable = Err(Why::NotReadable));
    assert_eq!(pin_by(&world, 50, &rules).unwrap_err(), Reason::ProgramUnreadable);
}

#[test]
fn a_parent_that_could_not_be_proven_ends_the_walk() {
    for pid in [50, 40] {
        for (parent, reason) in
            [(Err(Why::Gone), Reason::PeerGone), (Err(Why::Unclear), Reason::PeerGone), (Ok(None), Reason::NoAgent)]
        {
            let world = Scripted::new();
            world.change(pid, |process| process.parent = parent);
            assert_eq!(pin(&world, 50).unwrap_err(), reason, "{pid}: {parent:?}");
        }
    }
}

#[test]
fn any_of_the_four_user_ids_of_another_user_ends_the_walk() {
    for pid in [50, 40, 30] {
        for at in 0..4 {
            let world = Scripted::new();
            let mut uids = [USER; 4];
            uids[at] = 0;
            world.change(pid, |process| process.standing = Ok(Standing { uids, tracer: 0, nested: false }));
            assert_eq!(pin(&world, 50).unwrap_err(), Reason::NoAgent, "{pid}: {uids:?}");
        }
    }
}

#[test]
fn the_gateways_and_the_operators_ancestors_are_never_the_agent_whatever_they_run() {
    let world = Scripted::new();
    let agent = world.inode(30);
    assert_eq!(pin_without(&world, 50, &[agent]).unwrap_err(), Reason::NoAgent);
    // The same number in another lifetime is somebody else.
    world.start(30, 20, "agent");
    assert!(pin_without(&world, 50, &[agent]).is_ok());
}

#[test]
fn a_shim_is_not_the_agent_of_a_shim_below_it() {
    let world = Scripted::new();
    world.start(45, 40, "shim");
    world.change(50, |process| process.parent = Ok(Some(45)));
    world.change(50, |process| process.facts.parent = 45);
    assert_eq!(pids(&pin(&world, 50).unwrap()), [50, 45, 40, 30]);
    world.change(45, |process| process.program().file = FileId { dev: 1, ino: 9 });
    assert_eq!(pids(&pin(&world, 50).unwrap()), [50, 45]);
}

#[test]
fn a_walk_that_never_ends_is_refused() {
    let world = Scripted::new();
    world.change(40, |process| process.parent = Ok(Some(40)));
    assert_eq!(pin(&world, 50).unwrap_err(), Reason::NoAgent);
}

#[test]
fn a_kernel_whose_boot_is_unknown_pins_nothing() {
    let mut world = Scripted::new();
    world.boot = None;
    assert!(pin(&world, 50).is_err());
}

/// pid 70 `tool` under 60 `python` under 30 `agent`, beside the agent's shim.
fn with_helper() -> Scripted {
    let world = Scripted::new();
    world.start(60, 30, "python");
    world.start(70, 60, "tool");
    world
}

fn descent(world: &Scripted, pid: u32, below: u32, agents: &[u32]) -> Option<Pinned> {
    let handle: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
    let agents: Vec<ProcessInode> = agents.iter().map(|pid| world.inode(*pid)).collect();
    let rules = Rules { claims_shim: false, ..Scripted::rules(&[]) };
    Pinned::descent(world, handle, pid, world.inode(below), &rules, &|process| agents.contains(&process))
}

#[test]
fn a_descent_leads_to_the_nearest_agent_above_whoever_asks() {
    let world = with_helper();
    assert_eq!(pids(&descent(&world, 70, 70, &[30]).unwrap()), [70, 60, 30]);
    assert_eq!(pids(&descent(&world, 70, 70, &[30, 60]).unwrap()), [70, 60], "the nearest");
    assert_eq!(
        pids(&descent(&world, 70, 60, &[60, 30]).unwrap()),
        [70, 60, 30],
        "above the agent that a shim speaks for"
    );
    assert!(descent(&world, 70, 70, &[70]).is_none(), "nobody is below itself");
    assert!(descent(&world, 50, 30, &[30]).is_none(), "the agent's own shim is no program of its");
    assert!(descent(&world, 70, 70, &[50]).is_none(), "beside it, not above it");
    assert!(descent(&world, 70, 50, &[30]).is_none(), "whoever asks is not on the way");
}

#[test]
fn nothing_descends_over_a_terminal_an_orphan_or_what_can_not_be_seen() {
    let gone: &[(&str, u32, Change)] = &[
        ("orphan", 70, |tool| tool.parent = Ok(Some(1))),
        ("parent unproven", 70, |tool| tool.parent = Err(Why::Gone)),
        ("between is a multiplexer", 60, |between| between.program().path = "/usr/bin/tmux".into()),
        ("between shuts itself off", 60, |between| {
            between.bindable = Err(Why::NotReadable);
            between.facts.namespaces = Seen::Unseen(Why::NotReadable);
        }),
        ("between is another user's", 60, |between| {
            between.standing = Ok(Standing { uids: [USER, 0, 0, 0], tracer: 0, nested: false });
        }),
        ("between is in another namespace", 60, |between| {
            between.facts.namespaces = Seen::Seen(Namespaces { user: 1, pid: 1 });
        }),
        ("between ended", 60, |between| between.alive = false),
    ];
    for (name, pid, change) in gone {
        let world = with_helper();
        assert!(descent(&world, 70, 70, &[30]).is_some());
        world.change(*pid, change);
        assert!(descent(&world, 70, 70, &[30]).is_none(), "{name}");
    }
    let world = with_helper();
    let handle: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
    let never = [world.inode(60)];
    let rules = Rules { claims_shim: false, ..Scripted::rules(&never) };
    let agent = world.inode(30);
    let way = Pinned::descent(&world, handle, 70, world.inode(70), &rules, &|process| process == agent);
    assert!(way.is_none(), "over an ancestor of a console");
}

#[test]
fn each_single_change_on_the_way_breaks_it() {
    let changes: &[(&str, Change, Difference)] = &[
        ("ended", |script| script.alive = false, Difference::Ended),
        ("executed", |script| script.images += 1, Difference::Exec),
        ("reparented", |script| script.facts.parent = 1, Difference::Chain),
    ];
    for (name, change, difference) in changes {
        for pid in [70, 60, 30] {
            let world = with_helper();
            let way = descent(&world, 70, 70, &[30]).unwrap();
            assert_eq!(now(&way), []);
            world.change(pid, change);
            assert!(now(&way).contains(difference), "{name} {pid}: {:?}", now(&way));
        }
    }
}
