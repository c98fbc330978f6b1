//! The one place where text leaves to standard output and standard error.

use lychgate_core::card::visible;
use serde::Serialize;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Columns assumed where standard output is no terminal.
const COLUMNS: usize = 100;

/// Prints a line. A reader that has left (`lych runs | head`) is no failure.
pub(crate) fn line(text: &str) {
    write(&mut io::stdout().lock(), text, "\n");
}

/// Prints sentences, broken between words where a screen shows them.
pub(crate) fn prose(text: &str) {
    line(&wrapped(text, screen(io::stdout())));
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
    let text = wrapped(&format!("lych: {text}"), screen(io::stderr()));
    write(&mut io::stderr().lock(), &text, "\n");
}

/// Prints a value as JSON on one line.
pub(crate) fn json<T: Serialize>(value: &T) {
    // Our own types always have a JSON form.
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    line(&escaped(&text));
}

/// Width of the screen in columns.
pub(crate) fn columns() -> usize {
    screen(io::stdout()).unwrap_or(COLUMNS)
}

/// Width in columns, where it is a screen that knows its own.
fn screen(of: impl AsFd) -> Option<usize> {
    rustix::termios::tcgetwinsize(of).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Breaks lines at blanks only: what is longer, such as a key or a path, stays whole so that it can be copied.
fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    text.split('\n').map(|line| wrapped_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, columns: usize) -> String {
    let words = line.trim_start_matches(' ');
    let indent = " ".repeat(line.len() - words.len());
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    let (mut out, mut used) = (indent.clone(), indent.len());
    for (place, word) in words.split(' ').enumerate() {
        let wide = word.chars().count();
        if place > 0 && used + 1 + wide > columns {
            out.push('\n');
            out.push_str(&indent);
            used = indent.len();
        } else if place > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out
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
    use super::{escaped, wrapped};

    #[test]
    fn json_on_a_screen_can_hide_nothing_and_still_means_the_same() {
        let value = serde_json::json!({"url": "a\u{202e}b\u{e0041}c\u{200b}", "name": "हिन्दी"});
        let text = escaped(&value.to_string());
        assert!(text.contains("a\\u202eb\\udb40\\udc41c\\u200b") && text.contains("हिन्दी"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(value));
    }

    #[test]
    fn sentences_break_between_words_and_what_is_longer_stays_whole() {
        let text = "one two three four\n  five six seven\nshort\n  a-word-that-is-longer x";
        let broken = "one two\nthree four\n  five six\n  seven\nshort\n  a-word-that-is-longer\n  x";
        assert_eq!(wrapped(text, Some(10)), broken);
        assert_eq!(wrapped(text, None), text);
    }
}
