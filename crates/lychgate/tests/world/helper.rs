//! Programs that an agent starts and that speak to the gateway by themselves.

use super::World;
use super::agent::Agent;
use super::raw::{By, Raw};
use serde_json::json;

/// How a helper comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Born {
    /// The agent's child.
    Child,
    /// Its grandchild, below a shell that waits.
    Grandchild,
    /// In a session of its own, below a `setsid` that waits.
    OwnSession,
    /// `setsid --fork`: it goes on as an orphan in a session of its own.
    Escaped,
    /// Double-forked.
    Orphan,
}

impl World {
    /// A raw client below `agent`, not registered yet.
    #[track_caller]
    pub fn helper(&self, agent: &mut Agent, born: Born) -> Raw {
        let meeting = self.meeting();
        let orphan = (born == Born::Orphan).then_some("--orphan");
        let client = meeting.words(orphan.as_slice(), &self.words_of_raw());
        let before: &[&str] = match born {
            Born::Child | Born::Orphan => &[],
            // `true` keeps the shell from becoming the helper.
            Born::Grandchild => &["/bin/sh", "-c", "\"$@\"; true", "sh"],
            Born::OwnSession => &["/usr/bin/setsid", "--wait"],
            Born::Escaped => &["/usr/bin/setsid", "--fork"],
        };
        let words: Vec<String> = before.iter().map(|word| (*word).to_owned()).chain(client).collect();
        agent.starts(&words);
        let (process, stream) = meeting.comes();
        Raw::elsewhere(process, stream)
    }

    /// The same, registered.
    #[track_caller]
    pub fn registered_helper(&self, agent: &mut Agent, born: Born) -> Raw {
        let mut helper = self.helper(agent, born);
        helper.registered();
        helper
    }

    /// An agent whose authority on `api` serves the programs that it starts.
    #[track_caller]
    pub fn generous_agent(&self) -> Agent {
        let mut agent = self.agent();
        let ask = json!({ "channels": ["api"], "wait_seconds": 0 });
        let card = agent.call("authorize", ask.clone()).must_say("APPROVAL_PENDING new_run").card();
        self.approve_with_programs(card);
        agent.call("authorize", ask).must_say("COMPLETED");
        agent
    }
}

impl Raw {
    /// What a GET says.
    #[track_caller]
    pub fn gets(&mut self, world: &World, path: &str) -> String {
        self.call(By::Itself, &world.raw_get(path)).map_or_else(|| "closed".to_owned(), |answer| answer.says())
    }
}
