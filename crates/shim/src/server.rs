//! The MCP side: what the client asks, and what it hears.

use crate::link::Link;
use crate::{ShimOptions, answers, clients, tools};
use lychgate_core::ids::Ref;
use lychgate_text::{ShimTexts, fill};
use lychgate_wire::agent::Answer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use std::time::Duration;
use tokio::sync::watch;

/// Between two signs of life of a call that waits.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Our MCP server. Names and descriptions are all here without a gateway; only calls need one.
pub(crate) struct Shim {
    options: ShimOptions,
    link: Link,
    texts: &'static ShimTexts,
}

impl Shim {
    pub(crate) fn new(options: ShimOptions, link: Link, texts: &'static ShimTexts) -> Self {
        Self { options, link, texts }
    }

    async fn answer(
        &self,
        tool: &tools::Definition,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let client = context.client_info().map(|client| client.name);
        let option = self.options.conversation.as_deref();
        let conversation = match clients::conversation(&context.meta, client.as_deref(), option) {
            Ok(conversation) => conversation,
            Err(clients::TooLong(size)) => return Ok(answers::long_conversation(size, self.texts)),
        };
        let client_ref = random_ref(self.texts)?;
        let call = match tool.call(request.arguments.unwrap_or_default(), client_ref, self.texts) {
            Ok(call) => call,
            Err(wrong) => return Ok(answers::invalid(wrong.0, self.texts)),
        };
        let (progress, heard) = watch::channel(self.texts.waiting.to_owned());
        let answer = self.link.call(call, conversation, progress, &context.ct);
        let Some(token) = context.meta.get_progress_token() else { return Ok(answer.await) };
        tokio::select! {
            answer = answer => Ok(answer),
            never = report(&context.peer, token, heard) => match never {},
        }
    }
}

impl ServerHandler for Shim {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("lychgate", self.options.build.as_str()))
            .with_instructions(self.texts.instructions)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.texts)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            let name: String = request.name.chars().take(80).collect();
            return Err(ErrorData::invalid_params(fill(self.texts.unknown_tool, &[("name", &name)]), None));
        };
        let answer = self.answer(tool, request, &context).await?;
        Ok(answers::shown(&answer, self.texts).into())
    }
}

/// Tells the client now and then that the call lives, with what the gateway said of it last.
async fn report(peer: &Peer<RoleServer>, token: ProgressToken, mut heard: watch::Receiver<String>) -> Never {
    let mut step = 0.0;
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + SIGN_OF_LIFE, SIGN_OF_LIFE);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            changed = heard.changed() => if changed.is_err() {
                // The answer is on its way; nothing more is heard here.
                std::future::pending::<()>().await;
            },
        }
        step += 1.0;
        let text = heard.borrow_and_update().clone();
        let progress = ProgressNotificationParam::new(token.clone(), step).with_message(text);
        // A client that does not take it does not have to.
        let _ = peer.notify_progress(progress).await;
    }
}

/// Has no value: [`report`] does not end by itself.
enum Never {}

/// Names an attempt before anything is sent, so that there is something to ask for whatever happens.
fn random_ref(texts: &ShimTexts) -> Result<Ref, ErrorData> {
    let mut bytes = [0; 16];
    let mut rest = bytes.as_mut_slice();
    while !rest.is_empty() {
        match rustix::rand::getrandom(&mut *rest, rustix::rand::GetRandomFlags::empty()) {
            Ok(got) => rest = rest.get_mut(got..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                let text = fill(texts.no_randomness, &[("why", &error.to_string())]);
                return Err(ErrorData::internal_error(text, None));
            }
        }
    }
    Ok(Ref(bytes))
}
