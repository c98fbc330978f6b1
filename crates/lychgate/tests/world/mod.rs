//! The black-box harness: a throw-away world with a gateway, a recording upstream, agents and a person's commands.
//!
//! Everything under test runs as an ordinary user, also where the tests run as root. Nothing here waits for time: it
//! waits for an answer, a line, a request or an exit, and gives up loudly.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests; each test uses a part"
)]

pub mod agent;
pub mod answer;
pub mod canary;
pub mod children;
pub mod disk;
pub mod elsewhere;
pub mod fixture;
pub mod helper;
pub mod operator;
pub mod place;
pub mod raw;
pub mod served;
pub mod upstream;

use children::Running;
use place::{Programs, User};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use upstream::Upstream;

/// How long anything may take on a busy machine before it counts as failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until `look` finds something. For states that nothing announces; each look is cheap.
#[track_caller]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, look)
}

/// The same, for what takes its time by design.
#[track_caller]
pub fn until_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < patience, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// One state directory with its gateway and its upstream.
pub struct World {
    // Dropped in this order: processes before the files that they use.
    gateway: Option<Running>,
    gateway_output: Vec<children::Output>,
    pub upstream: Upstream,
    pub state: PathBuf,
    /// The vault's public key, as `lych init` prints it.
    pub public_key: String,
    /// The credential of every channel in this world.
    pub bearer: String,
    pub user: User,
    pub programs: Arc<Programs>,
    dir: tempfile::TempDir,
}

impl World {
    /// A gateway with an unlocked vault and the channel `api`, which leads to [`World::upstream`].
    pub fn new() -> Self {
        let mut world = Self::asleep();
        world.start();
        world.unlock();
        world.add_channel("api", &[]);
        world
    }

    /// A vault and a journal, and no gateway yet.
    pub fn asleep() -> Self {
        let user = place::owner();
        let programs = place::programs();
        // Short: the path of a socket has 107 bytes.
        let dir = tempfile::Builder::new().prefix("lw").tempdir_in("/var/tmp").unwrap();
        place::open_to_all(dir.path());
        let upstream = Upstream::start();
        place::write_for_all(&dir.path().join("ca.pem"), upstream.ca_pem.as_bytes());
        let state = dir.path().join("s");
        let public_key = children::without_forks(|| fixture::create(&state, &user));
        let bearer = format!("canary-{}", random_hex());
        Self { gateway: None, gateway_output: Vec::new(), upstream, state, public_key, bearer, user, programs, dir }
    }

    /// A directory that the user may write.
    pub fn own_dir(&self) -> PathBuf {
        let own = self.dir.path().join("own");
        if !own.exists() {
            std::fs::create_dir(&own).unwrap();
            self.user.give(&own);
        }
        own
    }

    /// A file that everybody can read and only the harness can write.
    pub fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        place::write_for_all(&path, content);
        path
    }

    pub fn ca_file(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }

    /// The arguments that name this world's state directory.
    pub fn state_arguments(&self) -> [String; 2] {
        ["--state-dir".to_owned(), self.state.display().to_string()]
    }

    /// Starts the gateway and waits until it serves.
    pub fn start(&mut self) {
        let started = self.try_start();
        self.serves(started);
    }

    /// The same, for a gateway that may have no more than so many descriptors.
    pub fn start_with_descriptors(&mut self, most: u32) {
        let mut command = self.user.command("/usr/bin/prlimit".as_ref());
        command.arg(format!("--nofile={most}:{most}")).arg(&self.programs.lych);
        command.args(self.state_arguments()).arg("gateway");
        let started = Running::with_output("gateway", command);
        self.serves(started);
    }

    fn serves(&mut self, (gateway, output): (Running, children::Output)) {
        assert!(self.gateway.is_none(), "one gateway at a time");
        output.wait_for("ready");
        self.gateway = Some(gateway);
        self.gateway_output.push(output);
    }

    /// Starts a gateway process, whatever becomes of it.
    pub fn try_start(&self) -> (Running, children::Output) {
        let mut command = self.user.command(&self.programs.lych);
        command.args(self.state_arguments()).arg("gateway");
        Running::with_output("gateway", command)
    }

    /// The gateway ends as by a crash.
    pub fn kill_gateway(&mut self) {
        self.gateway.take().expect("a gateway runs").kill();
    }

    /// The gateway ends in order.
    pub fn stop_gateway(&mut self) {
        let mut gateway = self.gateway.take().expect("a gateway runs");
        self.lych(&["stop"]).exits(0);
        assert!(gateway.wait().success());
    }

    pub fn signal_gateway(&mut self, signal: rustix::process::Signal) {
        self.gateway.as_mut().expect("a gateway runs").signal(signal);
    }

    /// Waits until the gateway has ended by itself, without a fault.
    pub fn gateway_ends(&mut self) {
        assert!(self.gateway.take().expect("a gateway runs").wait().success());
    }

    pub fn gateway_pid(&self) -> u32 {
        self.gateway.as_ref().expect("a gateway runs").pid()
    }

    /// Whatever gateways of this world wrote to standard output and error.
    pub fn gateway_said(&self) -> String {
        self.gateway_output.iter().map(children::Output::text).collect()
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }
}

/// What must be true of every world at its end, whatever it was about.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() || self.gateway_output.is_empty() {
            return;
        }
        let verified = self.verify(&["--all-commits"]);
        assert_eq!(verified.status, 0, "the log of this world: {verified:#?}");
        let bearer = canary::Canary::of(&self.bearer);
        bearer.not_below(&self.state);
        bearer.not_in_text("what the gateway wrote", &self.gateway_said());
    }
}

/// Random, so that no two worlds can be mistaken for each other.
pub fn random_hex() -> String {
    use std::io::Read;
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    hex::encode(bytes)
}
