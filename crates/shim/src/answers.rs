//! Answers that the shim gives itself, and how every answer is shown to the client.

use crate::link::NotOpen;
use lychgate_core::ids::Ref;
use lychgate_core::limits;
use lychgate_core::outcome::Reason;
use lychgate_text::{ShimTexts, fill};
use lychgate_wire::agent::Answer;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

/// An answer that rests on `reason` alone.
fn local(reason: Reason, text: String, next: &str) -> Answer {
    Answer {
        outcome: reason.outcome(),
        reason: Some(reason),
        reasons: vec![reason],
        action_id: None,
        run_id: None,
        changed: None,
        next: (!next.is_empty()).then(|| next.to_owned()),
        receipt: None,
        result: Value::Null,
        text,
    }
}

/// The call itself is wrong; it was not passed on.
pub(crate) fn invalid(text: String, texts: &ShimTexts) -> Answer {
    local(Reason::InvalidRequest, text, texts.correct_it)
}

/// The conversation label of a call is too long.
pub(crate) fn long_conversation(size: usize, texts: &ShimTexts) -> Answer {
    let (size, limit) = (size.to_string(), limits::CONVERSATION_BYTES.to_string());
    invalid(fill(texts.long_conversation, &[("size", &size), ("limit", &limit)]), texts)
}

/// There is no connection, so the call was not sent.
pub(crate) fn not_open(why: &NotOpen, texts: &ShimTexts) -> Answer {
    let (text, next) = match why {
        NotOpen::Refused(answer) => return (**answer).clone(),
        NotOpen::OtherBuild { shim, gateway } => {
            let text = fill(texts.other_build, &[("shim", shim), ("gateway", gateway)]);
            return local(Reason::ShimBuild, text, texts.restart_either);
        }
        NotOpen::NoGateway => (texts.no_gateway.to_owned(), texts.start_gateway.to_owned()),
        NotOpen::UnsafeDirectory { path, what } => (
            fill(texts.unsafe_directory, &[("path", path), ("what", what)]),
            fill(texts.repair_directory, &[("path", path)]),
        ),
        NotOpen::WrongServer { uid } => {
            (fill(texts.wrong_server, &[("uid", &uid.to_string())]), texts.check_server.to_owned())
        }
        NotOpen::Broken(odd) => {
            (fill(texts.broken_gateway, &[("why", &odd.words(texts))]), texts.look_at_gateway.to_owned())
        }
    };
    local(Reason::NoGateway, text, &next)
}

/// The connection ended while the call was open. `run_ended`: what the gateway said of it before.
///
/// `action` is what the caller can ask about later; never is it told to make its request another time (R19).
pub(crate) fn lost(action: Option<Ref>, run_ended: Option<&Answer>, texts: &ShimTexts) -> Answer {
    let (text, next) = match action {
        Some(_) => (texts.lost_action, texts.after_lost_action),
        None => (texts.lost_call, texts.after_lost_call),
    };
    let mut answer = local(Reason::NoGateway, text.to_owned(), next);
    answer.action_id = action;
    if let Some(ended) = run_ended {
        answer.outcome = ended.outcome;
        answer.reason = ended.reason;
        answer.reasons.clone_from(&ended.reasons);
        answer.run_id = ended.run_id;
        answer.changed.clone_from(&ended.changed);
    }
    answer
}

/// Nobody is left to hear it.
pub(crate) fn client_left(texts: &ShimTexts) -> Answer {
    local(Reason::CallerLeft, texts.client_left.to_owned(), "")
}

/// An answer as a tool result: text for the model, and the one shape as structured content.
///
/// `isError` is set for [`lychgate_core::outcome::Outcome::Invalid`] alone: there the call is wrong. A pending or
/// refused action is an ordinary result that `outcome` tells of; clients that hide or retry errors must not do so here.
pub(crate) fn shown(answer: &Answer, texts: &ShimTexts) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text(answer, texts))]);
    result.structured_content = Some(Value::Object(shape(answer)));
    result.is_error = Some(answer.outcome == lychgate_core::outcome::Outcome::Invalid);
    result
}

