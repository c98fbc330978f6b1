//! What the vault says: its file, its epoch, its rules, its action store. In English.

use crate::vault::{EpochTexts, ReleaseTexts, RuleTexts, StoreTexts, VaultChannelTexts, VaultTexts};

pub(super) const TEXTS: VaultTexts = VaultTexts {
    remedy: "put the version before it back with `lych restore --previous`, or a backup with `lych restore FILE`",
    no_vault: |path| format!("there is no vault at {path}; `lych up` or `lych init` makes one"),
    only_previous: |vault, previous| {
        format!("{vault} is gone, but {previous} is there; put it back with `lych restore --previous`")
    },
    exists: |path| {
        format!("there is a vault at {path} already; use it, or choose another --state-dir. Nothing was changed")
    },
    exchanged: |path| {
        format!(
            "{path} was replaced by another file while the vault was locked; try again, so that the new file's key \
             slots are used"
        )
    },
    payload_of_other_version: |file, found, known| {
        format!(
            "{file}: its payload is of another lychgate version (format {found}, this program reads {known}); use \
             that version"
        )
    },
    payload_unknown: |file| {
        format!("{file}: its payload holds what this program does not know; use the lychgate version that wrote it")
    },
    nothing_changed: |why| format!("nothing was changed: {why}"),
    previous_not_sealed: |why| {
        format!(
            "the new passphrase holds, but the version before could not be sealed with it and still opens with the \
             old one ({why}); do it again"
        )
    },
    counters_damaged: |path| format!("{path} is damaged; run and action numbers may repeat"),
    too_many_agents: |most| format!("a vault has at most {most} pinned programs; unpin one that is not used"),
    no_agent: |name| format!("no program is pinned as `{name}`; `lych agent list` shows them"),
    channel: CHANNEL,
    release: RELEASE,
    epoch: EPOCH,
    rule: RULE,
    store: STORE,
};

const CHANNEL: VaultChannelTexts = VaultChannelTexts {
    exists: |name| {
        format!("there is a channel `{name}` already; use another name, or remove it first with `lych channel remove`")
    },
    absent: |name| format!("there is no channel `{name}`; `lych channel list` shows them"),
    without_origin: |name| {
        format!("channel `{name}`: it needs at least one origin, since an empty list matches nothing")
    },
    without_path: |name| format!("channel `{name}`: it needs at least one path, since an empty list matches nothing"),
    without_method: |name| {
        format!("channel `{name}`: it needs at least one method, since an empty list matches nothing")
    },
    secret_length: |name, most| format!("the secret of channel `{name}` must have 1 to {most} bytes"),
    too_many: |most| format!("a vault has at most {most} channels; remove one that is not used"),
};

const RELEASE: ReleaseTexts = ReleaseTexts {
    other_epoch: |permit, now| format!("the permit is of vault epoch {permit}, and this is {now}; decide again"),
    no_channel: |name| format!("channel `{name}` is not in the vault any more; decide again"),
    other_version: |name, permit, now| {
        format!("channel `{name}` is version {now}, and the permit was made for version {permit}; decide again")
    },
};

const EPOCH: EpochTexts = EpochTexts {
    older_vault: |file, mark| {
        format!(
            "an older vault file was put back: it was saved in epoch {file}, and the newest in epoch {mark}. What was \
             changed between them (channels, removed credentials) is undone; all approvals ended. If you did not \
             restore it, look who did"
        )
    },
    mark_behind: |file, mark| {
        format!(
            "the epoch mark is older than the vault file: the mark says epoch {mark}, and the file was saved in epoch \
             {file}. The mark was put back or edited, so an older vault file could not have been noticed; all \
             approvals ended"
        )
    },
    mark_lost: |file| {
        format!(
            "the epoch mark is gone (the vault file was saved in epoch {file}), so an older vault file could not have \
             been noticed; a new mark was written, and all approvals ended"
        )
    },
    mark_damaged: |file| {
        format!(
            "the epoch mark is damaged (the vault file was saved in epoch {file}), so an older vault file could not \
             have been noticed; a new mark was written, and all approvals ended"
        )
    },
    mark_foreign: |file, mark| {
        format!(
            "the epoch mark belongs to another vault (it says epoch {mark}; this vault file was saved in epoch \
             {file}); a new mark was written, and all approvals ended"
        )
    },
};

const RULE: RuleTexts = RuleTexts {
    passphrase_empty: "the passphrase is empty; it is all that protects a stolen copy of the vault",
    passphrase_short: |least| {
        format!("the passphrase has fewer than {least} characters; four or five random words are good")
    },
    passphrase_not_text: "the passphrase is not UTF-8 text; type it on the keyboard that you will always have",
    passphrase_control: "the passphrase holds a control character; type it again",
    pin_length: |least, most| format!("a PIN has {least} to {most} characters"),
    pin_not_text: "the PIN is not UTF-8 text; type it on the keyboard that you will always have",
    pin_control: "the PIN holds a control character; type it again",
    pin_is_passphrase: "the PIN is the passphrase; what is typed for every decision must not open the vault",
};

const STORE: StoreTexts = StoreTexts {
    not_used_any_more: |path| format!("{path}: not used any more after a failed write; lock and unlock the vault"),
    record_not_sealed: |path| format!("{path}: a record could not be sealed"),
    cut_tail: |bytes| {
        format!("the last {bytes} bytes of the action store were cut short by a crash; the results in them are lost")
    },
    damaged: |why, aside| {
        format!(
            "the action store is damaged ({why}); it was put aside as {aside}, and results and statuses after that \
             point are lost"
        )
    },
    not_readable: |error| format!("it could not be read: {error}"),
    shorter_than_head: "it is shorter than the head of a store",
    other_head: "it does not begin as a store of this version does",
    length_changed: |records| format!("a length was changed after {}", counted(records)),
    record_changed: |records| format!("a record was changed after {}", counted(records)),
    record_of_other_version: |records| format!("a record is of another lychgate version, after {}", counted(records)),
};

fn counted(records: usize) -> String {
    if records == 1 { "1 record".to_owned() } else { format!("{records} records") }
}

#[cfg(test)]
mod tests {
    use super::STORE;

    #[test]
    fn one_record_is_counted_as_one() {
        assert_eq!((STORE.record_changed)(1), "a record was changed after 1 record");
        assert_eq!((STORE.record_changed)(0), "a record was changed after 0 records");
    }
}
