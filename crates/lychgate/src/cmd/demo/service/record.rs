//! What arrived, one line of JSON for each request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::http::request::Parts;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The record.
pub(super) struct Records(Mutex<File>);

impl Records {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        private().append(true).create(true).open(path).map(|file| Self(Mutex::new(file)))
    }

    /// Written when this returns: one write, so a reader sees whole lines.
    pub(super) fn add(&self, head: &Parts, body: &[u8]) -> io::Result<()> {
        let mut line = line(head, body).to_string();
        line.push('\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.flush()
    }
}

fn line(head: &Parts, body: &[u8]) -> Value {
    // A list of pairs: a header that came twice must show twice.
    let headers: Vec<(String, String)> = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let mut line = json!({
        "time": u64::try_from(time).unwrap_or(u64::MAX),
        "method": head.method.as_str(),
        "path": head.uri.path_and_query().map_or("/", |path| path.as_str()),
        "headers": headers,
    });
    let (name, text) = match std::str::from_utf8(body) {
        Ok(text) => ("body", text.to_owned()),
        Err(_) => ("body_base64", STANDARD.encode(body)),
    };
    if let Value::Object(fields) = &mut line {
        fields.insert(name.to_owned(), text.into());
    }
    line
}

/// A file that must not exist yet.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// A file that appears whole.
pub(super) fn publish(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = dir.join(format!("{name}.new"));
    write_new(&unfinished, bytes)?;
    std::fs::rename(unfinished, dir.join(name))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}
