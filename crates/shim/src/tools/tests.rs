#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
use super::*;
use lychgate_core::limits;
use lychgate_text::english;
use serde_json::{Value, json};

const REF: Ref = Ref([9; 16]);

fn sample(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!("text"),
        Kind::Texts => json!(["text"]),
        Kind::Headers => json!({ "accept": "text/plain" }),
        Kind::Seconds => json!(50),
        Kind::Offset => json!(7),
        Kind::Process => json!(4711),
        Kind::Action => json!("ab".repeat(16)),
        Kind::Base64 => json!("AAE="),
    }
}

/// Everything that a tool takes at once, without one of two that exclude each other.
fn full(tool: &Definition) -> JsonObject {
    let excluded = ["body_base64", "action_key"];
    let all =
        tool.arguments.iter().filter(|argument| tool.name == "http_request" || !excluded.contains(&argument.name));
    all.filter(|argument| argument.name != "body_base64").map(|a| (a.name.to_owned(), sample(a.kind))).collect()
}

fn wrong(tool: &str, given: Value) -> String {
    let Value::Object(given) = given else { panic!("an object") };
    find(tool).unwrap().call(given, REF, english().shim()).unwrap_err().0
}

#[test]
fn names_fit_every_client_also_behind_the_prefixes_that_clients_add() {
    for tool in TOOLS {
        assert!(tool.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", tool.name);
        for prefix in ["mcp__lychgate__", "lychgate_", "lychgate__", "mcp_lychgate_", "lychgate."] {
            assert!(prefix.len() + tool.name.len() <= 64, "{prefix}{}", tool.name);
        }
    }
}

#[test]
fn every_tool_and_every_argument_is_described() {
    for tool in TOOLS {
        assert!(!english().shim().tool(tool.name).is_empty(), "{}", tool.name);
        for argument in tool.arguments {
            assert!(!english().shim().argument(argument.name).is_empty(), "{}", argument.name);
        }
    }
    for (name, _) in english().shim().tools {
        assert!(find(name).is_some(), "{name} is described and does not exist");
    }
}

#[test]
fn what_the_schema_offers_is_what_a_call_takes() {
    for tool in TOOLS {
        tool.call(full(tool), REF, english().shim()).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", tool.name));
    }
}

#[test]
fn a_value_of_another_kind_is_refused_by_the_arguments_name() {
    for tool in TOOLS {
        for argument in tool.arguments {
            let mut given = full(tool);
            given.remove("body");
            given.insert(argument.name.into(), json!([[false]]));
            let Err(wrong) = tool.call(given, REF, english().shim()) else { panic!("{}", argument.name) };
            assert!(wrong.0.contains(&format!("`{}`", argument.name)), "{wrong:?}");
        }
    }
}

#[test]
fn a_missing_argument_is_named_and_null_counts_as_missing() {
    for tool in TOOLS {
        for argument in tool.arguments.iter().filter(|argument| argument.required) {
            for replacement in [None, Some(Value::Null)] {
                let mut given = full(tool);
                given.remove(argument.name);
                given.extend(replacement.map(|value| (argument.name.to_owned(), value)));
                let Err(wrong) = tool.call(given, REF, english().shim()) else { panic!("{}", argument.name) };
                assert!(wrong.0.contains("missing") && wrong.0.contains(argument.name), "{wrong:?}");
            }
        }
    }
}

#[test]
fn an_argument_that_the_tool_does_not_have_is_refused_by_name() {
    let text = wrong("run_status", json!({ "retryof": "x" }));
    assert!(text.contains("`retryof`") && text.contains("`run_status`"), "{text}");
    let text = wrong("http_request", json!({ "save_to": "/tmp/x" }));
    assert!(text.contains("`save_to`") && text.contains("`body_base64`"), "{text}");
}

#[test]
fn a_body_is_given_once_and_travels_as_base64() {
    let base = json!({ "channel": "c", "method": "POST", "url": "https://h/" });
    let call = |extra: Value| {
        let mut given = base.as_object().unwrap().clone();
        given.extend(extra.as_object().unwrap().clone());
        find("http_request").unwrap().call(given, REF, english().shim())
    };
    let Ok(Call::HttpRequest(http)) = call(json!({ "body": "hé" })) else { panic!() };
    assert_eq!(http.body_base64.as_deref(), Some("aMOp"));
    assert_eq!(http.client_ref, REF);
    let Ok(Call::HttpRequest(http)) = call(json!({ "body_base64": "aMOp" })) else { panic!() };
    assert_eq!(http.body_base64.as_deref(), Some("aMOp"));
    assert!(call(json!({ "body": "a", "body_base64": "AAE=" })).unwrap_err().0.contains("not both"));
    assert!(call(json!({ "body_base64": "not base64" })).unwrap_err().0.contains("`body_base64`"));
    assert!(call(json!({ "body": { "a": 1 } })).unwrap_err().0.contains("JSON goes into it as text"));
}

#[test]
fn over_a_limit_the_call_is_refused_and_the_limit_is_named() {
    let base = |name: &str, value: Value| {
        let mut given = json!({ "channel": "c", "method": "POST", "url": "https://h/" });
        given.as_object_mut().unwrap().insert(name.into(), value);
        wrong("http_request", given)
    };
    let body = base("body", json!("x".repeat(limits::REQUEST_BODY_BYTES + 1)));
    assert!(body.contains("8388608"), "{body}");
    assert!(base("url", json!("x".repeat(limits::URL_BYTES + 1))).contains("16384"));
    let many: JsonObject = (0..=limits::HEADER_COUNT).map(|n| (n.to_string(), json!(""))).collect();
    assert!(base("headers", Value::Object(many)).contains("100"));
    assert!(base("wait_seconds", json!(51)).contains("0 to 50"));
}

#[test]
fn a_whole_number_may_be_written_as_a_float_and_a_broken_or_negative_one_is_refused() {
    let read = |offset: Value| {
        let given = json!({ "action_id": "ab".repeat(16), "offset": offset });
        find("read_result").unwrap().call(given.as_object().unwrap().clone(), REF, english().shim())
    };
    let Ok(Call::ReadResult { offset, .. }) = read(json!(65536.0)) else { panic!() };
    assert_eq!(offset, 65536);
    for wrong in [json!(0.5), json!(-1), json!(-1.0), json!(1e300), json!("7")] {
        assert!(read(wrong.clone()).unwrap_err().0.contains("`offset`"), "{wrong}");
    }
}

#[test]
fn a_status_is_asked_by_id_or_by_key_and_never_by_both() {
    let both = json!({ "action_id": "ab".repeat(16), "action_key": "k" });
    for given in [json!({}), both] {
        assert!(wrong("action_status", given).contains("exactly one"));
    }
    assert!(wrong("action_status", json!({ "action_id": "Q44" })).contains("32 hexadecimal digits"));
}

#[test]
fn schemas_use_only_what_every_client_knows() {
    for tool in list(english().shim()) {
        let text = tool.schema_as_json_value().to_string();
        for unknown in ["$ref", "$schema", "\"null\"", "\"format\"", "anyOf", "oneOf"] {
            assert!(!text.contains(unknown), "{}: {text}", tool.name);
        }
        assert!(text.contains("\"additionalProperties\":false"), "{text}");
    }
}
