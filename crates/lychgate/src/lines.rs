//! Secret lines from standard input, read without leaving copies in a buffer of the standard library.

use std::io;
use zeroize::Zeroizing;

/// The longest line, in bytes. A credential can be long; a whole file given by mistake should end early.
const MOST_BYTES: usize = 64 * 1024;

/// Why there is no line.
#[derive(Debug)]
pub(crate) enum NoLine {
    /// Input ended.
    Ended,
    /// Too long, or not UTF-8.
    Malformed,
    /// Reading failed.
    Io(io::Error),
}

/// The next line of standard input without its end, wiped when dropped. Reads no byte beyond it.
pub(crate) fn next_line() -> Result<Zeroizing<String>, NoLine> {
    let stdin = io::stdin();
    read_line(|byte| {
        loop {
            match rustix::io::read(&stdin, &mut *byte) {
                Err(rustix::io::Errno::INTR) => {}
                done => return done.map_err(Into::into),
            }
        }
    })
}

fn read_line(mut read: impl FnMut(&mut [u8; 1]) -> io::Result<usize>) -> Result<Zeroizing<String>, NoLine> {
    // Never grows beyond its capacity, so no copy is left behind by a reallocation.
    let mut line = Zeroizing::new(Vec::with_capacity(MOST_BYTES));
    let mut byte = [0];
    loop {
        match read(&mut byte).map_err(NoLine::Io)? {
            0 if line.is_empty() => return Err(NoLine::Ended),
            0 => break,
            _ if byte == *b"\n" => break,
            _ if line.len() == MOST_BYTES => return Err(NoLine::Malformed),
            _ => line.extend_from_slice(&byte),
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    let text = std::str::from_utf8(&line).map_err(|_| NoLine::Malformed)?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::io::Read;

    #[test]
    fn lines_come_one_by_one_and_their_ends_do_not_count() {
        let mut input: &[u8] = b"one\r\n\ntwo words\nlast";
        let mut next = || read_line(|byte| input.read(byte)).map(|line| line.to_string());
        assert_eq!(next().unwrap(), "one");
        assert_eq!(next().unwrap(), "");
        assert_eq!(next().unwrap(), "two words");
        assert_eq!(next().unwrap(), "last");
        assert!(matches!(next(), Err(NoLine::Ended)));
    }

    #[test]
    fn a_line_that_is_too_long_or_no_text_is_refused_and_not_cut() {
        let long = vec![b'x'; MOST_BYTES + 1];
        let mut input = long.as_slice();
        assert!(matches!(read_line(|byte| input.read(byte)), Err(NoLine::Malformed)));
        let mut input: &[u8] = b"\xff\n";
        assert!(matches!(read_line(|byte| input.read(byte)), Err(NoLine::Malformed)));
    }
}
