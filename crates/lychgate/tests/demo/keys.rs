//! A person's keys in a terminal.

use super::terminal::Terminal;
use super::user::{Shared, as_ordinary_user};
use super::{dir_of, is_gone, tells_the_whole_story};

/// The PIN that the demo shows.
fn pin(screen: &str) -> String {
    let (_, rest) = screen.split_once("Your PIN for this demo is ").unwrap();
    rest.chars().take_while(char::is_ascii_digit).collect()
}

#[track_caller]
fn say_yes(terminal: &mut Terminal, card: &str) {
    terminal.wait_for(&format!("{card}: y = yes"));
    terminal.type_keys("y\n");
    terminal.wait_for("PIN (");
    let pin = pin(terminal.screen());
    terminal.type_keys(&format!("{pin}\n"));
    terminal.wait_for("Approved run");
}

#[test]
fn the_whole_story_can_be_told_by_a_persons_keys() {
    let shared = Shared::new();
    let mut terminal = Terminal::start(&as_ordinary_user(), &shared.lych(), &["demo"]);
    // Cards are numbered within a gateway's lifetime; it is restarted after the second.
    for card in ["C1", "C2", "C1", "C2", "C3"] {
        say_yes(&mut terminal, card);
    }
    let (status, screen) = terminal.end();
    assert_eq!(status, 0, "{screen}");
    tells_the_whole_story(&screen);
    is_gone(&dir_of(&screen));
}

#[test]
fn a_wrong_pin_and_other_keys_open_nothing_and_the_card_can_be_answered_again() {
    let shared = Shared::new();
    let mut terminal = Terminal::start(&as_ordinary_user(), &shared.lych(), &["demo"]);
    terminal.wait_for("C1: y = yes");
    terminal.type_keys("yes\n");
    terminal.wait_for("Type y or n");
    terminal.wait_for("C1: y = yes");
    terminal.type_keys("y\n");
    terminal.wait_for("PIN (");
    terminal.type_keys("not the PIN\n");
    terminal.wait_for("The card is still open");
    assert!(!terminal.screen().contains("Approved run"), "{}", terminal.screen());
    say_yes(&mut terminal, "C1");
    terminal.wait_for("the service got one request");
    terminal.type_keys("\x03");
    let (status, screen) = terminal.end();
    assert_eq!(status, 1, "{screen}");
    is_gone(&dir_of(&screen));
}

#[test]
fn a_no_ends_the_demo_after_the_agent_has_heard_it() {
    let shared = Shared::new();
    let mut terminal = Terminal::start(&as_ordinary_user(), &shared.lych(), &["demo"]);
    terminal.wait_for("C1: y = yes");
    terminal.type_keys("n\n");
    terminal.wait_for("ok: the agent heard DENIED denied_by_operator");
    let (status, screen) = terminal.end();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("you said no") && !screen.contains("== 3."), "{screen}");
    is_gone(&dir_of(&screen));
}

#[test]
fn ctrl_c_at_a_question_ends_every_process_and_removes_every_file() {
    let shared = Shared::new();
    let mut terminal = Terminal::start(&as_ordinary_user(), &shared.lych(), &["demo"]);
    terminal.wait_for("C1: y = yes");
    terminal.type_keys("\x03");
    let (status, screen) = terminal.end();
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("the demo was stopped"), "{screen}");
    is_gone(&dir_of(&screen));
}
