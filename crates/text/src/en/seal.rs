//! What sealed files and careful file handling say. In English.

use crate::seal::{DamageTexts, DirTexts, FileTexts, SealTexts, SealedFileTexts, WriteTexts};

pub(super) const TEXTS: SealTexts = SealTexts {
    sealed: SEALED,
    damage: DAMAGE,
    read: READ,
    dir: DIR,
    write: WRITE,
    lock_held: |path| format!("another lychgate process is using {path}; stop it first (`lych stop`)"),
    lock_failed: |path, error| format!("{path} could not be locked: {error}"),
    cost_out_of_bounds: |[memory, passes, lanes], [most_memory, most_passes, most_lanes]| {
        format!(
            "passphrase cost out of bounds: {memory} KiB (8 per lane to {most_memory}), {passes} passes (1 to \
             {most_passes}), {lanes} lanes (1 to {most_lanes})"
        )
    },
    no_memory: |kib| {
        format!(
            "{kib} KiB of memory are needed to try a passphrase and could not be had; close other programs and try again"
        )
    },
    no_randomness: "the kernel gave no random bytes (getrandom); nothing was written",
    no_locked_memory: |why| {
        format!(
            "keys must not reach the swap space, and the system gives no locked memory ({why}): raise the limit of the user \
             or the service (`ulimit -l`, LimitMEMLOCK=)"
        )
    },
    too_long_to_seal: "too long to be sealed",
    cbor_of_another_form: "not the expected CBOR",
    cbor_left_over: "not the expected CBOR: bytes are left over",
};

const SEALED: SealedFileTexts = SealedFileTexts {
    not_sealed: |file, remedy| {
        format!("{file}: this is not a sealed lychgate file, or its beginning was overwritten; {remedy}")
    },
    other_format: |file, found, known, remedy| {
        format!(
            "{file}: it says that its format is {found} and this program reads {known}; use the newer lychgate, or \
             where there was none, {remedy}"
        )
    },
    damaged: |file, what, remedy| format!("{file}: damaged, {what}; {remedy}"),
    other_purpose: |file, found, expected, remedy| {
        format!("{file}: this is sealed for `{found}`, not for `{expected}`; {remedy}")
    },
    wrong_passphrase: |file| format!("{file}: wrong passphrase; try again"),
    wrong_recovery_code: |file| format!("{file}: wrong recovery code; try again"),
    no_such_slot: |file, slot| format!("{file}: it has no key slot {slot}; read its slots again"),
    slot_count: |file, found, most| format!("{file}: a sealed file has 1 to {most} key slots, not {found}"),
    too_large: |file, most| format!("{file}: more than {most} bytes; nothing was written"),
};

const DAMAGE: DamageTexts = DamageTexts {
    empty: "it is empty",
    checksum: "its checksum does not hold, or it is cut short",
    cut_short: "it is cut short",
    lengths: "its lengths do not fit",
    header: "its header can't be read",
    slot_count: "it has no key slot, or too many",
    slot_cost: "a key slot asks for a derivation out of bounds",
    slot_twice: "two key slots share a number",
    wrap: "a wrapped key does not open",
    payload: "its payload or header was changed",
    mixed: "its key slots and its payload do not belong together",
};

const READ: FileTexts = FileTexts {
    absent: |path| format!("{path} does not exist"),
    is_link: |path| {
        format!("{path} is a symbolic link; it could point anywhere, so it is not followed: put the file itself there")
    },
    not_regular: |path| format!("{path} is not a regular file; put the file itself there"),
    foreign: |path, owner, ours| {
        format!("{path} belongs to user id {owner}, not to {ours}; look at how it came there before you chown it")
    },
    second_name: |path| format!("{path} has a second name (hard link); copy it to a new file and put that there"),
    open_to_others: |path, mode| {
        format!("{path} has mode {mode:04o}, so others than its owner may open it; use chmod 600 {path}")
    },
    too_large: |path, most| format!("{path} has more than {most} bytes, which this kind of file never has"),
    failed: |path, error| format!("{path} could not be read: {error}"),
};

const DIR: DirTexts = DirTexts {
    is_link: |path| {
        format!("{path} is a symbolic link; it could point anywhere, so it is not followed: give the directory itself")
    },
    not_a_directory: |path| format!("{path} is not a directory; give one, or a path where there is nothing yet"),
    foreign: |path, owner, ours| {
        format!("{path} belongs to user id {owner}, not to {ours}; choose a directory of your own")
    },
    open_to_others: |path, mode| {
        format!("{path} has mode {mode:04o}, so others than its owner may enter it; use chmod 700 {path}")
    },
    failed: |path, error| format!("{path} could not be made or opened: {error}"),
};

const WRITE: WriteTexts = WriteTexts {
    failed: |path, step, error| format!("{path} could not be written ({step}): {error}"),
    no_file_name: "the path names no file",
    step_name: "name",
    step_open_directory: "open directory",
    step_random_name: "random name",
    step_write: "write",
    step_rename: "rename",
    step_sync_directory: "fsync directory",
};
