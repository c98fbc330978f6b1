//! A gateway of one user, a person of another, and the attestor of a third, with one right.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An ordinary user of this machine that no test uses otherwise.
const ATTESTOR: u32 = 65_534;

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn user(index: usize) -> u32 {
    let names = std::env::var("LYCHGATE_TEST_USERS").unwrap_or_else(|_| "lychtest1,lychtest2".to_owned());
    let name = names.split(',').nth(index).expect("LYCHGATE_TEST_USERS names too few users").to_owned();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.split(':').next() == Some(&name));
    let line = line.unwrap_or_else(|| panic!("there is no user {name}: run `cargo xtask prepare` as root once"));
    line.split(':').nth(2).unwrap().parse().unwrap()
}

fn gateway() -> u32 {
    user(0)
}

fn person() -> u32 {
    user(1)
}

/// `words` as an ordinary user, with these capabilities (`setpriv(1)`) and no other.
fn as_user(uid: u32, capabilities: &str, words: &[&str]) -> Command {
    assert!(rustix::process::getuid().is_root(), "only root starts programs as others: run `cargo xtask test` as root");
    let mut command = Command::new("setpriv");
    let sets = ["--inh-caps", "--ambient-caps", "--bounding-set"].map(|set| format!("{set}=-all{capabilities}"));
    command.arg(format!("--reuid={uid}")).arg(format!("--regid={uid}")).arg("--clear-groups").args(sets);
    command.args(words).env_clear().current_dir("/");
    command
}

