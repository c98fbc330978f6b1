//! `lych sessions` and `lych activity`. This process is the viewer: it opens the audit key with the passphrase, reads,
//! prints and ends. The gateway takes no part in it and could not read a row.

use super::Context;
use crate::cli::{FactorFrom, Format, help};
use crate::factor::{self, Source};
use crate::operator::harden;
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
use lychgate_harden::Role;
use lychgate_text::{Attempt, Message, Problem};
use lychgate_view::audit_key::{self, AuditPrivateKey};
use lychgate_view::{ActivityLine, Filter, Rows, SessionLine, activity as lines_of, day, read, render};
use std::str::FromStr;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    #[arg(long, help = help().journal.sessions_run)]
    #[arg(value_parser = lychgate_text::read::<RunId>)]
    run: Option<RunId>,
    #[arg(long, value_name = "NAME", help = help().journal.sessions_channel)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    channel: Option<ChannelName>,
    #[command(flatten)]
    factor: FactorFrom,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ActivityArgs {
    #[arg(long, help = help().journal.run)]
    #[arg(value_parser = lychgate_text::read::<RunId>)]
    run: Option<RunId>,
    #[arg(long, value_name = "NAME", help = help().journal.channel)]
    #[arg(value_parser = lychgate_text::read::<ChannelName>)]
    channel: Option<ChannelName>,
    #[arg(long, help = help().journal.action)]
    #[arg(value_parser = lychgate_text::read::<ActionNo>)]
    action: Option<ActionNo>,
    #[arg(long, value_name = "ID", help = help().journal.action_id)]
    #[arg(value_parser = lychgate_text::read::<Ref>)]
    action_id: Option<Ref>,
    #[arg(long, value_name = "WORD", help = help().journal.outcome)]
    outcome: Option<String>,
    #[arg(long, value_name = "TIME", help = help().journal.since)]
    since: Option<Moment>,
    #[arg(long, value_name = "TIME", help = help().journal.until)]
    until: Option<Moment>,
    #[arg(long, help = help().journal.all)]
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
        at(text, &TimeZone::system()).ok_or(help().journal.not_a_time)
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
    harden(context.say, Role::Person)?;
    let path = lychgate_vault::Files::in_dir(&context.paths.state).audit_key();
    if path.symlink_metadata().is_err() {
        let dir = visible(&context.paths.state.display().to_string());
        return Err(Trouble::of(context.say, &Problem::NoVault { dir: &dir }));
    }
    let source = Source::of(factor.factor_stdin);
    source.check(context.say)?;
    let passphrase = factor::passphrase(context.say, source)?;
    audit_key::open(&path, passphrase.as_bytes()).map_err(|error| store(context, Attempt::OpeningAuditKey, error))
}

fn rows<'a>(context: &Context, key: &'a AuditPrivateKey) -> Result<Rows<'a>, Trouble> {
    read(&context.paths.audit(), key).map_err(|error| store(context, Attempt::ReadingJournal, error))
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
