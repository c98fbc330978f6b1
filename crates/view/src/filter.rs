//! Which lines are wanted. Alarms always are.

use crate::activity::ActivityLine;
use lychgate_core::ids::{ActionNo, Ref, RunId, WallTime};

/// Conditions that all must hold. Absent ones hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Lines of this run.
    pub run: Option<RunId>,
    /// Lines of this channel.
    pub channel: Option<String>,
    /// Lines of this action, by number.
    pub action: Option<ActionNo>,
    /// Lines of this action, by its `action_id`.
    pub reference: Option<Ref>,
    /// Lines of this name, such as `action_denied`, or with this reason.
    pub outcome: Option<String>,
    /// Lines from this moment on.
    pub since: Option<WallTime>,
    /// Lines before this moment.
    pub until: Option<WallTime>,
    /// Also what the journal wrote about itself.
    pub own_rows: bool,
}

impl Filter {
    /// Everything but the journal's own rows.
    #[must_use]
    pub fn none() -> Self {
        Self {
            run: None,
            channel: None,
            action: None,
            reference: None,
            outcome: None,
            since: None,
            until: None,
            own_rows: false,
        }
    }

    /// Keeps the wanted lines. An action that is named by number is followed by its ref too, since some rows carry the
    /// ref alone.
    #[must_use]
    pub fn apply(&self, lines: Vec<ActivityLine>) -> Vec<ActivityLine> {
        let number = self.action.map(|action| action.to_string());
        let of_action = number.as_ref().and_then(|number| {
            let named = lines.iter().find(|line| line.field("action").as_ref() == Some(number))?;
            named.clear.map(|clear| clear.reference).filter(|reference| *reference != Ref::NONE)
        });
        lines.into_iter().filter(|line| line.is_alarm() || self.wants(line, number.as_deref(), of_action)).collect()
    }

    fn wants(&self, line: &ActivityLine, number: Option<&str>, of_action: Option<Ref>) -> bool {
        let has = |name: &str, value: &str| line.field(name).as_deref() == Some(value);
        let reference = line.clear.map(|clear| clear.reference);
        let channels = || line.field("channels").unwrap_or_default();
        (self.own_rows || !line.is_own())
            && self.run.is_none_or(|run| has("run", &run.to_string()))
            && self
                .channel
                .as_deref()
                .is_none_or(|channel| has("channel", channel) || channels().split(',').any(|listed| listed == channel))
            && number.is_none_or(|number| has("action", number) || (of_action.is_some() && of_action == reference))
            && self.reference.is_none_or(|wanted| reference == Some(wanted))
            && self.outcome.as_deref().is_none_or(|outcome| line.name == outcome || has("reason", outcome))
            && self.since.is_none_or(|since| line.at.is_some_and(|at| at >= since))
            && self.until.is_none_or(|until| line.at.is_some_and(|at| at < until))
    }
}
