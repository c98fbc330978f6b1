//! What reading the journal says. In English.

use crate::view::ViewTexts;

pub(super) const TEXTS: ViewTexts = ViewTexts {
    remedy: "put a backup of it back; without it the journal verifies and can't be read",
    key_exists: |path| format!("there is an audit key at {path} already; it is never overwritten"),
    key_not_written: |error| format!("the audit key could not be written: {error}"),
    not_a_key: |path| format!("{path}: it opened, and what is in it is no audit key; put a backup of it back"),
    other_key: "this journal is sealed to another audit key than this one; use the one that was made with it",
    row_opening: "the opening that it is sealed under does not open",
    row_seal: "it does not open under the key of its place",
    row_payload: "it opened, and holds no event that this version knows",
    not_readable: |error| format!("the journal can't be read: {error}"),
    log_not_believed: |why| format!("the journal's LOG is not believed: {why}; run `lych audit verify`"),
    damaged: |flaw| format!("{flaw}; rows may be missing here, run `lych audit verify`"),
};
