//! A client that drives the shim over its standard streams, and a gateway that the test speaks for.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "shared by several test programs, each of which uses a part"
)]

use lychgate_core::ids::{BootNo, Ref, RunId};
use lychgate_core::outcome::Outcome;
use lychgate_wire::agent::{Answer, Call, FromAgent, HttpCall, Previous, ToAgent};
use lychgate_wire::transport::{self, FrameError, Reader, Writer};
use serde_json::{Value, json};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixListener;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Long enough for a machine under load; nothing here waits for it to pass.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("nothing came: {what}"))
}

/// The example program around the shim; `cargo test` builds it.
pub fn program() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    let path = path.join("examples/shim_stdio");
    assert!(path.exists(), "build the example first: cargo build -p lychgate-shim --example shim_stdio");
    path
}

pub struct Client {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    last_id: u64,
    /// What came between answers.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Starts the shim and does the handshake.
    pub async fn start(socket: &Path) -> Self {
        let mut client = Self::spawn(&mut Command::new(program()), socket, Stdio::null());
        client.initialize("2025-06-18", "test").await;
        client
    }

    pub fn spawn(command: &mut Command, socket: &Path, stderr: Stdio) -> Self {
        let mut child = command
            .arg(socket)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, stdin, stdout, last_id: 0, notifications: Vec::new() }
    }

    pub async fn initialize(&mut self, version: &str, name: &str) -> Value {
        let parameters = json!({
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": name, "version": "1" },
        });
        let id = self.ask("initialize", parameters).await;
        let answer = self.answer(id).await;
        self.tell("notifications/initialized", json!({})).await;
        answer
    }

    pub async fn ask(&mut self, method: &str, parameters: Value) -> u64 {
        self.last_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": parameters })).await;
        self.last_id
    }

    pub async fn tell(&mut self, method: &str, parameters: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters })).await;
    }

    pub async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stdin.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The next line, which must be JSON; `None` at the end.
    pub async fn line(&mut self) -> Option<Value> {
        let line = soon("a line of the shim", self.stdout.next_line()).await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON on standard output: {line}")))
    }

    /// The `result` of the answer to `id`.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.line().await.expect("the shim ended");
            if line["id"] == id {
                assert!(line.get("error").is_none(), "{line}");
                return line["result"].clone();
            }
            self.notifications.push(line);
        }
    }

    pub async fn exit(&mut self) -> ExitStatus {
        soon("the shim's exit", self.child.wait()).await.unwrap()
    }
}

/// A place for the gateway's socket, with the mode that the shim wants.
pub struct Place {
    pub directory: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let own = std::fs::Permissions::from_mode(0o700);
        Self { directory: tempfile::Builder::new().permissions(own).tempdir().unwrap() }
    }

    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("agent.sock")
    }

    /// Starts to listen, also where an earlier gateway listened.
    pub fn gateway(&self) -> Gateway {
        let _ = std::fs::remove_file(self.socket());
        Gateway { listener: transport::listen(&self.socket()).unwrap() }
    }
}

pub struct Gateway {
    listener: UnixListener,
}

/// One connection of the shim, seen from the gateway.
pub struct Connection {
    reader: Reader,
    writer: Writer,
    /// The same socket, for somebody else to write to.
    pub socket: OwnedFd,
}

impl Gateway {
    pub async fn accept(&self) -> Connection {
        let socket = soon("a connection of the shim", transport::accept(&self.listener)).await.unwrap();
        let copy = socket.try_clone().unwrap();
        let (reader, writer) = transport::halves(socket).unwrap();
        Connection { reader, writer, socket: copy }
    }

    /// Takes a connection through the handshake. What the client registered with comes back, too.
    pub async fn register(&self, run: u64, boot: u32) -> (Connection, Option<String>, Option<Previous>) {
        let mut connection = self.accept().await;
        let FromAgent::Hello { wire, shim, .. } = connection.hear().await else { panic!("hello comes first") };
        assert!(shim && wire == lychgate_wire::WIRE);
        connection.say(&ToAgent::Pinned { wire, version: "test".into() }).await;
        let FromAgent::Register { conversation, previous } = connection.hear().await else { panic!("then register") };
        connection.say(&ToAgent::Registered { run: RunId(run), boot: BootNo(boot) }).await;
        (connection, conversation, previous)
    }
}

impl Connection {
    pub async fn hear(&mut self) -> FromAgent {
        let frame = soon("a frame of the shim", self.reader.frame()).await.unwrap();
        serde_json::from_slice(&frame.bytes).unwrap()
    }

    /// The next call.
    pub async fn call(&mut self) -> (u64, Option<String>, Call) {
        match self.hear().await {
            FromAgent::Call { id, conversation, call } => (id, conversation, call),
            other => panic!("a call was expected: {other:?}"),
        }
    }

    pub async fn http(&mut self) -> (u64, HttpCall) {
        match self.call().await {
            (id, _, Call::HttpRequest(http)) => (id, http),
            other => panic!("a request was expected: {other:?}"),
        }
    }

    pub async fn say(&self, message: &ToAgent) {
        self.writer.send(message).await.unwrap();
    }

    pub async fn reply(&self, id: u64, answer: Answer) {
        self.say(&ToAgent::Answer { id, answer }).await;
    }

    /// Completes when the shim closes the connection.
    pub async fn closed(&mut self) {
        loop {
            match soon("the end of the connection", self.reader.frame()).await {
                Ok(_) => {}
                Err(FrameError::Closed | FrameError::CutOff) => return,
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// A gateway that listens and a shim that was started; what comes next is its hello.
pub async fn started() -> (Place, Gateway, Client) {
    let place = Place::new();
    let gateway = place.gateway();
    let client = Client::start(&place.socket()).await;
    (place, gateway, client)
}

/// The same with the shim's connection, registered as this run of this gateway lifetime.
pub async fn registered(run: u64, boot: u32) -> (Place, Gateway, Client, Connection) {
    let (place, gateway, client) = started().await;
    let (connection, ..) = gateway.register(run, boot).await;
    (place, gateway, client, connection)
}

pub fn answer(outcome: Outcome, action_id: Option<Ref>, result: Value) -> Answer {
    Answer {
        outcome,
        reason: None,
        reasons: Vec::new(),
        action_id,
        run_id: Some(RunId(31)),
        changed: None,
        next: None,
        receipt: None,
        result,
        text: "words of the gateway".into(),
    }
}

/// Arguments of a request that asks for nothing special.
pub fn request() -> Value {
    json!({ "channel": "api", "method": "POST", "url": "https://api.example.com/v1/x", "body": "{}" })
}

pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
