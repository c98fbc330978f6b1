//! Answers to agents: one shape, every word from the catalogue.

use crate::action::Finished;
use crate::state::Gateway;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_core::card::visible;
use lychgate_core::ids::{Ref, RunId};
use lychgate_core::limits;
use lychgate_core::outcome::{Outcome, Reason, Reasons};
use lychgate_core::record::StoredResult;
use lychgate_http::{BodyWithheld, Response};
use lychgate_text::GatewayText as Text;
use lychgate_wire::agent::Answer;
use serde_json::{Value, json};

impl Gateway {
    /// An answer with reasons. Its outcome is that of the first one.
    pub(crate) fn because(&self, run: Option<RunId>, action: Option<Ref>, reasons: &Reasons) -> Answer {
        let reason = reasons.first();
        self.answer(reason.outcome(), reasons.all(), run, action, Value::Null, None)
    }

    /// A call that is wrong in itself. `what` is shown to the model as it is.
    pub(crate) fn invalid(&self, run: RunId, reason: Reason, what: String) -> Answer {
        self.answer(reason.outcome(), &[reason], Some(run), None, json!({ "error": what.clone() }), Some(what))
    }

    /// The general form. `said` is what the model is told beside outcome, reason, change and next step.
    pub(crate) fn answer(
        &self,
        outcome: Outcome,
        reasons: &[Reason],
        run: Option<RunId>,
        action: Option<Ref>,
        result: Value,
        said: Option<String>,
    ) -> Answer {
        let reason = reasons.first().copied();
        let changed = lychgate_text::changed(self.text, reasons);
        let next = lychgate_text::next(self.text, outcome, reason);
        Answer {
            outcome,
            reason,
            reasons: reasons.to_vec(),
            action_id: action,
            run_id: run,
            changed,
            next: (!next.is_empty()).then(|| next.to_owned()),
            receipt: self.receipt(),
            result,
            text: said.unwrap_or_default(),
        }
    }

    /// What became of an action that is over.
    pub(crate) fn finished(&self, run: RunId, action: Ref, finished: &Finished) -> Answer {
        match finished {
            Finished::Observed(result) => {
                let shown = self.shown(result, 0);
                self.answer(Outcome::Completed, &[], Some(run), Some(action), shown.0, Some(shown.1))
            }
            Finished::Recorded => self.answer(
                Outcome::Completed,
                &[],
                Some(run),
                Some(action),
                json!({ "observed": self.say(&Text::ContentGone) }),
                None,
            ),
            Finished::NotObserved(what) => self.answer(
                Outcome::StatusUnknown,
                &[Reason::InspectActivityJournal],
                Some(run),
                Some(action),
                json!({ "observed": what }),
                Some(what.clone()),
            ),
            Finished::NotStarted(evidence, what) => self.answer(
                Outcome::RetrySafe,
                &[Reason::PreviousActionNotStarted],
                Some(run),
                Some(action),
                json!({ "evidence": evidence.word(), "detail": what }),
                Some(what.clone()),
            ),
            Finished::Refused(reasons) => self.because(Some(run), Some(action), reasons),
        }
    }
}

impl Gateway {
    /// A response as the result shows it from `offset` on, and the line above it.
    pub(crate) fn shown(&self, result: &StoredResult, offset: usize) -> (Value, String) {
        let rest = result.body.get(offset..).unwrap_or_default();
        let part = rest.get(..limits::RESPONSE_INLINE_BYTES).unwrap_or(rest);
        let more = rest.len() > part.len();
        let mut value = json!({
            "status": result.status,
            "headers": result.headers,
            "total_bytes": result.total_bytes,
            "truncated": result.truncated || more,
        });
        if let Value::Object(fields) = &mut value {
            if more {
                fields.insert("next_offset".into(), json!(offset + part.len()));
            }
            if offset > 0 {
                fields.insert("offset".into(), json!(offset));
            }
            if let Some(notice) = &result.notice {
                fields.insert("notice".into(), json!(notice));
            }
            let (form, body) = body(result, part, offset == 0 && !more);
            fields.insert(form.into(), body);
        }
        let text = Text::ResponseLine { status: result.status, bytes: result.total_bytes };
        let mut line = self.say(&text);
        if let Some(notice) = &result.notice {
            line.push(' ');
            line.push_str(notice);
        }
        (value, line)
    }
}

/// JSON when it is JSON and whole, text when it is text, else base64.
fn body(result: &StoredResult, part: &[u8], whole: bool) -> (&'static str, Value) {
    let json_type = result
        .headers
        .iter()
        .any(|(name, value)| name == "content-type" && value.to_ascii_lowercase().contains("json"));
    if whole
        && json_type
        && let Ok(value) = serde_json::from_slice(part)
    {
        return ("body", value);
    }
    match std::str::from_utf8(part) {
        Ok(text) => ("body", json!(text)),
        Err(_) => ("body_base64", json!(STANDARD.encode(part))),
    }
}

/// What the model must know of a response beside its content.
pub(crate) fn notice(gateway: &Gateway, response: &Response) -> Option<String> {
    let location = response.redirect_not_followed().map(visible);
    let body = response.withheld.as_ref().and_then(|withheld| withheld.body);
    let headers = response.withheld.as_ref().is_some_and(|withheld| !withheld.headers.is_empty());
    let parts = [
        location.as_deref().map(|location| Text::Redirect { location }),
        body.map(|why| match why {
            BodyWithheld::HoldsCredential => Text::BodyHoldsCredential,
            BodyWithheld::Encoded => Text::BodyEncoded,
        }),
        headers.then_some(Text::HeadersWithheld),
        response.cut_by_peer.then_some(Text::CutByServer),
        response.cut_by_us.then_some(Text::CutByGateway),
    ];
    let said: Vec<String> = parts.iter().flatten().map(|part| gateway.say(part)).collect();
    (!said.is_empty()).then(|| said.join(" "))
}
