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
        if cancel.is_cancelled() {
            return not_sent("its authority ended before the first byte; ask for it again".to_owned(), None);
        }
        let wanted = armed.permit().request().origin();
        if *wanted != self.origin {
            let detail = format!("the connection leads to {}, the request to {wanted}; start over", self.origin);
            return not_sent(detail, None);
        }
        let authorization = match credential::authorization(credential, released.secret()) {
            Ok(value) => value,
            Err(why) => return not_sent(why.to_owned(), None),
        };
        let needles = Needles::of(released.secret().expose());
        let Ok((request, spent)) = armed.spend(&released) else {
            return not_sent("the credential was released for another action; start over".to_owned(), None);
        };
        drop(released);
        let request = match message::build(&request, authorization) {
            Ok(request) => request,
            Err(why) => return not_sent(format!("{why}; change the request"), Some(spent)),
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
    let why = match (end, head) {
        // What arrived under an authority that has ended is not handed on.
        (End::Cancelled, Some((status, _))) => {
            format!(
                "the gateway cut the connection because the authority ended; status {} had arrived",
                status.as_u16()
            )
        }
        (End::Cancelled, None) => "the gateway cut the connection because the authority ended".to_owned(),
        (End::TimeUp(_), Some(head)) => return Outcome::Observed { response: observed(head, BodyEnd::CutByUs), spent },
        (End::TimeUp(seconds), None) => format!("the server did not answer within {seconds} s"),
        (End::Done(Ok(end)), Some(head)) => return Outcome::Observed { response: observed(head, end), spent },
        (End::Done(Err(_)), Some(head)) => {
            return Outcome::Observed { response: observed(head, BodyEnd::CutByPeer), spent };
        }
        (End::Done(Ok(_)), None) => "the exchange ended without an answer".to_owned(),
        (End::Done(Err(Broke::Silent)), None) => {
            format!("the server did not answer within {header_seconds} s after the request went out")
        }
        (End::Done(Err(Broke::Http(error))), None) => explain::exchange(&error).to_owned(),
    };
    if written.began() {
        Outcome::NotObserved { what: why, spent }
    } else {
        not_sent(format!("{why}; nothing of the request had been written"), Some(spent))
    }
}

fn not_sent(detail: String, spent: Option<Spent>) -> Outcome {
    Outcome::NotSent { evidence: NotStarted::ZeroBytes, detail, spent }
}
