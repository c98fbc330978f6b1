//! What `lych --help` and the help of its commands say. In English.

use crate::help::{
    About, AnswerHelp, AuditHelp, CallHelp, ChannelHelp, CommandHelp, CommonHelp, HelpTexts, JournalHelp, OtherHelp,
};

/// The first paragraph is told without its end mark where it stands alone.
macro_rules! about {
    ($first:literal, $more:literal) => {
        About { short: $first, long: concat!($first, ".\n\n", $more) }
    };
}

pub(super) const TEXTS: HelpTexts = HelpTexts {
    program: about!(
        "A local credential gateway for AI agents",
        "Lychgate keeps API credentials in an encrypted vault, carries out requests that agents ask for, asks you \
         first, and records what was done. Start with `lych up`."
    ),
    commands: COMMANDS,
    common: CommonHelp {
        state_dir: about!(
            "Keep vault, journal and sockets below this directory",
            "Without it they are in ~/.local/share/lychgate and /run/user/UID/lychgate. The home directory comes from \
             the password database, never from the environment."
        ),
        json: "Print JSON instead of text",
        factor_stdin: "Read the passphrase or PIN from standard input, one per line, instead of asking on the terminal",
    },
    channel: ChannelHelp {
        new_name: "Name: a-z, 0-9, `-` and `_`. Agents use it",
        name: "Name of the channel",
        origin: "Where the credential may go: https://HOST[:PORT]. May be given several times",
        path: "Path prefix that is allowed. May be given several times",
        method: "HTTP method that is allowed. May be given several times",
        kind: "How the credential is attached",
        kind_bearer: "`Authorization: Bearer CREDENTIAL`",
        approval: "Whether one yes serves an agent's run, or each use is asked",
        approval_session: "One yes for a run's lifetime",
        approval_per_call: "A yes for the run, and one for each use",
        per_call_methods: "Methods that ask each time, also within an approved run",
        max_uses: "A session approval ends after so many uses",
        max_minutes: "A session approval ends after so many minutes",
        ca: "Trust the certificates in this PEM file, and no others, for this channel",
        allow_private: "Allow addresses of private networks and of this machine",
        allow_unverified: "Let requesters ask that can't be verified (in a container, or without an agent). You are asked \
                           for each action; without this they are refused",
        allow_unreadable: "Give session approvals also to an agent whose program lets nobody look at it. Without this \
                           you are asked for each of its actions",
        secret_stdin: "Read the credential from standard input: the line after the PIN, or the first where the PIN is \
                       typed",
    },
    answers: AnswerHelp {
        card: "The card, such as C7; `lych approvals` lists them",
        channel: "Open only this channel of the card; may be given several times. Without it: those that are ticked",
        shown: "Only if the card still is the one with this digest (\"shown\" in `lych approvals --json`)",
        programs: "Let the yes serve the programs that the agent starts, too, as long as each hangs from it by living processes",
        run: "The run, such as R31; `lych runs` lists them",
        all: "All runs",
    },
    journal: JournalHelp {
        sessions_run: "Only those of this run, such as R31",
        sessions_channel: "Only those of this channel",
        run: "Only rows of this run, such as R31",
        channel: "Only rows of this channel",
        action: "Only rows of this action, by its number, such as Q44",
        action_id: "Only rows of this action, by the `action_id` that the agent knows",
        outcome: "Only rows of this name or reason, such as `action_denied` or `gateway_restarted`",
        since: "Only rows from this time on: 2026-11-30, \"2026-11-30 14:00\", or with a zone as in RFC 3339",
        until: "Only rows before this time",
        all: "Also what the journal writes about itself",
        not_a_time: "give a date, a date and time, or an RFC 3339 time with its zone",
    },
    audit: AuditHelp {
        dir: "The journal's directory; without it, the one of this state directory",
        key: "The vault's public key, as `lych init` printed it; or a checkpoint's verifier key",
        checkpoint: "A saved checkpoint. May be given several times",
        receipt: "A receipt that an agent was given (JSON). May be given several times",
        all_commits: "Check the signature of every commit, and not of each segment's last one alone",
        not_a_key: "give the 64 hexadecimal digits that `lych init` printed, or a checkpoint's verifier key",
    },
    call: CallHelp {
        channel: "Name of the channel",
        method: "HTTP method, such as GET or POST",
        url: "Whole URL with scheme, host and query. It must lie within the channel",
        header: "A request header. May be given several times; not those that the channel adds",
        body_stdin: "Read the request's body from standard input",
        wait: "How long to wait for the person",
        no_header: "a header is written NAME: VALUE",
    },
    others: OtherHelp {
        agent_path: "The program file",
        agent_new_name: "Name on cards: a-z, 0-9, `-`, `_` and `.`",
        agent_name: "Name of the pinned program",
        restore_previous: "Take the version before the vault file, which is kept beside it",
        restore_file: "Take this file, a backup of `vault.lych`",
        mcp_conversation: "A label for the conversation. It is shown on cards and grants nothing",
        connect_client: "The agent program",
        connect_print: "Print the configuration and change nothing",
        demo_yes: "Answer the cards with yes, without pauses. Exit status 0 only if every step gave what it must",
        demo_keep: "Leave the demo's files in place",
        demo_agent_lych: "The `lych` whose `mcp` to start: the program file that the gateway runs too",
        demo_agent_conversation: "Given to `lych mcp` as it is",
        demo_service_dir: "Where to write service.json, ca.pem and requests.jsonl. Made where it is missing, for this \
                           user alone",
    },
};

