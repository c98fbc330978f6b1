//! Lines that untrusted text cannot imitate.
//!
//! Headings start in the first column, labels in the third, text further right; and no line is wider than the screen,
//! so that no padding can make a terminal break a line into something that looks like one of ours.

use lychgate_core::card::visible;

/// Narrower screens get this width.
const LEAST_COLUMNS: usize = 40;
/// Where text starts beside a label.
const TEXT_COLUMN: usize = 17;
/// Where a body starts.
const BODY_MARGIN: &str = "    | ";

/// Lines under construction.
pub(crate) struct Lines {
    columns: usize,
    lines: Vec<String>,
}

impl Lines {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: columns.max(LEAST_COLUMNS), lines: Vec::new() }
    }

    /// A heading of ours, with an empty line above it unless it is the first.
    pub(crate) fn heading(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.put("", "  ", text);
    }

    /// A line of ours that begins in the first column.
    pub(crate) fn line(&mut self, text: &str) {
        self.put("", "  ", text);
    }

    /// A sentence of ours; foreign text in it has been made visible.
    pub(crate) fn sentence(&mut self, text: &str) {
        self.put("  ", "  ", text);
    }

    /// A label and words of ours beside it; foreign text in them has been made visible.
    pub(crate) fn told(&mut self, label: &str, text: &str) {
        let gap = TEXT_COLUMN.saturating_sub(2 + width(label)).max(1);
        self.put(&format!("  {label}{}", " ".repeat(gap)), &" ".repeat(TEXT_COLUMN), text);
    }

    /// A label and foreign text beside it.
    pub(crate) fn fact(&mut self, label: &str, text: &str) {
        self.told(label, &visible(text));
    }

    /// Foreign text of several lines, each behind a margin of its own.
    pub(crate) fn body(&mut self, text: &str) {
        for line in text.split('\n') {
            self.put(BODY_MARGIN, BODY_MARGIN, &visible(line));
        }
    }

    pub(crate) fn finish(self) -> Vec<String> {
        self.lines
    }

    fn put(&mut self, first: &str, following: &str, text: &str) {
        let mut line = first.to_owned();
        let mut used = width(first);
        for piece in pieces(text) {
            let wide = width(&piece);
            let blank = piece == " ";
            // A word moves to the next line where it fits; a longer one is cut at the edge.
            if used + wide > self.columns && used > width(following) && width(following) + wide <= self.columns {
                self.push(std::mem::replace(&mut line, following.to_owned()));
                used = width(following);
                if blank {
                    continue;
                }
            }
            for c in piece.chars() {
                let c_width = char_width(c);
                if used + c_width > self.columns {
                    self.push(std::mem::replace(&mut line, following.to_owned()));
                    used = width(following);
                }
                line.push(c);
                used += c_width;
            }
        }
        self.push(line);
    }

    fn push(&mut self, line: String) {
        self.lines.push(line.trim_end().to_owned());
    }
}

/// Words and single blanks, in order, nothing lost.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if c != ' ' && last != " " => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Columns that a character may take: never too few, so that no line is wider than it seems.
fn char_width(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_screen_and_no_text_reaches_the_columns_of_headings_and_labels() {
        let padded = format!("x{}What your yes covers", " ".repeat(200));
        let wide = "\u{6f22}".repeat(100);
        let mut lines = Lines::new(60);
        lines.heading("Who asks");
        lines.fact("Program", &padded);
        lines.fact("Directory", &wide);
        lines.body(&format!("{padded}\nWho asks\n{wide}"));
        let lines = lines.finish();
        assert!(lines.len() > 10);
        for line in &lines {
            assert!(width(line) <= 60, "{line}");
            let ours = line == "Who asks" || line.starts_with("  Program  ") || line.starts_with("  Directory  ");
            let theirs = line.starts_with(&" ".repeat(TEXT_COLUMN)) || line.starts_with("    |") || line.is_empty();
            assert!(ours || theirs, "{line}");
        }
    }

    #[test]
    fn words_stay_whole_where_they_fit_and_nothing_is_lost() {
        let mut lines = Lines::new(40);
        lines.sentence("one two three four five six seven eight nine ten eleven");
        assert_eq!(lines.finish(), ["  one two three four five six seven", "  eight nine ten eleven"]);
        let mut lines = Lines::new(40);
        lines.body(&"a".repeat(90));
        assert_eq!(lines.finish().iter().map(|l| l.matches('a').count()).collect::<Vec<_>>(), [34, 34, 22]);
    }
}
