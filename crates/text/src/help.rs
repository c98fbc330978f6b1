//! What `lych --help` and the help of its commands say.
//!
//! Like all help they have no end mark where they are one paragraph: they stand in lists.

/// The sentences and phrases.
#[derive(Debug)]
pub struct HelpTexts {
    /// What the program is.
    pub program: About,
    /// What each command does.
    pub commands: CommandHelp,
    /// Options that several commands have.
    pub common: CommonHelp,
    /// What `channel` takes.
    pub channel: ChannelHelp,
    /// What `approve`, `deny` and `revoke` take.
    pub answers: AnswerHelp,
    /// What `sessions` and `activity` take.
    pub journal: JournalHelp,
    /// What `audit` takes.
    pub audit: AuditHelp,
    /// What `call` takes.
    pub call: CallHelp,
    /// What the other commands take.
    pub others: OtherHelp,
}

/// A text of more than one paragraph, which lists shorten to its first one.
#[derive(Debug)]
pub struct About {
    /// The first paragraph, without its end mark.
    pub short: &'static str,
    /// All of it, with end marks.
    pub long: &'static str,
}

/// What each command does; named like the commands.
#[derive(Debug)]
pub struct CommandHelp {
    pub up: About,
    pub gateway: &'static str,
    pub init: About,
    pub unlock: &'static str,
    pub restore: About,
    pub lock: &'static str,
    pub status: &'static str,
    pub stop: &'static str,
    pub channel: &'static str,
    pub channel_add: About,
    pub channel_list: &'static str,
    pub channel_show: &'static str,
    pub channel_remove: &'static str,
    pub agent: &'static str,
    pub agent_pin: About,
    pub agent_list: &'static str,
    pub agent_unpin: &'static str,
    pub approvals: &'static str,
    pub approve: &'static str,
    pub deny: &'static str,
    pub runs: &'static str,
    pub revoke: &'static str,
    pub sessions: &'static str,
    pub activity: &'static str,
    pub audit: &'static str,
    pub audit_verify: About,
    pub audit_checkpoint: &'static str,
    pub mcp: &'static str,
    pub call: About,
    pub connect: &'static str,
    pub demo: &'static str,
    pub demo_agent: About,
    pub demo_service: About,
}

/// Options that several commands have; named like the options.
#[derive(Debug)]
pub struct CommonHelp {
    pub state_dir: About,
    pub json: &'static str,
    pub factor_stdin: &'static str,
}

/// What `channel` takes; named like the options and their values.
#[derive(Debug)]
pub struct ChannelHelp {
    /// The name of a new channel.
    pub new_name: &'static str,
    /// The name of one that there is.
    pub name: &'static str,
    pub origin: &'static str,
    pub path: &'static str,
    pub method: &'static str,
    pub kind: &'static str,
    pub kind_bearer: &'static str,
    pub approval: &'static str,
    pub approval_session: &'static str,
    pub approval_per_call: &'static str,
    pub per_call_methods: &'static str,
    pub max_uses: &'static str,
    pub max_minutes: &'static str,
    pub ca: &'static str,
    pub allow_private: &'static str,
    /// `--allow-unverified`.
    pub allow_unverified: &'static str,
    /// `--allow-unreadable`.
    pub allow_unreadable: &'static str,
    pub secret_stdin: &'static str,
}

/// What `approve`, `deny` and `revoke` take; named like the options.
#[derive(Debug)]
pub struct AnswerHelp {
    pub card: &'static str,
    pub channel: &'static str,
    pub shown: &'static str,
    pub programs: &'static str,
    pub run: &'static str,
    pub all: &'static str,
}

/// What `sessions` and `activity` take; named like the options.
#[derive(Debug)]
pub struct JournalHelp {
    pub sessions_run: &'static str,
    pub sessions_channel: &'static str,
    pub run: &'static str,
    pub channel: &'static str,
    pub action: &'static str,
    pub action_id: &'static str,
    pub outcome: &'static str,
    pub since: &'static str,
    pub until: &'static str,
    pub all: &'static str,
    /// A time that can't be read, in the parser's own sentence.
    pub not_a_time: &'static str,
}

/// What `audit` takes; named like the options.
#[derive(Debug)]
pub struct AuditHelp {
    pub dir: &'static str,
    pub key: &'static str,
    pub checkpoint: &'static str,
    pub receipt: &'static str,
    pub all_commits: &'static str,
    /// A key that can't be read, in the parser's own sentence.
    pub not_a_key: &'static str,
}

/// What `call` takes; named like the options.
#[derive(Debug)]
pub struct CallHelp {
    pub channel: &'static str,
    pub method: &'static str,
    pub url: &'static str,
    pub header: &'static str,
    pub body_stdin: &'static str,
    pub wait: &'static str,
    /// A header that can't be read, in the parser's own sentence.
    pub no_header: &'static str,
}

/// What the other commands take; named like the commands and their options.
#[derive(Debug)]
pub struct OtherHelp {
    pub agent_path: &'static str,
    pub agent_new_name: &'static str,
    pub agent_name: &'static str,
    pub restore_previous: &'static str,
    pub restore_file: &'static str,
    pub mcp_conversation: &'static str,
    pub connect_client: &'static str,
    pub connect_print: &'static str,
    pub demo_yes: &'static str,
    pub demo_keep: &'static str,
    pub demo_agent_lych: &'static str,
    pub demo_agent_conversation: &'static str,
    pub demo_service_dir: &'static str,
}
