//! `lych demo-service`: somebody's API. It records each request before it answers, so that the record, and not an
//! answer, says what arrived. Its help has its interface.

mod answers;
mod certificate;
mod record;

use super::parent;
use crate::cli::help;
use crate::cmd::Context;
use crate::trouble::{Exit, Outcome, Trouble};
use clap::Args;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use lychgate_text::Attempt;
use record::Records;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::TlsAcceptor;

/// What says that the service is ready, and where.
pub(super) const SERVICE_FILE: &str = "service.json";
/// What it received.
pub(super) const REQUESTS_FILE: &str = "requests.jsonl";
/// Certificate of the authority that signed the service's.
const CA_FILE: &str = "ca.pem";

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    #[arg(long, value_name = "DIR", help = help().others.demo_service_dir)]
    dir: PathBuf,
}

pub(crate) fn run(context: &Context, args: &ServiceArgs) -> Outcome {
    let failed = |error: io::Error| Trouble::system(context.say, Attempt::Serving, &error);
    let dir = std::path::absolute(&args.dir).map_err(failed)?;
    drop(
        lychgate_seal::durable::private_dir(&dir)
            .map_err(|refused| Trouble::system(context.say, Attempt::Serving, &refused))?,
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let mut term = signal(SignalKind::terminate()).map_err(failed)?;
        tokio::select! {
            served = serve(&dir) => served.map_err(failed),
            _ = term.recv() => Ok(()),
            () = parent::ended() => Ok(()),
        }
    })?;
    Ok::<_, Trouble>(Exit::Done)
}

async fn serve(dir: &Path) -> io::Result<()> {
    let identity = certificate::Identity::new()?;
    let ca_pem = dir.join(CA_FILE);
    record::write_new(&ca_pem, identity.ca_pem.as_bytes())?;
    let acceptor = TlsAcceptor::from(Arc::new(identity.config));
    let records = Arc::new(Records::open(&dir.join(REQUESTS_FILE))?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let ready = serde_json::json!({ "port": listener.local_addr()?.port(), "ca_pem": ca_pem });
    record::publish(dir, SERVICE_FILE, ready.to_string().as_bytes())?;
    loop {
        let (connection, _) = listener.accept().await?;
        tokio::spawn(converse(connection, acceptor.clone(), Arc::clone(&records)));
    }
}

/// One request, one answer, or none. What goes wrong with a connection is the client's to notice.
async fn converse(connection: TcpStream, acceptor: TlsAcceptor, records: Arc<Records>) {
    let Ok(tls) = acceptor.accept(connection).await else { return };
    let answer = service_fn(move |request| {
        let records = Arc::clone(&records);
        async move { answers::answer(request, &records).await }
    });
    let _ = http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(tls), answer).await;
}
