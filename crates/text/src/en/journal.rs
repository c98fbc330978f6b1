//! What the journal says: why it can't be written, what verification found, what a verdict is. In English.

use crate::journal::{
    CommitTexts, EntryTexts, FindingTexts, FrameTexts, JournalErrorTexts, JournalTexts, LogTexts, NextKeyTexts,
    NoteTexts, ProtocolTexts, ReportTexts, RowTexts, SegmentTexts,
};

pub(super) const TEXTS: JournalTexts = JournalTexts {
    error: ERROR,
    next_key: NEXT_KEY,
    finding: FINDING,
    frame: FRAME,
    entry: ENTRY,
    row: ROW,
    commit: COMMIT,
    segment: SEGMENT,
    log: LOG,
    note: NOTE,
    protocol: PROTOCOL,
    report: REPORT,
};

const ERROR: JournalErrorTexts = JournalErrorTexts {
    parameters: |why| format!("the journal can't be created: {why}"),
    exists: |dir| format!("a journal exists already in {dir}; it is never overwritten"),
    held: |dir| format!("another gateway is writing the journal in {dir}; stop it first (`lych stop`)"),
    files: |why| format!("the journal can't be used: {why}"),
    log: |why| format!("the journal's LOG is not believed: {why}; run `lych audit verify`"),
    next_key: |why| format!("the journal's next.key does not fit: {why}; run `lych audit verify`"),
    quarantine: |found| format!("the journal is quarantined: {found}; run `lych audit verify`"),
    not_durable: |why| format!("the journal could not be written: {why}"),
    segment_failed: "the segment could not be written",
    row_refused: |why| format!("the journal refuses the row: {why}"),
    row_too_large: "the journal refuses the row: it is larger than a segment of this log can hold",
    other_vault: "the journal is anchored by another vault key than this one",
    not_signed: "the vault did not sign for the journal, so it vouches for nothing new; it may have been locked just now",
    no_randomness: "the system gave no random bytes; nothing was written",
    encapsulation: "the key encapsulation to the audit key failed",
    boots_used_up: "the journal can't be used: its boot numbers ran out; keep it elsewhere and begin a new one",
    no_row_yet: "the journal can't be used: it holds no row yet; start the gateway once",
    archived: "the journal can't be used: the rows of this action may be in segments that were archived; put them back \
               to ask",
    closed: "the journal is closed",
    log_origin: |given| format!("log origin `{given}`: use 1 to 200 printable characters without white space and `+`"),
    segment_size: "a segment's size is a multiple of 4096 bytes, from 16 KiB to 1 GiB",
    event_too_large: |most| format!("the event is larger than {most} bytes"),
    event_not_encoded: "the event can't be encoded",
};

const NEXT_KEY: NextKeyTexts = NextKeyTexts {
    damaged: "it is damaged",
    other_log: "it belongs to another log",
    other_segment: |of, wanted| format!("it is for segment {of}, not for {wanted}"),
};

const FINDING: FindingTexts = FindingTexts {
    unreadable: |why| format!("it can't be read: {why}"),
    before_later_batch: |why| format!("{why}, and a later batch is intact"),
    intent_again: |action| format!("an action is announced twice ({action})"),
    rows_missing: |first, last| format!("rows {first} to {last} are missing before it"),
    beginning_missing: |last| format!("rows 0 to {last} are missing, and nothing vouches for what follows"),
};

const FRAME: FrameTexts = FrameTexts {
    cut_off: "the file ends inside a frame",
    length: "a frame has an impossible length",
    checksum: "a frame's checksum does not fit its bytes",
    pad: "the pad behind a frame is not zero",
    rest: "bytes behind the end are not zero",
    no_commit: "a batch has no COMMIT",
};

const ENTRY: EntryTexts = EntryTexts {
    commit_length: "a COMMIT has another length",
    flags: "a row has flags that this version does not know",
    version: "a row has another format version",
    kind: "a row is of a kind that this version does not know",
    header_length: "a row is shorter than a header",
    length: "a row is shorter than its header says",
    sealed_length: "a row's sealed part has a length that no payload has",
};

const ROW: RowTexts = RowTexts {
    no_open: "a segment does not begin with its OPEN",
    open_place: "a segment begins with another row than its name says",
    open_form: "an OPEN's clear data has another form",
    open_log: "a segment belongs to another log",
    open_recipient: "a segment is sealed to another recipient than LOG names",
    open_signature: "an OPEN is not signed by its segment's key",
    open_range: "an OPEN's compact range does not give its root",
    open_within: "an OPEN stands within a segment",
    out_of_order: "a sequence number is not the next one",
    chain: "a row does not follow the row before it",
    other_boot: "a row is of another boot than its segment",
    after_close: "a row follows a CLOSE",
    clear_data: "a row carries clear data that its kind does not have",
    close_form: "a CLOSE's clear data has another form",
    close_rows: "a CLOSE is about other rows than those before it",
    close_signature: "a CLOSE is not signed by its segment's key",
    recovery_form: "a RECOVERY's clear data has another form",
    recovery_place: "a RECOVERY stands in another place than it says",
    rekey_form: "a REKEY's clear data has another form",
    rekey_place: "a REKEY stands in another place than it says",
    anchor_form: "an ANCHOR's clear data has another form",
    anchor_signature: "an ANCHOR is not signed by the vault",
    anchor_rows: "an ANCHOR vouches for other rows than those before it",
};

