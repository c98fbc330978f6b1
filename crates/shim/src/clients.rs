//! Which conversation a call belongs to, as its client tells it. A label: it explains and can end an approval, and it
//! never grants.

use lychgate_core::limits;
use rmcp::model::RequestMetaObject;

/// Our own key in `_meta`, for any client.
const OWN_KEY: &str = "lychgate/conversation";

/// A client that sends a conversation id without knowing us.
struct KnownClient {
    /// Begin of its name in `clientInfo`.
    name: &'static str,
    /// Key in `_meta` of its calls.
    key: &'static str,
}

/// Observed with Codex CLI 0.171: the same id after `codex exec resume`.
const KNOWN: &[KnownClient] = &[KnownClient { name: "codex", key: "threadId" }];

/// A label over [`limits::CONVERSATION_BYTES`]; holds its length. Cutting it could make two labels one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong(pub(crate) usize);

/// The label of a call: our own key, then what a known client sends, then `fallback`.
pub(crate) fn conversation(
    meta: &RequestMetaObject,
    client: Option<&str>,
    fallback: Option<&str>,
) -> Result<Option<String>, TooLong> {
    let text = |key: &str| meta.get(key).and_then(|value| value.as_str()).filter(|label| !label.is_empty());
    let known = || {
        let client = client?.to_ascii_lowercase();
        KNOWN.iter().find(|known| client.starts_with(known.name)).and_then(|known| text(known.key))
    };
    match text(OWN_KEY).or_else(known).or(fallback) {
        Some(label) if label.len() > limits::CONVERSATION_BYTES => Err(TooLong(label.len())),
        label => Ok(label.map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn meta(json: &str) -> RequestMetaObject {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn our_own_key_counts_before_a_known_clients_and_that_before_the_option() {
        let both = meta(r#"{"lychgate/conversation": "ours", "threadId": "theirs"}"#);
        let theirs = meta(r#"{"threadId": "theirs"}"#);
        let codex = Some("codex-mcp-client");
        assert_eq!(conversation(&both, codex, Some("option")), Ok(Some("ours".into())));
        assert_eq!(conversation(&theirs, codex, Some("option")), Ok(Some("theirs".into())));
        assert_eq!(conversation(&meta("{}"), codex, Some("option")), Ok(Some("option".into())));
        assert_eq!(conversation(&meta("{}"), codex, None), Ok(None));
    }

    #[test]
    fn an_unknown_clients_thread_id_and_a_value_that_is_no_text_are_not_read() {
        assert_eq!(conversation(&meta(r#"{"threadId": "theirs"}"#), Some("other"), None), Ok(None));
        assert_eq!(conversation(&meta(r#"{"threadId": "theirs"}"#), None, None), Ok(None));
        assert_eq!(conversation(&meta(r#"{"lychgate/conversation": 7}"#), None, None), Ok(None));
    }

    #[test]
    fn a_label_over_the_limit_is_refused_and_never_cut() {
        let long = "x".repeat(limits::CONVERSATION_BYTES + 1);
        assert_eq!(conversation(&meta("{}"), None, Some(&long)), Err(TooLong(long.len())));
        assert!(conversation(&meta("{}"), None, Some(long.get(1..).unwrap())).is_ok());
    }
}
