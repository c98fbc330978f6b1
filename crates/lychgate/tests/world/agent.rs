//! An agent in its own process, with `lych mcp` as its child. The harness speaks MCP through the agent's standard input
//! and output, which the shim has taken over, and gives the agent orders through a socket.

use super::answer::Answer;
use super::children::{Running, children_of};
use super::elsewhere::Elsewhere;
use super::operator::Ran;
use super::{PATIENCE, World, until};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

/// How an agent is started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner<'a> {
    /// `lych mcp --conversation`.
    pub conversation: Option<&'a str>,
    /// A shell between agent and shim.
    pub shell: bool,
    /// The agent makes itself non-dumpable first.
    pub shut_off: bool,
}

/// See the module.
pub struct Agent {
    process: Process,
    stdin: Option<Box<dyn Write + Send>>,
    inbox: mpsc::Receiver<Value>,
    answers: HashMap<u64, Value>,
    last_id: u64,
    control: Option<UnixStream>,
    transcript: Arc<Mutex<String>>,
}

enum Process {
    Child(Running),
    Elsewhere(Elsewhere),
}

/// A call that has been made and not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open(u64);

impl World {
    pub fn agent(&self) -> Agent {
        self.agent_as(Manner::default())
    }

    pub fn agent_of(&self, conversation: &str) -> Agent {
        self.agent_as(Manner { conversation: Some(conversation), ..Manner::default() })
    }

    /// Starts an agent and shakes hands over MCP.
    pub fn agent_as(&self, manner: Manner<'_>) -> Agent {
        self.agent_with_shim(&self.programs.lych, manner)
    }

    /// The same with another file as the shim.
    pub fn agent_with_shim(&self, shim: &Path, manner: Manner<'_>) -> Agent {
        self.agent_run_by(&super::place::python(), shim, manner)
    }

    /// The same in another copy of the interpreter, which is what the gateway sees.
    pub fn agent_run_by(&self, program: &Path, shim: &Path, manner: Manner<'_>) -> Agent {
        let mut command = self.user.command(program);
        command.arg(self.agent_script()).arg(self.own_dir());
        command.args(manner.shell.then_some("--shell")).args(manner.shut_off.then_some("--shut-off"));
        command.arg("--").arg(shim);
        command.args(self.state_arguments()).arg("mcp");
        if let Some(conversation) = manner.conversation {
            command.args(["--conversation", conversation]);
        }
        let mut agent = self.client(command);
        agent.takes_orders(self);
        agent
    }

    /// Any command in which a shim comes to speak on the standard streams.
    pub fn client(&self, mut command: Command) -> Agent {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("agent", command);
        let stdin = process.stdin().unwrap();
        let out = process.child().stdout.take().unwrap();
        let error = process.child().stderr.take().unwrap();
        Agent::speaking(Process::Child(process), Box::new(stdin), out, error)
    }
}

/// Every line of standard output, which must be JSON-RPC and nothing else.
fn listen(
    out: impl Read + Send + 'static,
    error: impl Read + Send + 'static,
    transcript: &Arc<Mutex<String>>,
) -> mpsc::Receiver<Value> {
    let (tell, inbox) = mpsc::channel();
    let heard = Arc::clone(transcript);
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            heard.lock().unwrap().push_str(&format!("{line}\n"));
            // What is no JSON shows as a call that is never answered, with the transcript beside it.
            let Ok(message) = serde_json::from_str(&line) else { continue };
            let _ = tell.send(message);
        }
    });
    let heard = Arc::clone(transcript);
    std::thread::spawn(move || {
        for line in BufReader::new(error).lines().map_while(Result::ok) {
            heard.lock().unwrap().push_str(&format!("(stderr) {line}\n"));
        }
    });
    inbox
}

impl Agent {
    /// A process that is not our child, and a connection that its shim speaks on.
    pub fn elsewhere(process: Elsewhere, stream: UnixStream) -> Self {
        let out = stream.try_clone().unwrap();
        Self::speaking(Process::Elsewhere(process), Box::new(stream), out, std::io::empty())
    }

