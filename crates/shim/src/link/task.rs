//! The task that keeps the connection.

use super::line::{Event, Line};
use super::open::{NotOpen, Target};
use super::pace::Pace;
use super::{Ask, Open};
use crate::memory::Memory;
use crate::{ShimOptions, answers};
use lychgate_text::ShimTexts;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Offline: it tries when asked and now and then. Online: it passes on. It alternates until it is told to close.
pub(super) struct Task {
    target: Target,
    texts: &'static ShimTexts,
    inbox: mpsc::UnboundedReceiver<Ask>,
    closing: CancellationToken,
    /// Newest label, for the next registration.
    conversation: Option<String>,
    memory: Memory,
    pace: Pace,
}

impl Task {
    pub(super) fn new(
        options: &ShimOptions,
        texts: &'static ShimTexts,
        inbox: mpsc::UnboundedReceiver<Ask>,
        closing: CancellationToken,
    ) -> Self {
        let target = Target {
            socket: options.agent_socket.clone(),
            build: options.build.clone(),
            own_uid: options.own_uid,
            speaks_for_agent: options.speaks_for_agent,
            texts,
        };
        let conversation = options.conversation.clone();
        Self { target, texts, inbox, closing, conversation, memory: Memory::new(), pace: Pace::new() }
    }

    pub(super) async fn run(mut self) {
        while let Some(line) = self.offline().await {
            self.online(line).await;
        }
    }

    /// Until there is a connection. `None` when it is time to close.
    async fn offline(&mut self) -> Option<Line> {
        let closing = self.closing.clone();
        loop {
            let asked = tokio::select! {
                () = closing.cancelled() => return None,
                ask = self.inbox.recv() => match ask? {
                    Ask::Call(open) => Some(open),
                    Ask::Cancel(_) => continue, // Its call has had its answer.
                },
                () = self.pace.due() => None,
            };
            if asked.as_ref().is_some_and(|open| open.reply.is_closed()) {
                continue;
            }
            if let Some(label) = asked.as_ref().and_then(|open| open.conversation.as_ref()) {
                self.conversation = Some(label.clone());
            }
            let opening = self.target.open(self.conversation.clone(), self.memory.previous());
            let opened = tokio::select! {
                () = closing.cancelled() => return None,
                opened = opening => opened,
            };
            match opened {
                Ok(opened) => {
                    self.memory.registered(opened.run, opened.boot);
                    self.pace.connected();
                    let mut line = Line::new(opened);
                    if let Some(open) = asked.filter(|open| !open.reply.is_closed()) {
                        line.send(open);
                    }
                    return Some(line);
                }
                Err(why) => self.not_open(&why, asked),
            }
        }
    }

    /// Answers the call that asked, and those that came meanwhile: they would only fail one after the other.
    fn not_open(&mut self, why: &NotOpen, asked: Option<Box<Open>>) {
        if let NotOpen::Refused(answer) = why {
            // The receipt of a refusal counts like any other.
            self.memory.answered(None, answer);
        }
        match why {
            NotOpen::Refused(_) | NotOpen::OtherBuild { .. } => self.pace.when_asked(),
            NotOpen::NoGateway | NotOpen::UnsafeDirectory { .. } | NotOpen::WrongServer { .. } | NotOpen::Broken(_) => {
                self.pace.later();
            }
        }
        let Some(asked) = asked else { return };
        let _ = asked.reply.send(answers::not_open(why, self.texts));
        while let Ok(ask) = self.inbox.try_recv() {
            if let Ask::Call(open) = ask {
                let _ = open.reply.send(answers::not_open(why, self.texts));
            }
        }
    }

    /// Until the connection ends.
    async fn online(&mut self, mut line: Line) {
        let closing = self.closing.clone();
        let read_to_end = loop {
            tokio::select! {
                () = closing.cancelled() => return,
                ask = self.inbox.recv() => match ask {
                    Some(Ask::Call(open)) if open.reply.is_closed() => {}
                    Some(Ask::Call(open)) => {
                        if open.conversation.is_some() {
                            self.conversation.clone_from(&open.conversation);
                        }
                        line.send(open);
                    }
                    Some(Ask::Cancel(id)) => line.cancel(id),
                    None => return,
                },
                event = line.event() => match event {
                    Event::Message(message) => {
                        if !line.take(*message, &mut self.memory) {
                            break false;
                        }
                    }
                    Event::Ended { read_to_end } => break read_to_end,
                },
            }
        };
        line.end(read_to_end, &mut self.memory, self.texts);
        self.pace.later();
    }
}
