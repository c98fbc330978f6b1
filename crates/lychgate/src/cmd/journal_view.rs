//! `lych sessions` and `lych activity`. This process is the viewer: it opens the audit key with the passphrase, reads,
//! prints and ends. The gateway takes no part in it and could not read a row.

use super::Context;
use crate::cli::{FactorFrom, Format};
use crate::factor::{self, Source};
use crate::operator::unreadable;
use crate::output;
use crate::ports::store;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use lychgate_core::card::visible;
use lychgate_core::channel::ChannelName;
use lychgate_core::ids::{ActionNo, Ref, RunId, WallTime};
use lychgate_text::{Message, Problem};
use lychgate_view::audit_key::{self, AuditPrivateKey};
use lychgate_view::{ActivityLine, Filter, Rows, SessionLine, activity as lines_of, day, read, render};
use std::str::FromStr;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only those of this run, such as R31.
    #[arg(long, value_parser = lychgate_text::read::<RunId>)]
    run: Option<RunId>,
    /// Only those of this channel.
    #[arg(long, value_name = "NAME", value_parser = lychgate_text::read::<ChannelName>)]
    channel: Option<ChannelName>,
    #[command(flatten)]
    factor: FactorFrom,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ActivityArgs {
    /// Only rows of this run, such as R31.
    #[arg(long, value_parser = lychgate_text::read::<RunId>)]
    run: Option<RunId>,
    /// Only rows of this channel.
    #[arg(long, value_name = "NAME", value_parser = lychgate_text::read::<ChannelName>)]
    channel: Option<ChannelName>,
    /// Only rows of this action, by its number, such as Q44.
    #[arg(long, value_parser = lychgate_text::read::<ActionNo>)]
    action: Option<ActionNo>,
    /// Only rows of this action, by the `action_id` that the agent knows.
    #[arg(long, value_name = "ID", value_parser = lychgate_text::read::<Ref>)]
    action_id: Option<Ref>,
    /// Only rows of this name or reason, such as `action_denied` or `gateway_restarted`.
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
    /// Only rows from this time on: 2026-11-30, "2026-11-30 14:00", or with a zone as in RFC 3339.
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,
    /// Only rows before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
    /// Also what the journal writes about itself.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    factor: FactorFrom,
    #[command(flatten)]
    format: Format,
}

/// A time as a person gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment(WallTime);

impl FromStr for Moment {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        at(text, &TimeZone::system()).ok_or("give a date, a date and time, or an RFC 3339 time with its zone")
    }
}

/// A time without a zone is meant in `zone`.
fn at(text: &str, zone: &TimeZone) -> Option<Moment> {
    let local = |time: DateTime| zone.to_timestamp(time).ok();
    let found = match text.parse::<Timestamp>() {
        Ok(exact) => Some(exact),
        Err(_) => match text.parse::<DateTime>() {
            Ok(time) => local(time),
            Err(_) => text.parse::<Date>().ok().and_then(|date| local(date.at(0, 0, 0, 0))),
        },
    };
    u64::try_from(found?.as_millisecond()).ok().map(|millis| Moment(WallTime(millis)))
}

pub(super) fn activity(context: &Context, args: &ActivityArgs) -> Outcome {
    let key = open(context, args.factor)?;
    let filter = Filter {
        run: args.run,
        channel: args.channel.as_ref().map(ToString::to_string),
        action: args.action,
        reference: args.action_id,
        outcome: args.outcome.clone(),
        since: args.since.map(|moment| moment.0),
        until: args.until.map(|moment| moment.0),
        own_rows: args.all,
    };
    let lines = filter.apply(lines_of(rows(context, &key)?));
    if args.format.json {
        lines.iter().for_each(output::json);
    } else if lines.is_empty() {
        output::prose(&context.say.message(&Message::NoRows));
    } else {
        output::lines(&render(&lines, &TimeZone::system()));
    }
    Ok(verdict(&lines))
}

pub(super) fn sessions(context: &Context, args: &SessionsArgs) -> Outcome {
    let key = open(context, args.factor)?;
    let rows: Vec<_> = rows(context, &key)?.collect();
    let wanted = |line: &SessionLine| {
        args.run.is_none_or(|run| line.run == run)
            && args.channel.as_ref().is_none_or(|channel| line.channel == channel.as_str())
    };
    let sessions: Vec<SessionLine> = lychgate_view::sessions(&rows).into_iter().filter(wanted).collect();
    let zone = TimeZone::system();
    if args.format.json {
        sessions.iter().for_each(output::json);
    } else if sessions.is_empty() {
        output::prose(&context.say.message(&Message::NoRows));
    } else {
        print(&sessions, &zone);
    }
    // What could not be read is no session, and must not go unsaid.
    let alarms: Vec<ActivityLine> = lines_of(rows).into_iter().filter(ActivityLine::is_alarm).collect();
    render(&alarms, &zone).iter().for_each(|line| output::error(line));
    Ok(verdict(&alarms))
}

fn print(sessions: &[SessionLine], zone: &TimeZone) {
    let mut today = None;
    for session in sessions {
        let date = day(session.approved_at, zone);
        if let Some(date) = date.as_ref().filter(|_| date != today) {
            output::line(date);
        }
        today = date;
        output::line(&session.text(zone));
    }
}

/// Damage among the rows is a failure for a script too.
fn verdict(lines: &[ActivityLine]) -> Exit {
    if lines.iter().any(ActivityLine::is_alarm) { Exit::Failed } else { Exit::Done }
}

fn open(context: &Context, factor: FactorFrom) -> Result<AuditPrivateKey, Trouble> {
    lychgate_sys::set_dumpable(false).map_err(|error| unreadable(context.say, &error))?;
    let path = lychgate_vault::Files::in_dir(&context.paths.state).audit_key();
    if path.symlink_metadata().is_err() {
        let dir = visible(&context.paths.state.display().to_string());
        return Err(Trouble::of(context.say, &Problem::NoVault { dir: &dir }));
    }
    let source = Source::of(factor.factor_stdin);
    source.check(context.say)?;
    let passphrase = factor::passphrase(context.say, source)?;
    audit_key::open(&path, passphrase.as_bytes()).map_err(|error| store(context, "opening the audit key", error))
}

fn rows<'a>(context: &Context, key: &'a AuditPrivateKey) -> Result<Rows<'a>, Trouble> {
    read(&context.paths.audit(), key).map_err(|error| store(context, "reading the journal", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_taken_in_the_zone_that_it_names_or_else_in_the_local_one() {
        let east = TimeZone::fixed(jiff::tz::offset(2));
        let noon = Some(Moment(WallTime(1_796_040_000_000)));
        for text in ["2026-11-30T12:00:00Z", "2026-11-30T13:00:00+01:00", "2026-11-30 14:00", "2026-11-30T14:00:00"] {
            assert_eq!(at(text, &east), noon, "{text}");
        }
        assert_eq!(at("2026-11-30", &TimeZone::UTC), Some(Moment(WallTime(1_795_996_800_000))));
        for bad in ["", "yesterday", "2026-13-01", "12:00", "1969-01-01"] {
            assert_eq!(at(bad, &east), None, "{bad}");
        }
    }
}
