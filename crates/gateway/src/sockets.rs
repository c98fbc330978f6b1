//! The two sockets: made once, each connection served by a task of its own.

use crate::error::GatewayError;
use crate::state::Gateway;
use lychgate_text::GatewayStep;
use lychgate_wire::transport;
use std::future::Future;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;

/// How long to wait where no descriptor is left: those that are open must close first.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(50);

/// Listens at `path`. The vault's lock is ours, so whoever made a socket that stands there is gone.
pub(crate) fn listen(path: &Path) -> Result<UnixListener, GatewayError> {
    let io = |step| move |error| GatewayError::Io { step, path: path.to_owned(), error };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(GatewayStep::OldSocket)(error)),
        Ok(()) | Err(_) => {}
    }
    transport::listen(path).map_err(io(GatewayStep::Listening))
}

/// What becomes of a connection.
pub(crate) enum Taken {
    /// It is served, beside all others.
    Served(Pin<Box<dyn Future<Output = ()> + Send>>),
    /// It is only told no. That is done before the next one is taken, so that those who are refused never pile up.
    TurnedAway(Pin<Box<dyn Future<Output = ()> + Send>>),
}

/// How long somebody who is turned away may take to be told so.
const TOLD: Duration = Duration::from_millis(100);

/// Serves connections until the gateway stops.
pub(crate) async fn serve(
    gateway: Arc<Gateway>,
    listener: UnixListener,
    connection: fn(Arc<Gateway>, OwnedFd) -> Taken,
) {
    loop {
        let accepted = tokio::select! {
            () = gateway.stop.cancelled() => return,
            accepted = transport::accept(&listener) => accepted,
        };
        match accepted.map(|socket| connection(Arc::clone(&gateway), socket)) {
            Ok(Taken::Served(served)) => {
                tokio::spawn(served);
            }
            Ok(Taken::TurnedAway(told)) => {
                let _ = tokio::time::timeout(TOLD, told).await;
            }
            Err(_) => tokio::time::sleep(OUT_OF_DESCRIPTORS).await,
        }
    }
}
