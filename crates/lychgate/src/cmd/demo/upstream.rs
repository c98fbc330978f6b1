//! The service, as the demo holds it: a process, and its own record of what it received.

use super::failure;
use super::place::Place;
use super::process::{Lych, Program, log};
use super::service::{REQUESTS_FILE, SERVICE_FILE};
use crate::trouble::Trouble;
use lychgate_text::{Attempt, Catalogue, DemoFailure};
use serde::Deserialize;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Between two looks for its file.
const LOOK: Duration = Duration::from_millis(20);
/// Looks until it must be ready.
const LOOKS: usize = 500;

/// A running service.
pub(super) struct Service {
    say: &'static dyn Catalogue,
    program: Program,
    address: Address,
    requests: PathBuf,
}

#[derive(Deserialize)]
struct Address {
    port: u16,
    ca_pem: String,
}

/// One request as it arrived.
#[derive(Deserialize)]
pub(super) struct Arrived {
    pub(super) path: String,
    headers: Vec<(String, String)>,
}

impl Arrived {
    /// How often `Authorization: Bearer` with this credential stands in it.
    pub(super) fn bearers(&self, bearer: &str) -> usize {
        let wanted = format!("Bearer {bearer}");
        self.headers.iter().filter(|(name, value)| name == "authorization" && *value == wanted).count()
    }
}

impl Service {
    /// Starts it; it serves when this returns.
    pub(super) async fn start(say: &'static dyn Catalogue, place: &Place, lych: &Lych) -> Result<Self, Trouble> {
        let failed = |error: io::Error| Trouble::system(say, Attempt::StartingService, &error);
        let dir = place.service();
        let mut command: Command = lych.command(&["demo-service", "--dir"]);
        command.arg(&dir).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(log(&place.log("service")).map_err(failed)?);
        let mut program = Program::start(&mut command).map_err(failed)?;
        for _ in 0..LOOKS {
            if let Ok(text) = std::fs::read(dir.join(SERVICE_FILE)) {
                let address = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
                return Ok(Self { say, program, address, requests: dir.join(REQUESTS_FILE) });
            }
            if program.child().try_wait().map_err(failed)?.is_some() {
                let said = std::fs::read_to_string(place.log("service")).unwrap_or_default();
                return Err(failed(io::Error::other(said)));
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(failure(say, &DemoFailure::TooLong { what: Attempt::StartingService }))
    }

    pub(super) fn pid(&self) -> u32 {
        self.program.pid()
    }

    /// `https://127.0.0.1:PORT`.
    pub(super) fn origin(&self) -> String {
        format!("https://127.0.0.1:{}", self.address.port)
    }

    pub(super) fn ca_pem(&self) -> &str {
        &self.address.ca_pem
    }

    /// Everything that arrived up to now.
    pub(super) fn arrived(&self) -> Result<Vec<Arrived>, Trouble> {
        let failed = |error: &dyn std::fmt::Display| Trouble::system(self.say, Attempt::ReadingRecord, error);
        let text = std::fs::read_to_string(&self.requests).map_err(|error| failed(&error))?;
        text.lines().map(|line| serde_json::from_str(line).map_err(|error| failed(&error))).collect()
    }
}