/// All fields are always there.
pub(crate) fn shape(answer: &Answer) -> JsonObject {
    let fields = [
        ("outcome", json!(answer.outcome)),
        ("reason", json!(answer.reason)),
        ("reasons", json!(answer.reasons)),
        ("action_id", json!(answer.action_id)),
        ("run_id", json!(answer.run_id.map(|run| run.to_string()))),
        ("changed", json!(answer.changed)),
        ("next", json!(answer.next)),
        ("receipt", json!(answer.receipt)),
        ("result", answer.result.clone()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(crate) fn text(answer: &Answer, texts: &ShimTexts) -> String {
    let mut lines = vec![match answer.reason {
        Some(reason) => format!("{} ({})", answer.outcome.word(), reason.word()),
        None => answer.outcome.word().to_owned(),
    }];
    lines.extend((!answer.text.is_empty()).then(|| answer.text.clone()));
    lines.extend(answer.changed.as_ref().map(|changed| format!("{} {changed}", texts.changed_label)));
    lines.extend(answer.next.as_ref().map(|next| format!("{} {next}", texts.next_label)));
    lines.extend(answer.action_id.map(|action| format!("{} {action}", texts.action_label)));
    match Response::of(&answer.result) {
        Some(response) => response.lines(&mut lines, texts),
        None if answer.text.is_empty() && !answer.result.is_null() => lines.push(answer.result.to_string()),
        None => {}
    }
    lines.join("\n")
}

/// What is shown of an HTTP response: `result` with a `status` and a `body` in it.
struct Response<'a> {
    status: u64,
    body: &'a Value,
    /// Bytes in all, where not all are here.
    total: Option<u64>,
}

impl<'a> Response<'a> {
    fn of(result: &'a Value) -> Option<Self> {
        let truncated = result.get("truncated").and_then(Value::as_bool).unwrap_or(false);
        Some(Self {
            status: result.get("status")?.as_u64()?,
            body: result.get("body")?,
            total: result.get("total_bytes").and_then(Value::as_u64).filter(|_| truncated),
        })
    }

    fn lines(&self, lines: &mut Vec<String>, texts: &ShimTexts) {
        lines.push(format!("HTTP {}", self.status));
        let body = match self.body {
            Value::Null => return,
            Value::String(text) => text.clone(),
            json => json.to_string(),
        };
        if let Some(total) = self.total {
            let (kept, total) = (body.len().to_string(), total.to_string());
            lines.push(fill(texts.truncated, &[("kept", &kept), ("total", &total)]));
        }
        lines.push(texts.body_label.to_owned());
        lines.push(body);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;
    use lychgate_core::ids::RunId;
    use lychgate_core::outcome::Outcome;
    use lychgate_text::english;

    fn completed(result: Value) -> Answer {
        Answer {
            outcome: Outcome::Completed,
            reason: None,
            reasons: Vec::new(),
            run_id: Some(RunId(31)),
            result,
            ..local(Reason::NoGateway, String::new(), "")
        }
    }

    fn shown_text(answer: &Answer) -> String {
        serde_json::to_value(shown(answer, english().shim())).unwrap()["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn every_result_has_all_nine_fields_and_no_other() {
        let value = serde_json::to_value(shown(&completed(Value::Null), english().shim())).unwrap();
        let mut names: Vec<&str> = value["structuredContent"].as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        let expected = ["action_id", "changed", "next", "outcome", "reason", "reasons", "receipt", "result", "run_id"];
        assert_eq!(names, expected);
        assert_eq!(value["structuredContent"]["outcome"], "COMPLETED");
        assert_eq!(value["structuredContent"]["run_id"], "R31");
    }

    #[test]
    fn a_response_is_shown_with_status_and_body_marked_as_the_servers_words() {
        let text = shown_text(&completed(json!({ "status": 404, "body": "not here" })));
        assert!(text.starts_with("COMPLETED\n") && text.contains("HTTP 404\n"), "{text}");
        assert!(text.ends_with(&format!("{}\nnot here", english().shim().body_label)), "{text}");
        let json = shown_text(&completed(json!({ "status": 200, "body": { "a": 1 } })));
        assert!(json.ends_with("{\"a\":1}"), "{json}");
    }

    #[test]
    fn a_cut_response_says_how_much_is_missing_and_how_to_read_on() {
        let cut = json!({ "status": 200, "body": "abc", "truncated": true, "total_bytes": 900 });
        let text = shown_text(&completed(cut));
        assert!(text.contains("900 bytes") && text.contains("first 3") && text.contains("`read_result`"), "{text}");
    }

    #[test]
    fn only_an_invalid_call_is_an_error_of_the_tool() {
        assert_eq!(shown(&invalid("x".into(), english().shim()), english().shim()).is_error, Some(true));
        assert_eq!(shown(&not_open(&NotOpen::NoGateway, english().shim()), english().shim()).is_error, Some(false));
        assert_eq!(shown(&lost(None, None, english().shim()), english().shim()).is_error, Some(false));
    }

    #[test]
    fn a_lost_action_keeps_its_id_and_the_reason_that_the_gateway_gave() {
        let ended = Answer { changed: Some("it went".into()), ..local(Reason::ProcessChanged, String::new(), "") };
        let answer = lost(Some(Ref([5; 16])), Some(&ended), english().shim());
        assert_eq!(answer.outcome, Outcome::ReauthRequired);
        assert_eq!(answer.action_id, Some(Ref([5; 16])));
        assert_eq!(answer.changed.as_deref(), Some("it went"));
        assert_eq!(answer.next.as_deref(), Some(english().shim().after_lost_action));
    }
}