const COMMANDS: CommandHelp = CommandHelp {
    up: about!(
        "Start here: create the vault, start the gateway, and answer agents in this terminal",
        "The first time it asks for a new passphrase and a new PIN. Later it asks for the passphrase where the vault \
         is locked. Then it shows each card: who asks, what for, and what a yes covers.\n\n\
         With --factor-stdin: the passphrase on the first line, and the first time the PIN on the second. Lines that \
         follow are keys, and PINs after each y; a y or n waits for its card."
    ),
    gateway: "Run the gateway in the foreground; prints \"ready\" when agents can connect",
    init: about!(
        "Create the vault, the audit key and the journal, and print the vault's public key",
        "With --factor-stdin: the passphrase on the first line, the PIN on the second."
    ),
    unlock: "Unlock the vault. Takes the passphrase",
    restore: about!(
        "Put an older vault file back, with the gateway stopped. Takes the passphrase",
        "The epoch rises above both files, and the next unlock names what was put back."
    ),
    lock: "Lock the vault. All approvals end. Takes nothing",
    status: "Show the state of the gateway and the vault",
    stop: "Stop the gateway. All approvals end. Takes nothing",
    channel: "Add, list, show or remove channels: each is one credential and what it may be used for",
    channel_add: about!(
        "Add a channel. Takes the PIN, then the credential",
        "Example: lych channel add github --origin https://api.github.com --path /repos/ --method GET --method POST \
         --per-call-methods POST --kind bearer"
    ),
    channel_list: "List the channels. Credentials are never shown",
    channel_show: "Show one channel. Its credential is never shown",
    channel_remove: "Remove a channel and its credential. Takes the PIN. Approvals for it end",
    agent: "Pin, list or unpin programs that you vouch for yourself; cards then name them so",
    agent_pin: about!(
        "Vouch for a program by the digest of its file. Takes the PIN",
        "Cards then show it as pinned by you, under this name, as long as the file is the same. It gives no authority. \
         Interpreters, shells and the like can't be pinned: what they do is in another file."
    ),
    agent_list: "List the pinned programs",
    agent_unpin: "Vouch for a program no longer. Takes the PIN",
    approvals: "Show the cards that wait for an answer",
    approve: "Say yes to a card. Takes the PIN",
    deny: "Say no to a card. Takes nothing",
    runs: "Show the agents that are connected, and what they may use",
    revoke: "End the approvals of a run, or all of them, at once. Takes nothing",
    sessions: "Show past and present runs from the journal: what was approved, when and why it ended. Takes the \
               passphrase",
    activity: "Show what happened, row by row, from the journal. Takes the passphrase",
    audit: "Check the journal, or print a checkpoint of it. Needs no passphrase and no gateway",
    audit_verify: about!(
        "Check that the journal is whole: nothing changed, cut, reordered or replaced",
        "Exit status: 0 OK, 10 self-signed only (no --key was given), 11 torn tail, 12 gap, 13 corrupt, 14 rewritten, \
         15 truncated, 16 fork, 17 bad key, 18 protocol."
    ),
    audit_checkpoint: "Print a signed checkpoint of the journal. Keep it elsewhere; `audit verify --checkpoint FILE` \
                       holds the journal against it",
    mcp: "Serve MCP on standard input and output. An agent starts this; see `lych connect`",
    call: about!(
        "Make one authenticated request through a channel, for a script below an agent or for yourself",
        "The response's body goes to standard output. Below an agent it works under that agent's approval where you let \
         it (`lych approve --programs`) or the agent named it; else a card asks about this process alone. Exit status: 0 \
         answered without an HTTP error, 1 refused, failed or answered with one, 2 the call is wrong, 3 no gateway, 4 the \
         vault is locked."
    ),
    connect: "Show how to give an agent its entry for Lychgate",
    demo: "See the whole story on throw-away state: an agent asks, you decide, and a resumed agent starts without \
           authority",
    demo_agent: about!(
        "The agent of the demo and of tests: an MCP client that is told on standard input what to call",
        "It starts `LYCH mcp` and speaks MCP to it. Input and output are lines of JSON. The first line that it writes \
         is {\"ready\":true,\"pid\":N}. {\"id\":1,\"tool\":\"http_request\",\"arguments\":{…}} calls a tool; several \
         calls may be under way. The answer is the tool's structured content with the id and the text for a model \
         added, or {\"id\":1,\"error\":\"…\"}. {\"exec\":true} makes the process execute its own program again, \
         {\"exec\":[\"/bin/cat\"]} another one. It ends with its input."
    ),
    demo_service: about!(
        "The service of the demo and of tests: HTTPS on a free port of 127.0.0.1, with a certificate of its own",
        "DIR/service.json ({\"port\":N,\"ca_pem\":\"FILE\"}) appears when it is ready. Each request becomes one line \
         of DIR/requests.jsonl before it is answered: time (milliseconds since 1970), method, path, headers, body (or \
         body_base64). /v1/items answers 201, /v1/drop closes without an answer, /v1/slow?ms=N answers after N \
         milliseconds, /v1/echo-auth answers with the Authorization header that it got, and everything else is 404."
    ),
};
