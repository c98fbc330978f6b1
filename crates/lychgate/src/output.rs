//! The one place where text leaves to standard output and standard error.

use lychgate_core::card::visible;
use serde::Serialize;
use std::io::{self, Write};

/// Columns assumed where standard output is no terminal.
const COLUMNS: usize = 100;

/// Prints a line. A reader that has left (`lych runs | head`) is no failure.
pub(crate) fn line(text: &str) {
    write(&mut io::stdout().lock(), text, "\n");
}

/// Prints lines.
pub(crate) fn lines<T: AsRef<str>>(all: &[T]) {
    for one in all {
        line(one.as_ref());
    }
}

/// Prints without ending the line, for prompts.
pub(crate) fn prompt(text: &str) {
    write(&mut io::stdout().lock(), text, "");
}

/// Prints to standard error, behind the program's name.
pub(crate) fn error(text: &str) {
    write(&mut io::stderr().lock(), &format!("lych: {text}"), "\n");
}

/// Prints a value as JSON on one line.
pub(crate) fn json<T: Serialize>(value: &T) {
    // Our own types always have a JSON form.
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    line(&escaped(&text));
}

/// Width of the screen in columns.
pub(crate) fn columns() -> usize {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => COLUMNS,
    }
}

/// Escapes what could hide or reorder text on a screen; the JSON means the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if c.is_ascii() || visible(c.encode_utf8(&mut [0; 4])).chars().eq([c]) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

fn write(to: &mut dyn Write, text: &str, end: &str) {
    // Nothing can be told to a reader that is gone, and the command's work is done either way.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.write_all(end.as_bytes())).and_then(|()| to.flush());
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn json_on_a_screen_can_hide_nothing_and_still_means_the_same() {
        let value = serde_json::json!({"url": "a\u{202e}b\u{e0041}c\u{200b}", "name": "हिन्दी"});
        let text = escaped(&value.to_string());
        assert!(text.contains("a\\u202eb\\udb40\\udc41c\\u200b") && text.contains("हिन्दी"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(value));
    }
}