    /// Shakes hands over MCP.
    fn speaking(
        process: Process,
        stdin: Box<dyn Write + Send>,
        out: impl Read + Send + 'static,
        error: impl Read + Send + 'static,
    ) -> Self {
        let transcript = Arc::new(Mutex::new(String::new()));
        let inbox = listen(out, error, &transcript);
        let (stdin, answers) = (Some(stdin), HashMap::new());
        let mut agent = Agent { process, stdin, inbox, answers, last_id: 0, control: None, transcript };
        let hello = agent.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "harness", "version": "1" },
            }),
        );
        let _ = agent.reply(hello);
        agent.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    /// Connects to the agent's program, which is `agent.py`.
    pub fn takes_orders(&mut self, world: &World) {
        let path = world.own_dir().join(self.pid().to_string());
        let control = until("the agent's control socket", || UnixStream::connect(&path).ok());
        control.set_read_timeout(Some(PATIENCE)).unwrap();
        self.control = Some(control);
    }

    pub fn pid(&self) -> u32 {
        match &self.process {
            Process::Child(process) => process.pid(),
            Process::Elsewhere(process) => process.pid(),
        }
    }

    /// SIGKILL to the agent alone, whose parent (the harness) does not ask how it ended: it stays as a zombie.
    #[track_caller]
    pub fn kill_and_leave(&mut self) {
        let Process::Child(process) = &mut self.process else { panic!("not our child") };
        process.signal(rustix::process::Signal::KILL);
        let stat = format!("/proc/{}/stat", process.pid());
        until("a zombie", || std::fs::read_to_string(&stat).unwrap().contains(") Z ").then_some(()));
    }

    /// Everything that the shim or the agent wrote.
    pub fn transcript(&self) -> String {
        self.transcript.lock().unwrap().clone()
    }

    /// A tool call, from question to answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let open = self.begin(tool, arguments);
        self.finish(open)
    }

    /// Makes a call and does not wait.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> Open {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Makes a call that names a conversation of its own.
    pub fn begin_in(&mut self, conversation: &str, tool: &str, arguments: Value) -> Open {
        let meta = json!({ "lychgate/conversation": conversation });
        self.request("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta }))
    }

    /// The answer to a call.
    #[track_caller]
    pub fn finish(&mut self, open: Open) -> Answer {
        let reply = self.reply(open);
        let answer = reply["result"]["structuredContent"].clone();
        assert!(answer.is_object(), "no structured content: {reply:#}");
        Answer(answer)
    }

    /// Takes a call back, as a client does on Esc.
    pub fn cancel(&mut self, open: Open) {
        let params = json!({ "requestId": open.0, "reason": "the person pressed Esc" });
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }

    /// The client goes away without a word.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// A GET on a channel's path that waits for nobody.
    #[track_caller]
    pub fn get(&mut self, world: &World, path: &str) -> Answer {
        self.call("http_request", world.get("api", path))
    }

    /// Authority on `channels` from nothing: asks, and the person says yes.
    #[track_caller]
    pub fn authorized(&mut self, world: &World, channels: &[&str]) {
        let answer = self.call("authorize", json!({ "channels": channels, "wait_seconds": 0 }));
        assert!(answer.says().starts_with("APPROVAL_PENDING "), "{:#}", answer.0);
        world.approve(answer.card());
        self.call("authorize", json!({ "channels": channels, "wait_seconds": 0 })).must_say("COMPLETED");
    }

    /// The agent runs a program as its child.
    #[track_caller]
    pub fn runs(&mut self, words: &[String], input: &str) -> Ran {
        self.order(&json!({ "run": words, "input": input }))
    }

    /// The agent has a program run by an orphan in a session of its own.
    #[track_caller]
    pub fn runs_as_orphan(&mut self, words: &[String], input: &str) -> Ran {
        self.order(&json!({ "orphan": words, "input": input }))
    }

    /// The agent starts a program as its child and goes on; its number.
    #[track_caller]
    pub fn starts(&mut self, words: &[String]) -> u32 {
        let answer = self.ordered(&json!({ "start": words }));
        u32::try_from(answer["pid"].as_u64().unwrap()).unwrap()
    }

    /// The agent's process becomes another program.
    pub fn execs(&mut self, words: &[String]) {
        let before = self.image();
        writeln!(self.orders(), "{}", json!({ "exec": words })).unwrap();
        // The command line changes with the image.
        until("the exec", || (self.image() != before).then_some(()));
    }

    fn image(&self) -> Vec<u8> {
        std::fs::read(format!("/proc/{}/cmdline", self.pid())).unwrap_or_default()
    }

    fn ordered(&mut self, order: &Value) -> Value {
        writeln!(self.orders(), "{order}").unwrap();
        let mut line = String::new();
        BufReader::new(self.orders()).read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn order(&mut self, order: &Value) -> Ran {
        let answer = self.ordered(order);
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        Ran { status: i32::try_from(answer["status"].as_i64().unwrap()).unwrap(), out: text("out"), err: text("err") }
    }

    fn orders(&mut self) -> &mut UnixStream {
        self.control.as_mut().expect("an agent that takes orders")
    }

    /// SIGKILL to the agent alone, and its end.
    pub fn kill(&mut self) {
        match &mut self.process {
            Process::Child(process) => process.kill(),
            Process::Elsewhere(process) => process.kill(),
        }
    }

    /// Processes that the agent started and that live.
    pub fn children(&self) -> Vec<u32> {
        children_of(self.pid())
    }

    fn request(&mut self, method: &str, params: Value) -> Open {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        Open(id)
    }

    fn write(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("standard input was closed");
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn reply(&mut self, open: Open) -> Value {
        while !self.answers.contains_key(&open.0) {
            match self.inbox.recv_timeout(PATIENCE) {
                Ok(message) => {
                    if let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) {
                        self.answers.insert(id, message);
                    }
                }
                Err(why) => panic!("no answer to request {}: {why}\n{}", open.0, self.transcript()),
            }
        }
        self.answers.remove(&open.0).unwrap()
    }
}

impl World {
    /// Arguments of a GET that waits for nobody.
    pub fn get(&self, channel: &str, path: &str) -> Value {
        json!({ "channel": channel, "method": "GET", "url": self.upstream.url(path), "wait_seconds": 0 })
    }

    /// The words that start the agent's program anew, without a shim.
    pub fn words_of_idle_agent(&self) -> Vec<String> {
        let [python, script, own] = [super::place::python(), self.agent_script(), self.own_dir()];
        [python, script, own, "--idle".into(), "--".into()].map(|word| word.display().to_string()).to_vec()
    }

    pub fn agent_script(&self) -> PathBuf {
        self.file("agent.py", include_bytes!("agent.py"))
    }

    /// The words of a `lych` command in this world, for an agent to run.
    pub fn words(&self, args: &[&str]) -> Vec<String> {
        let mut words = vec![self.programs.lych.display().to_string()];
        words.extend(self.state_arguments());
        words.extend(args.iter().map(|arg| (*arg).to_owned()));
        words
    }
}
