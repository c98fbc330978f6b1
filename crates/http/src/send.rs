//! Sending: where a permitted action, its credential and a connection meet, and what became of it is told.

use crate::body::Kept;
use crate::connect::Ready;
use crate::exchange::{Broke, Seen, exchange};
use crate::redact::Needles;
use crate::response::{BodyEnd, Response, assemble};
use crate::stream::{Watched, Written};
use crate::{credential, explain, message};
use lychgate_core::channel::CredentialKind;
use lychgate_core::outcome::NotStarted;
use lychgate_core::proof::{Armed, Released, Spent};
use lychgate_text::{Refusal as _, words};
use tokio_util::sync::CancellationToken;

/// What became of one action that was handed over for sending. No variant holds the credential.
#[derive(Debug)]
#[must_use = "the action needs its end row"]
pub enum Outcome {
    /// A status was seen. Needs a FINAL row.
    Observed {
        /// The answer.
        response: Response,
        /// The use.
        spent: Spent,
    },
    /// A byte of the request may have left, and no status was seen, or authority ended before the answer was complete.
    /// Needs an UNOBSERVED row. Never treat it as a failure: the server may have acted.
    NotObserved {
        /// What happened, for a person.
        what: String,
        /// The use.
        spent: Spent,
    },
    /// No byte of the request left this process, for certain. Needs an ABORT row.
    NotSent {
        /// [`NotStarted::ZeroBytes`].
        evidence: NotStarted,
        /// What happened and what to do, for a person.
        detail: String,
        /// The use, where it had been spent by then.
        spent: Option<Spent>,
    },
}

impl Ready {
    /// Sends the action's request with its credential, once, and reads the answer.
    ///
    /// `cancel` cuts the connection: for a revoke, a lock or an exit while the action is under way. It is looked at
    /// again before the first byte is offered to the connection, and [`Outcome::NotSent`] is the answer where that
    /// had not happened. The caller checks the permit's age right before the call.
    ///
    /// Await it to its end. Dropping the future cuts the connection as well, but then nobody is left to say what
    /// became of the action, and its end row is UNOBSERVED.
    pub async fn send(
        self,
        armed: Armed,
        released: Released,
        credential: CredentialKind,
        cancel: &CancellationToken,
    ) -> Outcome {
        let say = &words().http().unsent;
        if cancel.is_cancelled() {
            return not_sent(say.authority_ended.to_owned(), None);
        }
        let wanted = armed.permit().request().origin();
        if *wanted != self.origin {
            return not_sent((say.other_origin)(&self.origin, wanted), None);
        }
        let authorization = match credential::authorization(credential, released.secret()) {
            Ok(value) => value,
            Err(why) => return not_sent(why.to_owned(), None),
        };
        let needles = Needles::of(released.secret().expose());
        let (request, spent) = match armed.spend(&released) {
            Ok(spent) => spent,
            Err(mismatch) => return not_sent(mismatch.say(words()), None),
        };
        drop(released);
        let request = match message::build(&request, authorization) {
            Ok(request) => request,
            Err(why) => return not_sent((say.change_request)(&why), Some(spent)),
        };

        let written = Written::nothing_yet();
        let stream = Watched::new(self.stream, written.clone(), cancel.clone());
        let mut seen = Seen { head: None, body: Kept::new(needles.reach()) };
        let end = tokio::select! {
            biased;
            () = cancel.cancelled() => End::Cancelled,
            () = tokio::time::sleep(self.times.total) => End::TimeUp(self.times.total.as_secs()),
            done = exchange(stream, request, &written, self.times, &mut seen) => End::Done(done),
        };
        tell(end, seen, &written, self.times.header.as_secs(), spent, &needles)
    }
}

/// How the exchange ended.
enum End {
    Cancelled,
    TimeUp(u64),
    Done(Result<BodyEnd, Broke>),
}

/// The one place where an ended exchange becomes an outcome.
fn tell(end: End, seen: Seen, written: &Written, header_seconds: u64, spent: Spent, needles: &Needles) -> Outcome {
    let Seen { head, body } = seen;
    // What a server says before it was asked is no answer.
    let head = head.filter(|_| written.began());
    let observed = |head: (hyper::StatusCode, hyper::HeaderMap), end| assemble(head.0, &head.1, body, end, needles);
    let say = &words().http().unobserved;
    let why = match (end, head) {
        // What arrived under an authority that has ended is not handed on.
        (End::Cancelled, Some((status, _))) => (say.cut_after_status)(status.as_u16()),
        (End::Cancelled, None) => say.cut.to_owned(),
        (End::TimeUp(_), Some(head)) => return Outcome::Observed { response: observed(head, BodyEnd::CutByUs), spent },
        (End::TimeUp(seconds), None) => (say.time_up)(seconds),
        (End::Done(Ok(end)), Some(head)) => return Outcome::Observed { response: observed(head, end), spent },
        (End::Done(Err(_)), Some(head)) => {
            return Outcome::Observed { response: observed(head, BodyEnd::CutByPeer), spent };
        }
        (End::Done(Ok(_)), None) => say.ended.to_owned(),
        (End::Done(Err(Broke::Silent)), None) => (say.silent)(header_seconds),
        (End::Done(Err(Broke::Http(error))), None) => explain::exchange(&error).to_owned(),
    };
    if written.began() {
        Outcome::NotObserved { what: why, spent }
    } else {
        not_sent((words().http().unsent.nothing_written)(&why), Some(spent))
    }
}

fn not_sent(detail: String, spent: Option<Spent>) -> Outcome {
    Outcome::NotSent { evidence: NotStarted::ZeroBytes, detail, spent }
}
