//! A gateway that answers from a script and remembers what it was asked. It checks nothing: the console is what is
//! tested here.

use lychgate_core::card::{AgentView, CardChannel, CardView, ProgramView};
use lychgate_core::channel::Ceremony;
use lychgate_core::evidence::Attestation;
use lychgate_core::ids::{BootNo, CardNo, Digest, RunId};
use lychgate_wire::operator::{Command, FromOperator, Reply, Status, ToOperator};
use lychgate_wire::transport::{accept, halves, listen};
use std::path::Path;
use std::sync::mpsc;

/// A command as it arrived: its word, the whole of it as JSON, and the factor.
#[derive(Debug, Clone)]
pub struct Asked {
    pub word: &'static str,
    pub json: serde_json::Value,
    pub factor: Option<String>,
}

/// Serves one connection at `STATE/run/operator.sock`; ends with it.
pub struct Fake {
    asked: mpsc::Receiver<Asked>,
}

impl Fake {
    /// `answer` maps a command's number and the command to the frames that answer it.
    pub fn start(state: &Path, answer: impl FnMut(u64, &Command) -> Vec<ToOperator> + Send + 'static) -> Self {
        Self::of_wire(lychgate_wire::WIRE, state, answer)
    }

    /// The same, speaking another version of the messages.
    pub fn of_wire(
        wire: u32,
        state: &Path,
        mut answer: impl FnMut(u64, &Command) -> Vec<ToOperator> + Send + 'static,
    ) -> Self {
        let run = state.join("run");
        drop(lychgate_seal::durable::private_dir(&run).unwrap());
        let socket = run.join("operator.sock");
        let (tell, asked) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = listen(&socket).unwrap();
                ready.send(()).unwrap();
                let (mut reader, writer) = halves(accept(&listener).await.unwrap()).unwrap();
                while let Ok(frame) = reader.frame().await {
                    match serde_json::from_slice(&frame.bytes).unwrap() {
                        FromOperator::Hello { .. } => {
                            let pinned = ToOperator::Pinned { wire, version: "fake".to_owned() };
                            writer.send(&pinned).await.unwrap();
                        }
                        FromOperator::Do { id, factor, command } => {
                            let json = serde_json::to_value(&command).unwrap();
                            let factor = factor.map(|factor| factor.expose().to_owned());
                            // Its own word is the one that it asks about, as the journal has it.
                            let word = if matches!(command, Command::MayI { .. }) { "may i" } else { command.word() };
                            tell.send(Asked { word, json, factor }).unwrap();
                            for frame in answer(id, &command) {
                                writer.send(&frame).await.unwrap();
                            }
                        }
                    }
                }
            });
        });
        started.recv().unwrap();
        Self { asked }
    }

    /// Everything that was asked, once the connection has ended.
    pub fn asked(self) -> Vec<Asked> {
        self.asked.iter().collect()
    }
}

/// The state of the gateway.
pub fn status(vault: &str) -> Reply {
    Reply::Status(Status {
        version: "0.1.0".to_owned(),
        vault: vault.to_owned(),
        epoch: 12,
        boot: BootNo(8),
        runs: 1,
        cards: 2,
        channels: Some(3),
        journal_rows: 4,
    })
}

/// A card for a session on `github`.
pub fn card() -> CardView {
    CardView {
        card: CardNo(7),
        run: RunId(31),
        changed: vec![],
        previous: None,
        agent: AgentView {
            attestation: Attestation::Whole,
            program: Some(ProgramView {
                name: "claude\u{202e}".to_owned(),
                path: "/usr/bin/claude".to_owned(),
                path_now: lychgate_core::evidence::PathNow::Same,
                signer: lychgate_core::provenance::Signer::Unsigned(lychgate_core::provenance::Unsigned::NotPackaged),
                history: lychgate_core::programs::History::Known {
                    first_asked: None,
                    last_yes: lychgate_core::programs::LastYes::Never,
                },
                script: None,
                sha256: Digest([1; 32]),
            }),
            pid: 4242,
            directory: None,
            claimed_command: "claude".to_owned(),
            chain: vec![],
        },
        conversation: None,
        channels: vec![CardChannel {
            name: "github".parse().unwrap(),
            origins: vec!["https://api.github.com:443".to_owned()],
            paths: vec!["/".to_owned()],
            methods: vec!["GET".to_owned()],
            asks_each_time: vec![],
            max_uses: None,
            max_minutes: None,
            ticked: true,
        }],
        action: None,
        asks_action: false,
        stands_alone: false,
        works_under: None,
        ceremony: Ceremony::Presence,
        boot: BootNo(8),
        epoch: 12,
    }
}

/// One answer.
pub fn done(id: u64, reply: Reply) -> Vec<ToOperator> {
    vec![ToOperator::Done { id, reply }]
}

/// Unlocked, one card; everything else succeeds.
pub fn obliging(id: u64, command: &Command) -> Vec<ToOperator> {
    done(
        id,
        match command {
            Command::Status => status("unlocked"),
            Command::Approvals => Reply::Cards { cards: vec![card()] },
            Command::Approve { .. } => Reply::Approved { run: RunId(31), channels: vec!["github".parse().unwrap()] },
            Command::Revoke { .. } => Reply::Revoked { approvals: 2 },
            Command::Runs => Reply::Runs { runs: vec![] },
            Command::AgentList => Reply::Agents { agents: vec![] },
            Command::ChannelList => Reply::Channels { channels: vec![] },
            Command::Unlock { .. }
            | Command::Lock
            | Command::Deny { .. }
            | Command::ChannelAdd { .. }
            | Command::ChannelRemove { .. }
            | Command::AgentPin { .. }
            | Command::AgentUnpin { .. }
            | Command::Watch
            | Command::MayI { .. }
            | Command::CheckFactor
            | Command::Stop => Reply::Ok { notice: None },
        },
    )
}
