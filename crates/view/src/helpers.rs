//! What is said of helpers: programs that an agent started and that ask by themselves (R7).

use crate::subject::processes;
use crate::words::{Words, differing, plain, shown, text, with};
use lychgate_core::channel::ChannelName;
use lychgate_core::evidence::{Difference, ProcessInode, Subject};
use lychgate_core::ids::{ApprovalId, RunId};
use lychgate_core::outcome::EndReason;
use serde_json::Value;

/// The agent that started a run's process, and the processes between them for the JSON form.
pub(crate) fn started_by(descent: Option<&Subject>) -> Vec<(&'static str, Value)> {
    let Some(descent) = descent else { return Vec::new() };
    let agent = descent.agent();
    let program = agent.and_then(|agent| agent.executable.value()).map(|executable| text(&executable.path));
    let fields = with(Vec::new(), "started_by", program);
    let fields = with(fields, "started_by_pid", agent.map(|agent| plain(&agent.pid)));
    with(fields, "descent", Some(processes(descent)))
}

pub(crate) fn descent_broken(run: RunId, reason: EndReason, differences: &[Difference]) -> Words {
    let fields = vec![("run", shown(&run)), ("reason", text(reason.word()))];
    ("descent_broken", with(fields, "differences", differing(differences)))
}

pub(crate) fn delegated(run: RunId, descent: &Subject, channels: &[ChannelName], approvals: &[ApprovalId]) -> Words {
    let named = descent.peer();
    let channels: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
    let approvals: Vec<Value> = approvals.iter().map(shown).collect();
    let mut fields = vec![("run", shown(&run)), ("channels", text(channels.join(",")))];
    let program = named.and_then(|named| named.executable.value()).map(|executable| text(&executable.path));
    fields = with(fields, "to", program);
    fields = with(fields, "to_pid", named.map(|named| plain(&named.pid)));
    fields.extend([("descent", processes(descent)), ("approvals", Value::Array(approvals))]);
    ("delegated", fields)
}

pub(crate) fn delegation_refused(run: RunId, pid: u32, why: &str) -> Words {
    ("delegation_refused", vec![("run", shown(&run)), ("to_pid", plain(&pid)), ("reason", text(why))])
}

pub(crate) fn delegation_ended(pid: u32, process: ProcessInode) -> Words {
    ("delegation_ended", vec![("to_pid", plain(&pid)), ("to_inode", plain(&process))])
}
