//! Whom a run was bound to, with every fact that was taken, for the JSON form.

use lychgate_core::evidence::{Executable, ProcessFacts, Seen, Subject};
use serde_json::{Value, json};

/// The chain (peer first, agent last) and the kernel's boot id. With an inode that id names a process for ever.
pub(crate) fn binding(subject: &Subject) -> [(&'static str, Value); 2] {
    [("chain", processes(subject)), ("kernel_boot", json!(subject.kernel_boot()))]
}

/// Every process with all of its facts.
pub(crate) fn processes(subject: &Subject) -> Value {
    Value::Array(subject.chain().iter().map(process).collect())
}

fn process(facts: &ProcessFacts) -> Value {
    json!({
        "pid": facts.pid,
        "start_ticks": facts.start_ticks,
        "inode": facts.inode,
        "uid": facts.uid,
        "parent": facts.parent,
        "session": facts.session,
        "namespaces": seen(&facts.namespaces, |namespaces| json!({ "user": namespaces.user, "pid": namespaces.pid })),
        "executable": seen(&facts.executable, executable),
        "provenance": facts.provenance,
        "script": facts.script,
        "claimed_command": facts.claimed_command,
        "directory": facts.directory,
    })
}

fn executable(executable: &Executable) -> Value {
    json!({
        "path": executable.path,
        "dev": executable.file.dev,
        "ino": executable.file.ino,
        "sha256": executable.sha256.to_string(),
        "path_now": executable.path_now,
    })
}

/// What was not seen says why, so that it can't be taken for a value.
fn seen<T>(fact: &Seen<T>, show: impl FnOnce(&T) -> Value) -> Value {
    match fact {
        Seen::Seen(value) => show(value),
        Seen::Unseen(why) => json!({ "unseen": why }),
    }
}
