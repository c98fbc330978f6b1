//! Runs, channels, state and failures, as a person reads them.

use lychgate_core::channel::Ceremony;
use lychgate_text::{
    ChannelLine, Message, Problem, RunLine, StatusLine, Wanted, catalogue, channel_lines, english, problem, run_lines,
    status_lines,
};

#[test]
fn a_run_is_listed_with_what_it_may_use_and_foreign_text_is_escaped() {
    let run = RunLine {
        run: "R31",
        program: "cla\u{202e}ude",
        pid: 7,
        signer: None,
        directory: Some("/home/me/\u{1b}[2J"),
        conversation: Some("fix\nR32  root"),
        works_under: Some(("R30", "/usr/bin/agent")),
        channels: &["github".to_owned(), "mail".to_owned()],
        actions: 1,
    };
    assert_eq!(
        run_lines(english(), &run, 100),
        [
            "R31  cla\\u{202e}ude (process 7)",
            "  Signer         unsigned (the program could not be seen)",
            "  Directory      /home/me/\\u{001b}[2J",
            "  The agent of run R30, /usr/bin/agent, started this program, over the processes between them.",
            "  Conversation   (claimed, not verified) fix\\nR32  root",
            "  Approved on: github, mail. 1 action under way or waiting.",
        ]
    );
    let idle = RunLine { channels: &[], actions: 0, conversation: None, ..run };
    assert_eq!(
        run_lines(english(), &idle, 100).last().map(String::as_str),
        Some("  No approval. No action under way.")
    );
}

#[test]
fn a_channel_is_listed_with_where_it_goes_and_when_it_asks() {
    let channel = ChannelLine {
        name: "github",
        origins: vec!["https://api.github.com".to_owned()],
        paths: vec!["/repos/".to_owned()],
        methods: vec!["GET".to_owned(), "POST".to_owned()],
        asks_each_time: vec!["POST".to_owned()],
        max_uses: Some(1),
        max_minutes: Some(30),
        private: true,
        own_ca: false,
        unverified: false,
        unreadable: true,
        per_call: false,
        ceremony: Ceremony::Presence,
    };
    assert_eq!(
        channel_lines(english(), &channel, 100),
        [
            "github",
            "  Goes to        https://api.github.com",
            "  Paths          /repos/",
            "  Methods        GET, POST",
            "  Asks each time POST",
            "  Ends after     1 use or 30 minutes",
            "  Settings       one yes for a run, bearer token, private addresses allowed, sessions also for",
            "                 unreadable programs",
            "  It takes       your PIN",
        ]
    );
}

#[test]
fn the_state_tells_no_number_of_channels_while_the_vault_is_locked() {
    let status = StatusLine {
        version: "0.1.0",
        vault: "locked",
        epoch: 12,
        boot: "B8",
        runs: 1,
        cards: 0,
        channels: None,
        journal_rows: 40,
    };
    assert_eq!(
        status_lines(english(), &status, 100),
        [
            "gateway   0.1.0, lifetime B8",
            "vault     locked, epoch 12",
            "agents    1 connected",
            "cards     0 waiting for an answer",
            "journal   40 rows",
        ]
    );
}

#[test]
fn a_failure_says_what_and_why_and_what_to_do_next() {
    assert_eq!(
        problem(english(), &Problem::NoGateway { socket: "/run/x.sock" }),
        "no gateway answers\n  nothing listens at /run/x.sock\n  \
         start it with `lych up`, or give the --state-dir that it was started with"
    );
    let text = problem(english(), &Problem::InputEnded { wanted: Wanted::Pin });
    assert!(text.starts_with("standard input ended before the PIN\n  give each on a line"), "{text}");
    let text = problem(english(), &Problem::NotOurGateway { why: "x".into() });
    assert!(text.contains("none was sent"), "{text}");
}

#[test]
fn the_person_is_told_what_the_public_key_is_for() {
    let text = english().message(&Message::VaultCreated { dir: "/d", key: "abcd", short: "ab-cd" });
    assert!(text.contains("abcd") && text.contains("ab-cd") && text.contains("lych audit verify --key"), "{text}");
}

#[test]
fn a_locale_chooses_the_language_and_an_unknown_one_gets_english() {
    for locale in ["", "C", "en_GB.UTF-8", "xx", "../../etc", "EN"] {
        assert_eq!(catalogue(locale).tag(), "en", "{locale}");
    }
}
