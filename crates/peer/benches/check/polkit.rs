//! Debian's polkitd on a bus of its own, with nobody else on it, and the question that it is asked.
//!
//! It needs no systemd: `dbus-daemon` with a configuration of ours, and polkitd told by a variable that this is the system
//! bus. It must be started by root, because it becomes its own user. Its actions and rules are those of the machine.

use crate::bus::{self, Body, Message, Method};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const POLKITD: &str = "/usr/lib/polkit-1/polkitd";
/// Allowed to everybody by its own file, which Debian's systemd brings.
const ACTION: &str = "org.freedesktop.login1.inhibit-delay-shutdown";
const SERVICE: &str = "org.freedesktop.PolicyKit1";
const CHECK: Method = Method {
    service: SERVICE,
    path: "/org/freedesktop/PolicyKit1/Authority",
    interface: "org.freedesktop.PolicyKit1.Authority",
    name: "CheckAuthorization",
    signature: "(sa{sv})sa{ss}us",
};
/// Who asks for the action: nobody.
const USER: u32 = 65_534;

/// The bus, polkitd on it, and a process of an ordinary user. They end with this value.
pub(crate) struct Polkit {
    folder: TempDir,
    _processes: [Ends; 3],
    /// May that process do it?
    pub(crate) user: Message,
    /// May this process, which is root's, do it?
    pub(crate) root: Message,
}

/// A process that is killed at the end.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Polkit {
    pub(crate) fn start() -> Self {
        assert!(rustix::process::getuid().is_root(), "polkitd becomes another user: start this bench as root");
        let folder = tempfile::Builder::new().prefix("lychgate-bench-").tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let configuration = folder.path().join("bus.conf");
        std::fs::write(&configuration, bus_configuration(&folder)).unwrap();

        let mut bus = Command::new("dbus-daemon");
        bus.arg("--nofork").arg("--print-address=1").arg(format!("--config-file={}", configuration.display()));
        let mut bus = Ends(bus.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        // It names its address once it listens.
        let mut address = String::new();
        BufReader::new(bus.0.stdout.take().unwrap()).read_line(&mut address).unwrap();

        let mut daemon = Command::new(POLKITD);
        daemon.arg("--no-debug").env("DBUS_SYSTEM_BUS_ADDRESS", address.trim());
        let daemon = Ends(daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let asker = Ends(Command::new("sleep").arg("infinity").uid(USER).gid(USER).spawn().unwrap());

        let (user, root) = (question(asker.0.id(), USER), question(std::process::id(), 0));
        let polkit = Self { folder, _processes: [asker, daemon, bus], user, root };
        polkit.await_owner();
        polkit
    }

    /// A new connection.
    pub(crate) fn client(&self) -> Client {
        let bus = bus::Client::connect(&socket(&self.folder));
        Client { bus, id: Message::new(&bus::of_bus("GetId"), &Body::default()) }
    }

    /// Asks until polkitd has its name on the bus.
    fn await_owner(&self) {
        let method = Method { signature: "s", ..bus::of_bus("NameHasOwner") };
        let question = Message::new(&method, &Body::default().text(SERVICE));
        let mut client = bus::Client::connect(&socket(&self.folder));
        let limit = Instant::now() + Duration::from_secs(10);
        while client.answer(&question).unwrap() != TRUE {
            assert!(Instant::now() < limit, "polkitd took no name on the bus within 10 s");
            sleep(Duration::from_millis(10));
        }
    }
}

/// The boolean on the wire.
const TRUE: [u8; 4] = 1_u32.to_le_bytes();

/// A connection that is kept for all questions.
pub(crate) struct Client {
    bus: bus::Client,
    id: Message,
}

impl Client {
    /// May it? Yes.
    pub(crate) fn check(&mut self, question: &Message) {
        let answer = self.bus.answer(question).unwrap();
        assert!(answer.starts_with(&TRUE), "polkit refuses {ACTION}");
    }

    /// A call that the bus answers, and polkitd does not hear of.
    pub(crate) fn ask_bus(&mut self) {
        self.bus.answer(&self.id).unwrap();
    }
}

fn question(pid: u32, uid: u32) -> Message {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let start: u64 = after_name.split_ascii_whitespace().nth(19).unwrap().parse().unwrap();
    let subject = Body::default().text("unix-process").array(|facts| {
        let facts = facts.text("pid").signature("u").number(pid);
        let facts = facts.pad(8).text("start-time").signature("t").long(start);
        // An `i` of this size has the same bytes as a `u`.
        facts.pad(8).text("uid").signature("i").number(uid)
    });
    // No details, no flags (so that nobody is asked for a password), no name to cancel it by.
    let question = subject.text(ACTION).array(|details| details).number(0).text("");
    Message::new(&CHECK, &question)
}

fn socket(folder: &TempDir) -> PathBuf {
    folder.path().join("bus")
}

fn bus_configuration(folder: &TempDir) -> String {
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type>
  <listen>unix:path={}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"#,
        socket(folder).display()
    )
}
