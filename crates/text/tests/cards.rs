//! Cards, word for word: what a person decides on is part of the contract.
#![allow(clippy::unwrap_used, reason = "tests")]

use lychgate_core::card::{AgentView, CardAction, CardChannel, CardView, ChainLink, PreviousRun, ProgramView};
use lychgate_core::channel::Ceremony;
use lychgate_core::evidence::{Attestation, PathNow, Unverified};
use lychgate_core::ids::{ActionNo, BootNo, CardNo, Digest, RunId, WallTime};
use lychgate_core::outcome::Reason;
use lychgate_core::programs::{History, LastYes};
use lychgate_core::provenance::{Package, Signer, Unsigned};
use lychgate_text::{card, english};

/// 2026-11-29 23:59:59.999 UTC.
const A_DAY: WallTime = WallTime(1_795_996_799_999);

fn agent() -> AgentView {
    AgentView {
        attestation: Attestation::Whole,
        program: Some(ProgramView {
            name: "claude".to_owned(),
            path: "/usr/bin/claude".to_owned(),
            path_now: lychgate_core::evidence::PathNow::Same,
            signer: Signer::Package(Package { name: "claude".to_owned(), version: "1.2".to_owned() }),
            history: History::Known { first_asked: None, last_yes: LastYes::Never },
            script: None,
            sha256: Digest([0xab; 32]),
        }),
        pid: 4242,
        directory: Some("/home/me/project".to_owned()),
        claimed_command: "claude --resume".to_owned(),
        chain: vec![
            ChainLink { pid: 4242, program: "/usr/bin/claude".to_owned() },
            ChainLink { pid: 4250, program: "/usr/bin/lych".to_owned() },
        ],
    }
}

fn channel(name: &str, ticked: bool, asks: &[&str]) -> CardChannel {
    CardChannel {
        name: name.parse().unwrap(),
        origins: vec!["https://api.example.com:443".to_owned()],
        paths: vec!["/v1/".to_owned()],
        methods: vec!["GET".to_owned(), "POST".to_owned()],
        asks_each_time: asks.iter().map(|m| (*m).to_owned()).collect(),
        max_uses: None,
        max_minutes: None,
        ticked,
    }
}

fn action() -> CardAction {
    CardAction {
        action: ActionNo(44),
        channel: "payments".parse().unwrap(),
        method: "POST".to_owned(),
        url: "https://api.example.com/v1/charges?live=1".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body_text: Some("{\"amount\": 5}".to_owned()),
        body_bytes: 13,
        body_sha256: Digest([0x11; 32]),
        digest: Digest([0x22; 32]),
    }
}

fn base() -> CardView {
    CardView {
        card: CardNo(7),
        run: RunId(31),
        changed: vec![],
        previous: None,
        agent: agent(),
        conversation: None,
        channels: vec![channel("payments", true, &[])],
        action: None,
        asks_action: false,
        stands_alone: false,
        works_under: None,
        ceremony: Ceremony::Presence,
        boot: BootNo(8),
        epoch: 12,
    }
}

fn shown(view: &CardView) -> String {
    card(english(), view, 110).join("\n")
}