const COMMIT: CommitTexts = CommitTexts {
    no_rows: "a segment begins with a COMMIT",
    count: "a COMMIT counts other rows than those before it",
    root: "a COMMIT's root is not that of the rows before it",
    other_key: "a COMMIT names another key than its segment's",
    signature: "a COMMIT is not signed by its segment's key",
    last_signature: "the last COMMIT is not signed by the segment's key",
};

const SEGMENT: SegmentTexts = SegmentTexts {
    empty: "a segment holds no whole batch",
    after_end: "bytes follow the end of a segment that was ended",
    after_close: "bytes follow a CLOSE",
    open_unreadable: "its OPEN can't be read",
    genesis_key: "the first segment is not opened by the key that LOG names",
    no_beginning: "the first segment does not begin a log",
    twice: "two segments claim the same place",
    other_key: "a segment is opened by another key than the one announced",
    other_rows: "a segment continues other rows than those before it",
    recovered: "a segment that was closed is recovered",
    no_end: "the segment before has neither CLOSE nor RECOVERY",
    other_end: "a RECOVERY is about another end than the segment before has",
    boot: "a boot number is not the next one",
    state: "a segment begins with other open actions or grants than the one before left",
    not_as_written: "the log on the disk is not the one that was written",
};

const LOG: LogTexts = LogTexts {
    form: "it is not a LOG file, or it is damaged",
    suite: "its suite is not known to this version",
    signature: "its signature is not by the vault key that it names",
    other_vault_key: "it names another vault key than the given one",
    other_log_key: "it names another log key than the given one",
};

const NOTE: NoteTexts = NoteTexts {
    form: "it is not a checkpoint",
    other_origin: "it is about a log of another name",
    signature: "its signature by the log key is wrong",
    unsigned: "it is not signed by this log's key",
    segment_signature: "its signature by the segment's key is wrong",
    contradiction: "it contradicts its own note",
    two_histories: "the log key signed two histories of this size",
    log_ends: "the log ends before what it vouches for",
    rows_unreadable: "the rows that it vouches for could not be read",
    other_rows: "the log has other rows than it vouches for",
    other_row: "the log has another row than the one it names",
    no_row: "the row that it names is not in the log",
};

const PROTOCOL: ProtocolTexts = ProtocolTexts {
    no_ref: "a row of an action names no action",
    intent_again: "an action is announced twice",
    not_open: "a row belongs to an action that was not announced, or has ended",
    dispatch_again: "an action is dispatched twice",
    other_boot: "an action is dispatched in another boot than it was announced in",
    no_grant: "an action is dispatched under a grant that is not live",
    other_epoch: "an action is dispatched under a grant of another vault epoch",
    not_dispatched: "a result is recorded for an action that was not dispatched",
    no_grant_number: "a grant has no number",
    grant_not_rising: "grant numbers do not rise",
    own_row: "one of the journal's own rows names an epoch, a grant or an action",
};

const REPORT: ReportTexts = ReportTexts {
    ok: |anchored, vouched| format!("OK (anchored to {anchored}, vouched outside to {vouched})"),
    unanchored: |since| format!("OK, UNANCHORED since {since}"),
    no_rows: "no rows",
    rows: |count, first, last| format!("{count} rows, {first} to {last}"),
    rows_elsewhere: |last| format!("rows 0 to {last} are not in this directory (archived, if you moved them)"),
    vault_key: |key, unchecked| {
        let held = if unchecked { "found in LOG, not checked" } else { "in LOG" };
        format!("vault key {key} ({held})")
    },
    covered: |anchored, vouched| format!("anchored to {anchored}, vouched outside to {vouched}"),
    unknown: |action| format!("UNKNOWN action {action}: it was dispatched and its result was not seen"),
    flaw: |code, place, what| format!("{code}: {place}: {what}"),
    place: |about, offset, row| {
        let offset = offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
        let row = row.map(|row| format!(", row {row}")).unwrap_or_default();
        format!("{about}{offset}{row}")
    },
    the_directory: "the directory",
    the_checkpoint: |number| format!("checkpoint {number}"),
    the_receipt: |number| format!("receipt {number}"),
};
