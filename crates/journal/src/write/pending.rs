//! The answer that a row is durable, later. A future, and a thing that a thread can wait for.

use crate::error::JournalError;
use lychgate_core::proof::JournalAck;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

type Answer = Result<JournalAck, JournalError>;

/// A row that was handed to the writer. Dropping it gives up the answer, not the row.
#[must_use = "nothing that needs the row may happen before this says that it is durable"]
pub struct Pending {
    shared: Arc<Shared>,
}

/// The writer's side. Dropped without an answer it answers [`JournalError::Closed`].
pub(crate) struct Promise {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    answered: Condvar,
}

struct State {
    answer: Option<Answer>,
    done: bool,
    waker: Option<Waker>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing is done under this lock that can leave the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pair that belongs together.
pub(crate) fn pair() -> (Promise, Pending) {
    let state = State { answer: None, done: false, waker: None };
    let shared = Arc::new(Shared { state: Mutex::new(state), answered: Condvar::new() });
    (Promise { shared: Arc::clone(&shared) }, Pending { shared })
}

impl Promise {
    pub(crate) fn resolve(self, answer: Answer) {
        self.set(answer);
    }

    fn set(&self, answer: Answer) {
        let waker = {
            let mut state = self.shared.lock();
            if state.done {
                return;
            }
            state.done = true;
            state.answer = Some(answer);
            state.waker.take()
        };
        self.shared.answered.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.set(Err(JournalError::Closed));
    }
}

impl Pending {
    /// Blocks until the answer is there. Not for async code.
    ///
    /// # Errors
    /// [`JournalError`]: the row must be taken as not written, or where it says so as UNKNOWN.
    pub fn wait(self) -> Answer {
        let mut state = self.shared.lock();
        loop {
            if let Some(answer) = state.answer.take() {
                return answer;
            }
            state = self.shared.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Pending {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut state = self.shared.lock();
        match state.answer.take() {
            Some(answer) => Poll::Ready(answer),
            // Polled again after it was ready: there is no second answer.
            None if state.done => Poll::Ready(Err(JournalError::Closed)),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pending(..)")
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::task::Wake;

    struct Flag(Mutex<bool>);

    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            *self.0.lock().unwrap() = true;
        }
    }

    #[test]
    fn a_promise_that_is_dropped_answers_closed() {
        let (promise, pending) = pair();
        drop(promise);
        assert_eq!(pending.wait(), Err(JournalError::Closed));
    }

    #[test]
    fn a_waiting_task_is_woken_by_the_answer() {
        let (promise, mut pending) = pair();
        let flag = Arc::new(Flag(Mutex::new(false)));
        let waker = Waker::from(Arc::clone(&flag));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut pending).poll(&mut context).is_pending());
        promise.resolve(Err(JournalError::TooLarge));
        assert!(*flag.0.lock().unwrap());
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Ready(Err(JournalError::TooLarge)));
    }

    #[test]
    fn a_waiting_thread_gets_the_answer() {
        let (promise, pending) = pair();
        let waiting = std::thread::spawn(move || pending.wait());
        promise.resolve(Err(JournalError::Random));
        assert_eq!(waiting.join().unwrap(), Err(JournalError::Random));
    }
}
