//! Text for a terminal: local time, a name, fields. Whatever a client, a server or a file name chose is made visible.

use crate::activity::ActivityLine;
use crate::words::is_detail;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lychgate_core::card::visible;
use lychgate_core::ids::WallTime;
use serde_json::Value;

/// `14:23:06` in `zone`.
#[must_use]
pub fn clock(at: Option<WallTime>, zone: &TimeZone) -> String {
    format(at, zone, "%H:%M:%S").unwrap_or_else(|| "--:--:--".to_owned())
}

/// `2026-11-30` in `zone`.
#[must_use]
pub fn day(at: Option<WallTime>, zone: &TimeZone) -> Option<String> {
    format(at, zone, "%Y-%m-%d")
}

fn format(at: Option<WallTime>, zone: &TimeZone, form: &str) -> Option<String> {
    let millis = i64::try_from(at?.0).ok()?;
    let zoned = Timestamp::from_millisecond(millis).ok()?.to_zoned_datetime(zone.clone());
    Some(zoned.strftime(form).to_string())
}

/// RFC 3339 in UTC, for JSON.
pub(crate) fn rfc3339(at: WallTime) -> Option<String> {
    Timestamp::from_millisecond(i64::try_from(at.0).ok()?).ok().map(|at| at.to_string())
}

/// One line, such as `14:23:06 action_denied run=R31 reason=gateway_restarted`.
pub(crate) fn line(line: &ActivityLine, zone: &TimeZone) -> String {
    let mut out = format!("{} {}", clock(line.at, zone), line.name);
    for (name, value) in line.fields.iter().filter(|(name, _)| !is_detail(name)) {
        out.push(' ');
        out.push_str(name);
        out.push('=');
        out.push_str(&quoted(value));
    }
    if let Some(by) = line.clock_set_back_ms {
        out.push_str(&format!(" clock_set_back={}s", by.div_ceil(1000)));
    }
    out
}

/// A value that can't be taken for another field, nor for another line.
pub(crate) fn quoted(value: &Value) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    // Backslashes first, so that a text can't spell an escape of its own.
    let text = visible(&text.replace('\\', "\\\\"));
    let plain = !text.is_empty() && !text.contains([' ', '"', '=']);
    if plain { text } else { format!("\"{}\"", text.replace('"', "\\\"")) }
}

/// All lines, with the date as a line of its own wherever it changes.
#[must_use]
pub fn render(lines: &[ActivityLine], zone: &TimeZone) -> Vec<String> {
    let mut out = Vec::with_capacity(lines.len());
    let mut today = None;
    for activity in lines {
        let date = day(activity.at, zone);
        if date.is_some() && date != today {
            out.extend(date.clone());
            today = date;
        }
        out.push(line(activity, zone));
    }
    out
}
