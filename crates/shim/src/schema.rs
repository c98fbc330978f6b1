//! The arguments of the tools, as data: one table serves the JSON schema that clients see and the reading of calls.
//!
//! The schemas use only what every client's schema reader knows: no references, no `null` types, no formats.

use lychgate_core::limits;
use lychgate_text::ShimTexts;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// An object of texts.
    Headers,
    /// Seconds to wait for a person.
    Seconds,
    /// A byte position.
    Offset,
    /// A process id.
    Process,
    /// The id of an action.
    Action,
    /// Bytes in base64.
    Base64,
}

/// An argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
}

/// An argument that must be there.
pub(crate) const fn required(name: &'static str, kind: Kind) -> Argument {
    Argument { name, kind, required: true }
}

/// An argument that may be there.
pub(crate) const fn optional(name: &'static str, kind: Kind) -> Argument {
    Argument { name, kind, required: false }
}

/// JSON schema of `arguments`. Others than these are refused, and it says so.
pub(crate) fn schema(arguments: &[Argument], texts: &ShimTexts) -> JsonObject {
    let mut properties = JsonObject::new();
    for argument in arguments {
        let mut property = argument.kind.schema();
        property.insert("description".into(), texts.argument(argument.name).into());
        properties.insert(argument.name.into(), Value::Object(property));
    }
    let needed: Vec<&str> = arguments.iter().filter(|a| a.required).map(|a| a.name).collect();
    let mut schema = object(json!({ "type": "object", "additionalProperties": false }));
    schema.insert("properties".into(), Value::Object(properties));
    if !needed.is_empty() {
        schema.insert("required".into(), json!(needed));
    }
    schema
}

impl Kind {
    fn schema(self) -> JsonObject {
        object(match self {
            Self::Text | Self::Base64 => json!({ "type": "string" }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            Self::Headers => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            Self::Seconds => json!({ "type": "integer", "minimum": 0, "maximum": limits::WAIT_MAX_SECONDS }),
            Self::Offset => json!({ "type": "integer", "minimum": 0 }),
            Self::Process => json!({ "type": "integer", "minimum": 1 }),
            Self::Action => json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" }),
        })
    }

    /// In words, for a value of another kind.
    pub(crate) fn words(self, texts: &ShimTexts) -> &'static str {
        match self {
            Self::Text => texts.kinds.text,
            Self::Texts => texts.kinds.texts,
            Self::Headers => texts.kinds.headers,
            Self::Seconds => texts.kinds.seconds,
            Self::Offset => texts.kinds.offset,
            Self::Process => texts.kinds.process,
            Self::Action => texts.kinds.action,
            Self::Base64 => texts.kinds.base64,
        }
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => JsonObject::new(),
    }
}
