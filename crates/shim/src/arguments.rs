//! Reading a call's arguments. What is wrong is said by the argument's name, so that a model can correct it.

use crate::schema::{Argument, Kind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_core::ids::Ref;
use lychgate_core::limits;
use lychgate_text::{ShimTexts, fill};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Other texts than bodies and URLs, in bytes. Names and keys are far below it; with it a frame always fits.
const TEXT_BYTES: usize = 16 * 1024;

/// What is wrong with the arguments, in words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong(pub(crate) String);

/// The arguments of one call.
pub(crate) struct Arguments<'a> {
    given: JsonObject,
    texts: &'a ShimTexts,
}

impl<'a> Arguments<'a> {
    /// Refuses whatever the tool does not have: a misspelt `retry_of` must not be a new request.
    pub(crate) fn new(given: JsonObject, tool: &str, known: &[Argument], texts: &'a ShimTexts) -> Result<Self, Wrong> {
        let is_known = |name: &str| known.iter().any(|argument| argument.name == name);
        let unknown: Vec<&str> = given.keys().map(String::as_str).filter(|name| !is_known(name)).collect();
        if unknown.is_empty() {
            return Ok(Self { given, texts });
        }
        let names = quoted(unknown.iter().map(|name| name.get(..80).unwrap_or(name)).take(8));
        let known = quoted(known.iter().map(|argument| argument.name));
        Err(Wrong(fill(texts.unknown_arguments, &[("tool", tool), ("names", &names), ("known", &known)])))
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<String, Wrong> {
        let text = self.optional_text(name)?;
        self.present(name, text)
    }

    pub(crate) fn optional_text(&mut self, name: &str) -> Result<Option<String>, Wrong> {
        self.text_within(name, TEXT_BYTES)
    }

    pub(crate) fn url(&mut self, name: &str) -> Result<String, Wrong> {
        let text = self.text_within(name, limits::URL_BYTES)?;
        self.present(name, text)
    }

    /// The body, as base64, from the one of two arguments that is there.
    pub(crate) fn body(&mut self, text: &str, base64: &str) -> Result<Option<String>, Wrong> {
        let plain = self.unlimited_text(text, Kind::Text)?;
        let encoded = self.unlimited_text(base64, Kind::Base64)?;
        match (plain, encoded) {
            (Some(_), Some(_)) => Err(Wrong(fill(self.texts.not_both, &[("first", text), ("second", base64)]))),
            (Some(plain), None) => {
                self.within(text, plain.len(), limits::REQUEST_BODY_BYTES, "bytes")?;
                Ok(Some(STANDARD.encode(plain)))
            }
            (None, Some(encoded)) => {
                let bytes = STANDARD.decode(&encoded).map_err(|_| self.wrong(base64, Kind::Base64))?;
                self.within(base64, bytes.len(), limits::REQUEST_BODY_BYTES, "bytes")?;
                Ok(Some(encoded))
            }
            (None, None) => Ok(None),
        }
    }

    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, Wrong> {
        let wrong = self.wrong(name, Kind::Texts);
        let list = match self.take(name) {
            None => return self.present(name, None),
            Some(Value::Array(list)) if !list.is_empty() => list,
            Some(_) => return Err(wrong),
        };
        let texts: Option<Vec<String>> = list.into_iter().map(into_text).collect();
        let texts = texts.ok_or(wrong)?;
        self.within(name, texts.iter().map(String::len).sum(), TEXT_BYTES, "bytes")?;
        Ok(texts)
    }

    pub(crate) fn headers(&mut self, name: &str) -> Result<Vec<(String, String)>, Wrong> {
        let wrong = self.wrong(name, Kind::Headers);
        let given = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::Object(given)) => given,
            Some(_) => return Err(wrong),
        };
        self.within(name, given.len(), limits::HEADER_COUNT, "entries")?;
        let headers: Option<Vec<(String, String)>> =
            given.into_iter().map(|(name, value)| Some((name, into_text(value)?))).collect();
        let headers = headers.ok_or(wrong)?;
        let bytes = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.within(name, bytes, limits::HEADER_BYTES, "bytes")?;
        Ok(headers)
    }

    pub(crate) fn seconds(&mut self, name: &str) -> Result<Option<u64>, Wrong> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match whole(&value) {
            Some(seconds) if seconds <= limits::WAIT_MAX_SECONDS => Ok(Some(seconds)),
            Some(_) | None => Err(self.wrong(name, Kind::Seconds)),
        }
    }

    pub(crate) fn offset(&mut self, name: &str) -> Result<u64, Wrong> {
        let Some(value) = self.take(name) else { return Ok(0) };
        whole(&value).ok_or_else(|| self.wrong(name, Kind::Offset))
    }

    pub(crate) fn process(&mut self, name: &str) -> Result<u32, Wrong> {
        let Some(value) = self.take(name) else { return self.present(name, None) };
        let number = whole(&value).and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        number.ok_or_else(|| self.wrong(name, Kind::Process))
    }

    pub(crate) fn action(&mut self, name: &str) -> Result<Ref, Wrong> {
        let action = self.optional_action(name)?;
        self.present(name, action)
    }

    pub(crate) fn optional_action(&mut self, name: &str) -> Result<Option<Ref>, Wrong> {
        let Some(text) = self.unlimited_text(name, Kind::Action)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.wrong(name, Kind::Action))
    }

    fn text_within(&mut self, name: &str, limit: usize) -> Result<Option<String>, Wrong> {
        let text = self.unlimited_text(name, Kind::Text)?;
        self.within(name, text.as_ref().map_or(0, String::len), limit, "bytes")?;
        Ok(text)
    }

    fn unlimited_text(&mut self, name: &str, kind: Kind) -> Result<Option<String>, Wrong> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => into_text(value).map(Some).ok_or_else(|| self.wrong(name, kind)),
        }
    }

    /// Some models write `null` for an argument that they leave out.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.given.remove(name).filter(|value| !value.is_null())
    }

    fn present<T>(&self, name: &str, value: Option<T>) -> Result<T, Wrong> {
        value.ok_or_else(|| Wrong(fill(self.texts.missing_argument, &[("name", name)])))
    }

    fn wrong(&self, name: &str, kind: Kind) -> Wrong {
        Wrong(fill(self.texts.wrong_argument, &[("name", name), ("kind", kind.words(self.texts))]))
    }

    fn within(&self, name: &str, size: usize, limit: usize, unit: &str) -> Result<(), Wrong> {
        if size <= limit {
            return Ok(());
        }
        let (size, limit) = (size.to_string(), limit.to_string());
        let values = [("name", name), ("size", size.as_str()), ("limit", limit.as_str()), ("unit", unit)];
        Err(Wrong(fill(self.texts.over_limit, &values)))
    }
}

/// A whole number, also where it is written as `20.0`: some clients have only floating point.
fn whole(value: &Value) -> Option<u64> {
    /// Above it not every whole number has a value of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number));
    value.as_u64().or_else(|| float().map(|number| number as u64))
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn quoted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