#[test]
fn a_new_run_is_shown_whole() {
    assert_eq!(
        shown(&base()),
        "\
Card C7: run R31 asks to use your credentials

What changed
  Nothing: this run had no approval for it before.

Who asks
  Program        claude (process 4242)
  Signer         package claude 1.2 (matches Debian's package database, MD5)
  File           /usr/bin/claude
  SHA-256        abababababababababababababababababababababababababababababababab
  Directory      /home/me/project
  First asked    now: exactly this program has not asked before
  Your last yes  none to a program at this place
  Command line   (claimed, not verified) claude --resume
  Processes      /usr/bin/claude (4242)
                 /usr/bin/lych (4250)

What a yes opens
  [x] Channel    payments
  Goes to        https://api.example.com:443
  Paths          /v1/
  Methods        GET, POST

What your yes covers
  This run on the ticked channels, until its process ends, the vault is locked, the gateway stops, or you
  revoke it. Subagents inside the same program share it.
  No other process: not a second copy of the program, not one started later in its place, not the programs
  that it starts, unless you say so.
  With `lych approve CARD --programs`, or the key p in the console: these programs too, each looked at and
  recorded by itself, as long as every process between it and the agent lives unchanged.
  The agent can act for a program that it starts, and can name one to work under this approval (`delegate`);
  that is recorded and ends with either of them.
  It takes       your PIN
  State          gateway lifetime B8, vault epoch 12"
    );
}

#[test]
fn after_a_gateway_restart_the_change_comes_first_and_no_action_is_shown() {
    // Even where the action is in the card by mistake, the person does not see it before the change is settled (R19).
    let view = CardView { changed: vec![Reason::GatewayRestarted], action: Some(action()), ..base() };
    let text = shown(&view);
    assert!(
        text.starts_with(
            "Card C7: run R31 asks to use your credentials\n\nWhat changed\n  \
             The gateway was restarted. Approvals given to the earlier gateway ended with it.\n\nWho asks\n"
        ),
        "{text}"
    );
    assert!(!text.contains("Q44") && !text.contains("charges"), "{text}");
}

#[test]
fn a_changed_process_with_an_unsigned_program_says_so_before_all_else() {
    let view = CardView {
        changed: vec![Reason::ProcessChanged],
        previous: Some(PreviousRun {
            run: RunId(30),
            program: "claude".to_owned(),
            same_program: false,
            shows_results: true,
        }),
        agent: AgentView {
            program: Some(ProgramView {
                signer: Signer::Unsigned(Unsigned::NotPackaged),
                path_now: PathNow::Gone,
                history: History::Known { first_asked: None, last_yes: LastYes::OtherProgram(A_DAY) },
                ..agent().program.unwrap()
            }),
            directory: None,
            ..agent()
        },
        conversation: Some("fix the build".to_owned()),
        ..base()
    };
    assert_eq!(
        shown(&view).split("\n\nWhat a yes opens").next().unwrap(),
        "\
Card C7: run R31 asks to use your credentials

What changed
  The process that was approved is not the one that asks now, or that can't be proven. Its approval ended with
  it.
  The earlier run was R30, claude. The program file is ANOTHER one now.
  A yes also shows this run the results of R30's actions on the channels that you open.

Who asks
  Program        claude (process 4242)
  Signer         unsigned (no installed package holds this file)
  File           /usr/bin/claude
                 This file was removed since the program was started.
  SHA-256        abababababababababababababababababababababababababababababababab
  Directory      could not be read
  First asked    now: exactly this program has not asked before
  Your last yes  2026-11-29, to ANOTHER file at this place: the program has changed since
  Command line   (claimed, not verified) claude --resume
  Conversation   (claimed, not verified) fix the build
  Processes      /usr/bin/claude (4242)
                 /usr/bin/lych (4250)"
    );
}

#[test]
fn after_a_lock_the_card_says_that_the_vault_changed() {
    let view = CardView { changed: vec![Reason::VaultStateChanged], ..base() };
    let text = shown(&view);
    assert!(
        text.contains("\nWhat changed\n  The vault was locked, or its state changed, after the approval was given."),
        "{text}"
    );
    let view = CardView { changed: vec![Reason::VaultLocked, Reason::ProcessChanged], ..base() };
    let text = shown(&view);
    let (locked, process) = (text.find("The vault is locked."), text.find("The process that was approved"));
    assert!(locked.is_some() && locked < process, "{text}");
}

#[test]
fn a_per_call_action_is_shown_whole_and_its_text_can_neither_hide_nor_imitate_ours() {
    let view = CardView {
        channels: vec![],
        asks_action: true,
        action: Some(CardAction {
            url: "https://api.example.com/v1/\u{202e}segrahc?x=\u{1b}[2J\u{200b}".to_owned(),
            headers: vec![("x-note".to_owned(), "a\r\nWhat your yes covers".to_owned())],
            body_text: Some(
                "{\n\u{2066}\"amount\": 5\u{e0041}\nWhat your yes covers\n  It takes       nothing".to_owned(),
            ),
            body_bytes: 61,
            ..action()
        }),
        ..base()
    };
    assert_eq!(
        shown(&view).split_once("\n\nThe action\n").unwrap().1,
        "  Action         Q44 on channel payments
  Request        POST https://api.example.com/v1/\\u{202e}segrahc?x=\\u{001b}[2J\\u{200b}
  Header         x-note: a\\r\\nWhat your yes covers
  Body           61 bytes
  Body SHA-256   1111111111111111111111111111111111111111111111111111111111111111
    | {
    | \\u{2066}\"amount\": 5\\u{e0041}
    | What your yes covers
    |   It takes       nothing
  Digest         2222222222222222222222222222222222222222222222222222222222222222

What your yes covers
  Exactly the action above, once. A request that differs in one byte is a new question.
  It takes       your PIN
  State          gateway lifetime B8, vault epoch 12"
    );
}

#[test]
fn a_card_for_session_and_action_shows_both_and_what_each_yes_covers() {
    let view = CardView {
        channels: vec![channel("payments", true, &["POST"]), channel("mail", false, &[])],
        asks_action: true,
        action: Some(action()),
        ..base()
    };
    let text = shown(&view);
    assert!(text.contains("  [x] Channel    payments\n"), "{text}");
    assert!(text.contains("  [ ] Channel    mail\n"), "{text}");
    assert!(text.contains("  Asks each time POST\n"), "{text}");
    assert!(text.contains("\nThe action\n  Action         Q44"), "{text}");
    assert!(text.contains("    | {\"amount\": 5}\n"), "{text}");
    assert!(text.contains("still ask you each time"), "{text}");
    assert!(text.contains("Exactly the action above, once."), "{text}");
}

#[test]
fn a_body_that_is_not_shown_is_named_by_length_and_digest() {
    let whole = CardView { channels: vec![], asks_action: true, action: Some(action()), ..base() };
    let hidden = CardAction { body_text: None, body_bytes: 70_000, ..action() };
    let text = shown(&CardView { action: Some(hidden), ..whole.clone() });
    assert!(text.contains("  Body           70000 bytes\n  Body SHA-256   1111"), "{text}");
    assert!(text.contains("is not shown here"), "{text}");
    let none = CardAction { body_text: None, body_bytes: 0, ..action() };
    let text = shown(&CardView { action: Some(none), ..whole });
    assert!(text.contains("  Body           none\n"), "{text}");
    assert!(!text.contains("is not shown here"), "{text}");
}

#[test]
fn one_byte_changed_anywhere_in_the_action_changes_the_card() {
    let whole = CardView { channels: vec![], asks_action: true, action: Some(action()), ..base() };
    let variants = [
        CardAction { method: "PUT".to_owned(), ..action() },
        CardAction { url: format!("{}1", action().url), ..action() },
        CardAction { headers: vec![], ..action() },
        CardAction { body_text: Some("{\"amount\": 6}".to_owned()), ..action() },
        CardAction { body_sha256: Digest([0x12; 32]), ..action() },
        CardAction { digest: Digest([0x23; 32]), ..action() },
    ];
    for variant in variants {
        assert_ne!(shown(&whole), shown(&CardView { action: Some(variant.clone()), ..whole.clone() }), "{variant:?}");
    }
}

#[test]
fn a_click_is_told_apart_from_a_pin() {
    assert!(
        shown(&CardView { ceremony: Ceremony::Click, ..base() }).contains("It takes       one key in this console")
    );
}

#[test]
fn a_card_tells_when_a_program_first_asked_and_whether_it_is_what_the_last_yes_was_to() {
    let known = |last_yes| History::Known { first_asked: Some(A_DAY), last_yes };
    for (history, lines) in [
        (
            History::Unknown,
            "  First asked    not known: the store of earlier results could not be read\n  Command line",
        ),
        (
            known(LastYes::Same(A_DAY)),
            "  First asked    2026-11-29\n  Your last yes  2026-11-29, to exactly this program\n",
        ),
        (
            known(LastYes::OtherScript(A_DAY)),
            "  Your last yes  2026-11-29, to ANOTHER content of this script: it has changed since\n",
        ),
        (
            known(LastYes::Uncomparable(A_DAY)),
            "  Your last yes  2026-11-29, to the same interpreter; what it runs can't be compared\n",
        ),
    ] {
        let text = shown(&CardView {
            agent: AgentView { program: Some(ProgramView { history, ..agent().program.unwrap() }), ..agent() },
            ..base()
        });
        assert!(text.contains(lines), "{lines:?} in {text}");
    }
}

/// What a card says from "Who asks" to the end of that part.
fn who_asks(view: &CardView) -> String {
    let text = shown(view);
    let part = text.split("\n\n").find(|part| part.starts_with("Who asks"));
    part.unwrap().to_owned()
}

#[test]
fn a_card_says_when_no_program_or_no_process_was_verified_and_names_no_signer_then() {
    let of = |attestation| CardView {
        channels: vec![],
        asks_action: true,
        stands_alone: true,
        works_under: None,
        action: Some(action()),
        agent: AgentView {
            attestation,
            program: None,
            chain: vec![ChainLink { pid: 4242, program: "(not_readable)".to_owned() }],
            ..agent()
        },
        ..base()
    };
    let unreadable = of(Attestation::ProgramUnreadable);
    assert_eq!(
        who_asks(&unreadable),
        "\
Who asks
  NO PROGRAM WAS VERIFIED. The agent's process is there, but it lets nobody look at its program, so no signer
  is known. That it becomes another program would not be seen either.
  Program        not known (process 4242)
  Directory      /home/me/project
  Command line   (claimed, not verified) claude --resume
  Processes      (not_readable) (4242)"
    );
    for why in [Unverified::ForeignNamespace, Unverified::NoAgent] {
        let text = who_asks(&of(Attestation::Unverified(why)));
        assert!(text.contains("NO PROCESS WAS VERIFIED.") && !text.contains("Signer"), "{text}");
    }
    let text = shown(&unreadable);
    assert!(text.contains("Nothing: no approval stands for this run, and none can but for one action"), "{text}");
    assert!(text.contains("Exactly the action above, once.") && !text.contains("This run on the ticked"), "{text}");
}
