//! The program `lych` with real agents, a real upstream and a person's commands: what must be shown, rule by rule.
//!
//! One test program, so that it is linked once. `tests/world` is the harness.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests"
)]

#[path = "../world/mod.rs"]
mod world;

mod agent_pins;
mod audit;
mod cards;
mod connections;
mod consoles;
mod conversations;
mod crowds;
mod delegation;
mod ends;
mod first_byte;
mod floods;
mod handshake;
mod helpers;
mod impostors;
mod in_flight;
mod mcp_python;
mod partly_seen;
mod processes;
mod program_history;
mod r24_a_replacement;
mod r24_b_restart;
mod r24_c_lock;
mod r24_d_twins;
mod r24_e_lost_answer;
mod r24_f_borrower;
mod recording;
mod secrets;
mod shapes;
mod shut_off;
mod starts;
#[path = "../demo/terminal.rs"]
mod terminal;
mod terminals;
mod vouching;
mod within_a_run;
mod yes_and_no;
