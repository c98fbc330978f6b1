//! A client that asks for itself: `lych call`. The same link as the shim's, without MCP around it.

use crate::answers;
use crate::link::Link;
use crate::{ShimError, ShimOptions};
use lychgate_core::limits;
use lychgate_text::{ShimTexts, words};
use lychgate_wire::agent::{Answer, Call};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// One connection to the gateway, for the calls of one command. Dropped: it ends, and with it whatever waits.
pub struct Caller {
    link: Link,
    texts: &'static ShimTexts,
    _closing: tokio_util::sync::DropGuard,
}

impl Caller {
    /// Connects in the background, within a tokio runtime: that no gateway answers is what a call says.
    ///
    /// # Errors
    /// [`ShimError::Conversation`].
    pub fn new(options: &ShimOptions) -> Result<Self, ShimError> {
        if let Some(label) = options.conversation.as_ref().filter(|label| label.len() > limits::CONVERSATION_BYTES) {
            return Err(ShimError::Conversation(label.len()));
        }
        let (texts, closing) = (words().shim(), CancellationToken::new());
        let link = Link::start(options, texts, closing.clone());
        Ok(Self { link, texts, _closing: closing.drop_guard() })
    }

    /// Makes a call and waits for its answer. There always is one.
    pub async fn call(&self, call: Call) -> Answer {
        let (progress, _) = watch::channel(String::new());
        self.link.call(call, None, progress, &CancellationToken::new()).await
    }

    /// An answer as text: outcome, what changed, what to do next.
    #[must_use]
    pub fn in_words(&self, answer: &Answer) -> String {
        answers::text(answer, self.texts)
    }

    /// An answer in the one shape of all results.
    #[must_use]
    pub fn as_json(answer: &Answer) -> serde_json::Value {
        answers::shape(answer).into()
    }
}