/// A place with copies of the programs that all users can start.
struct Stage {
    dir: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("lychgate-attest-").tempdir_in("/var/tmp").unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
        chown(dir.path(), Some(ATTESTOR), None).unwrap();
        let tests = std::env::current_exe().unwrap();
        let examples = tests.parent().unwrap().parent().unwrap().join("examples");
        for (from, to) in [
            (PathBuf::from(env!("CARGO_BIN_EXE_lych-attest")), "lych-attest"),
            (examples.join("gateway_side"), "gateway_side"),
            (PathBuf::from("/bin/sh"), "agent"),
        ] {
            // By another process: a thread that forks while the copy is open for writing would make it busy.
            assert!(Command::new("cp").arg("-L").arg(from).arg(dir.path().join(to)).status().unwrap().success());
        }
        Self { dir }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    fn attestor_with(&self, uid: u32, capabilities: &str) -> Command {
        let (program, socket) = (self.path("lych-attest"), self.path("socket"));
        let (gateway, person) = (gateway().to_string(), person().to_string());
        let mut command = as_user(uid, capabilities, &[&program, &socket, &gateway, &person]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn attestor(&self) -> Running {
        let mut child = self.attestor_with(ATTESTOR, ",+sys_ptrace").spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Running(child)
    }

    /// A program of the person that becomes another one with the first line of its input.
    fn agent(&self, uid: u32) -> (Running, ChildStdin) {
        let mut command = as_user(uid, "", &[&self.path("agent"), "-c", "read line && exec sleep 600"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let program = Path::new("/proc").join(child.id().to_string()).join("exe");
        let began = std::time::Instant::now();
        while std::fs::read_link(&program).ok().as_deref() != Some(Path::new(&self.path("agent"))) {
            assert!(began.elapsed().as_secs() < 10, "the agent did not start");
            std::thread::yield_now();
        }
        (Running(child), stdin)
    }

    fn side(&self, uid: u32, agent: u32, through_attestor: bool) -> Side {
        let (program, socket) = (self.path("gateway_side"), self.path("socket"));
        let numbers = [person(), agent, ATTESTOR].map(|number| number.to_string());
        let mut words = vec![program.as_str(), &numbers[0], &numbers[1]];
        if through_attestor {
            words.extend([socket.as_str(), &numbers[2]]);
        }
        let mut child = as_user(uid, "", &words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Side { _child: Running(child), stdin, stdout }
    }
}

/// The gateway's side of a world.
struct Side {
    _child: Running,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Side {
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn look(&mut self) -> String {
        self.stdin.write_all(b"\n").unwrap();
        self.hear()
    }
}

#[test]
fn a_gateway_of_another_user_sees_a_process_and_its_ends_through_the_attestor_and_not_by_itself() {
    let stage = Stage::new();
    let _attestor = stage.attestor();
    let (mut agent, mut input) = stage.agent(person());
    let pid = agent.0.id();
    let alone = stage.side(gateway(), pid, false).hear();
    let alone: serde_json::Value = serde_json::from_str(&alone).unwrap();
    let executable = &alone["chain"][0]["executable"];
    assert_eq!((&alone["attestation"], &executable["unseen"]), (&"program_unreadable".into(), &"not_readable".into()));

    let mut side = stage.side(gateway(), pid, true);
    let subject: serde_json::Value = serde_json::from_str(&side.hear()).unwrap();
    let facts = &subject["chain"][0];
    let program = std::fs::metadata(stage.path("agent")).unwrap();
    assert_eq!((facts["pid"].as_u64(), facts["uid"].as_u64()), (Some(pid.into()), Some(person().into())));
    let executable = &facts["executable"]["seen"];
    assert_eq!(executable["path"], stage.path("agent"));
    assert_eq!(
        (executable["file"]["dev"].as_u64(), executable["file"]["ino"].as_u64()),
        (Some(program.dev()), Some(program.ino()))
    );
    let sum = Command::new("sha256sum").arg(stage.path("agent")).output().unwrap().stdout;
    assert!(String::from_utf8(sum).unwrap().starts_with(executable["sha256"].as_str().unwrap()), "{executable}");
    assert_eq!(side.look(), "[]");

    input.write_all(b"go\n").unwrap();
    let began = std::time::Instant::now();
    while std::fs::read_link(format!("/proc/{pid}/exe")).unwrap() == Path::new(&stage.path("agent")) {
        assert!(began.elapsed().as_secs() < 10);
    }
    let found = side.look();
    assert!(found.contains("Exec"), "{found}");
    agent.0.kill().unwrap();
    agent.0.wait().unwrap();
    let found = side.look();
    assert!(found.contains("Ended"), "{found}");
}

#[test]
fn nobody_but_the_gateway_is_answered_and_the_gateway_about_nobody_but_the_person() {
    let stage = Stage::new();
    let _attestor = stage.attestor();
    let (agent, _input) = stage.agent(person());
    let (other, _kept) = stage.agent(gateway());
    let asks = |uid, pid| stage.side(uid, pid, true).hear();
    assert!(asks(gateway(), agent.0.id()).starts_with('{'));
    assert!(asks(person(), agent.0.id()).starts_with("refused "));
    assert!(asks(gateway(), other.0.id()).starts_with("refused "));
}

#[test]
fn without_its_attestor_a_gateway_sees_nothing_and_nothing_is_a_difference() {
    let stage = Stage::new();
    let attestor = stage.attestor();
    let (agent, _input) = stage.agent(person());
    let mut side = stage.side(gateway(), agent.0.id(), true);
    assert!(side.hear().starts_with('{'));
    drop(attestor);
    for _ in 0..2 {
        let found = side.look();
        assert!(found.contains("Unseen"), "{found}");
    }
}

#[test]
fn an_attestor_with_no_right_or_with_more_than_its_own_does_not_start() {
    let stage = Stage::new();
    for (uid, capabilities) in
        [(ATTESTOR, ""), (ATTESTOR, ",+net_raw"), (ATTESTOR, ",+sys_ptrace,+dac_override"), (0, ",+sys_ptrace")]
    {
        let ran = stage.attestor_with(uid, capabilities).output().unwrap();
        assert!(!ran.status.success(), "{uid} {capabilities}: {ran:?}");
    }
}
