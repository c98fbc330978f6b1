//! The activity view: one line per row, none hidden.

use crate::line;
use crate::row::ViewedRow;
use crate::rows::ViewError;
use crate::words::words;
use jiff::tz::TimeZone;
use lychgate_core::event::RowKind;
use lychgate_core::ids::{GrantNo, Ref, WallTime};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// One line of the view. As JSON an object with `seq`, `at` (RFC 3339, UTC), `event`, `kind`, `boot`, `epoch` and the
/// event's own fields.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityLine {
    /// Sequence number; none for damage.
    pub seq: Option<u64>,
    /// Wall clock, where the row could be read.
    pub at: Option<WallTime>,
    /// What happened, in one word.
    pub name: &'static str,
    /// What is said of it, in order.
    pub fields: Vec<(&'static str, Value)>,
    /// Clear part of the row.
    pub clear: Option<Clear>,
    /// The wall clock had been set back by so much before this row.
    pub clock_set_back_ms: Option<u64>,
}

/// The clear part of a row that a line repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clear {
    /// Kind of the row.
    pub kind: RowKind,
    /// Boot label.
    pub boot: lychgate_core::ids::BootNo,
    /// Vault epoch.
    pub epoch: u64,
    /// Grant.
    pub grant: GrantNo,
    /// Action.
    pub reference: Ref,
    /// The journal wrote it about itself.
    pub own: bool,
}

/// Makes lines of rows. A row that can't be read and a part that is damaged are lines too.
pub fn activity(rows: impl IntoIterator<Item = Result<ViewedRow, ViewError>>) -> Vec<ActivityLine> {
    let mut latest: Option<WallTime> = None;
    let mut lines = Vec::new();
    for row in rows {
        let mut line = match row {
            Ok(row) => of_row(&row),
            Err(error) => of_error(&error),
        };
        if let Some(at) = line.at {
            line.clock_set_back_ms = latest.and_then(|latest| latest.0.checked_sub(at.0)).filter(|by| *by > 0);
            latest = Some(at);
        }
        lines.push(line);
    }
    lines
}

fn of_row(row: &ViewedRow) -> ActivityLine {
    let own = row.is_own();
    let (name, mut fields) = match &row.sealed {
        Ok((_, event)) => words(event),
        Err(why) => (
            "unreadable_row",
            vec![
                ("kind", kind_word(row.kind)),
                ("reason", Value::String(why.word().to_owned())),
                ("detail", Value::String(why.to_string())),
            ],
        ),
    };
    let name = if own && row.sealed.is_ok() { own_name(row.kind) } else { name };
    // Whoever can't be told by its number is told by its ref.
    let named = fields.iter().any(|(field, _)| *field == "action");
    if !named && row.reference != Ref::NONE {
        fields.push(("ref", Value::String(row.reference.to_string())));
    }
    ActivityLine {
        seq: Some(row.seq),
        at: row.at(),
        name,
        fields,
        clear: Some(Clear {
            kind: row.kind,
            boot: row.boot,
            epoch: row.epoch,
            grant: row.grant,
            reference: row.reference,
            own,
        }),
        clock_set_back_ms: None,
    }
}

fn of_error(error: &ViewError) -> ActivityLine {
    ActivityLine {
        seq: None,
        at: None,
        name: "journal_damaged",
        fields: vec![("detail", Value::String(error.to_string()))],
        clear: None,
        clock_set_back_ms: None,
    }
}

/// Names of the journal's own rows. Others keep the name of their event.
fn own_name(kind: RowKind) -> &'static str {
    match kind {
        RowKind::SegmentOpen => "journal_segment_opened",
        RowKind::SegmentClose => "journal_segment_closed",
        RowKind::Recovery => "journal_recovered",
        RowKind::Rekey => "journal_rekeyed",
        RowKind::Anchor => "journal_anchored",
        RowKind::Grant
        | RowKind::Revoke
        | RowKind::Intent
        | RowKind::Dispatch
        | RowKind::Final
        | RowKind::Abort
        | RowKind::Unobserved
        | RowKind::Event => "journal",
    }
}

fn kind_word(kind: RowKind) -> Value {
    serde_json::to_value(kind).unwrap_or(Value::Null)
}

impl ActivityLine {
    /// One line of text, with the time of day in `zone`.
    #[must_use]
    pub fn text(&self, zone: &TimeZone) -> String {
        line::line(self, zone)
    }

    /// True for what the journal wrote about itself.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.clear.is_some_and(|clear| clear.own)
    }

    /// True for a row that could not be read, and for damage. Such a line is never filtered away.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        matches!(self.name, "unreadable_row" | "journal_damaged")
    }

    /// A field, as text.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let (_, value) = self.fields.iter().find(|(field, _)| *field == name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

impl Serialize for ActivityLine {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        if let Some(seq) = self.seq {
            map.serialize_entry("seq", &seq)?;
        }
        map.serialize_entry("at", &self.at.and_then(line::rfc3339))?;
        map.serialize_entry("event", self.name)?;
        if let Some(clear) = &self.clear {
            map.serialize_entry("row_kind", &clear.kind)?;
            map.serialize_entry("row_boot", &clear.boot.to_string())?;
            map.serialize_entry("row_epoch", &clear.epoch)?;
            if clear.grant != GrantNo::NONE {
                map.serialize_entry("row_grant", &clear.grant.to_string())?;
            }
            if clear.reference != Ref::NONE {
                map.serialize_entry("action_id", &clear.reference)?;
            }
        }
        for (name, value) in self.fields.iter().filter(|(name, _)| *name != "ref") {
            map.serialize_entry(name, value)?;
        }
        if let Some(by) = self.clock_set_back_ms {
            map.serialize_entry("clock_set_back_ms", &by)?;
        }
        map.end()
    }
}
