//! What a console is told when a command is not done: what, why, and what to do next.

/// The texts.
pub(super) struct Words;

impl Words {
    pub(super) const OTHER_BUILD: &'static str =
        "this `lych` and the gateway are of different builds; stop the gateway with `lych stop` and start it again";
    pub(super) const CONSOLE_CHANGED: &'static str =
        "this console is not what it was when it connected, or could not be looked at again; start the command anew";
    pub(super) const WITHIN_A_RUN: &'static str = "this command was started from within an agent's program, and an agent must not answer its own \
         questions; open a terminal outside the agent's program and give the command there";
    pub(super) const NO_FACTOR: &'static str = "this takes the PIN; give it when asked, or with --factor-stdin";
    pub(super) const LOCKED: &'static str = "the vault is locked; unlock it with `lych unlock`";
    pub(super) const NO_CARD: &'static str =
        "there is no such open card; it was answered or has closed. `lych approvals` lists the open ones";
    pub(super) const OTHER_CARD: &'static str =
        "the card is not the one that was shown; look at it again with `lych approvals`";
    pub(super) const CEREMONY: &'static str = "this card takes the PIN";
    pub(super) const NOT_RECORDED: &'static str =
        "the journal could not record it, so nothing was granted; look at the disk and try again";
    pub(super) const NO_RUN: &'static str = "there is no such live run; `lych runs` lists them";
    pub(super) const NOT_RECORDED_BUT_DONE: &'static str =
        "it is done, but the journal could not record it; look at the disk";
    pub(super) const BAD_KEY: &'static str = "the key is not what a passphrase derivation yields; use `lych unlock`";
}
