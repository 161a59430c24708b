//! `MONITOR`: the server's own word on which commands it ran, those inside scripts included.

use anyhow::{Context, Result, bail};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::Duration,
};

/// How long a line that must come may need.
const PATIENCE: Duration = Duration::from_secs(30);

/// One command that the server ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `lua` for a command inside a script, else the client's address.
    pub source: String,
    /// The command and its arguments; bytes that are not UTF-8 are replaced.
    pub words: Vec<String>,
}

/// A connection that receives every command, in the order in which the server ran them.
pub struct Monitor {
    lines: BufReader<TcpStream>,
}

impl Monitor {
    /// Begins to listen to the server on this loopback port.
    ///
    /// # Errors
    /// It cannot be reached, or does not answer `OK`.
    pub fn listen(port: u16) -> Result<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).context("MONITOR")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"MONITOR\r\n")?;
        let mut lines = BufReader::new(stream);
        let mut answer = String::new();
        lines.read_line(&mut answer)?;
        if answer.trim_end() != "+OK" {
            bail!("MONITOR answered {answer:?}");
        }
        Ok(Self { lines })
    }

    /// What scripts ran between the two `ECHO`s with these texts. Both must have been sent.
    ///
    /// # Errors
    /// The connection is gone, or nothing comes for too long.
    pub fn inside_scripts(&mut self, from: &str, to: &str) -> Result<Vec<Vec<String>>> {
        self.skip_to(from)?;
        let mut ran = Vec::new();
        loop {
            let seen = parse(&self.line()?)?;
            if is_echo(&seen, to) {
                return Ok(ran);
            }
            if seen.source == "lua" {
                ran.push(seen.words);
            }
        }
    }

    /// Everything that ran until the `ECHO` with this text, whoever ran it.
    ///
    /// # Errors
    /// As above.
    pub fn until(&mut self, to: &str) -> Result<Vec<Seen>> {
        let mut all = Vec::new();
        loop {
            let seen = parse(&self.line()?)?;
            if is_echo(&seen, to) {
                return Ok(all);
            }
            all.push(seen);
        }
    }

    /// Lines before the mark are of no interest, and most are not even parsed.
    fn skip_to(&mut self, mark: &str) -> Result<()> {
        loop {
            let line = self.line()?;
            if line.contains(mark) && is_echo(&parse(&line)?, mark) {
                return Ok(());
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line).context("MONITOR says nothing more")?;
        if length == 0 {
            bail!("the server closed the MONITOR connection");
        }
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }
}

fn is_echo(seen: &Seen, text: &str) -> bool {
    matches!(seen.words.as_slice(), [command, argument] if command.eq_ignore_ascii_case("ECHO") && argument == text)
}

/// Reads `+1700000000.123456 [0 lua] "HGET" "key" "a \"field\""`.
fn parse(line: &str) -> Result<Seen> {
    let wrong = || format!("not a MONITOR line: {line}");
    let (_, rest) = line.split_once('[').with_context(wrong)?;
    let (source, rest) = rest.split_once("] ").with_context(wrong)?;
    let source = source.split_once(' ').map_or(source, |(_database, client)| client).to_owned();
    let mut bytes = rest.bytes();
    let mut words = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => words.push(quoted(&mut bytes).with_context(wrong)?),
            b' ' => {}
            _ => bail!(wrong()),
        }
    }
    Ok(Seen { source, words })
}

/// The rest of a quoted word, its closing quote included.
fn quoted(bytes: &mut impl Iterator<Item = u8>) -> Option<String> {
    let mut word = Vec::new();
    loop {
        let byte = match bytes.next()? {
            b'"' => return Some(String::from_utf8_lossy(&word).into_owned()),
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'a' => 7,
                b'b' => 8,
                b'x' => hex(bytes.next()?)? * 16 + hex(bytes.next()?)?,
                other => other,
            },
            other => other,
        };
        word.push(byte);
    }
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16)?.try_into().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test fails by panicking
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, source: &str, words: &[&str]) {
        let seen = parse(line).unwrap();
        assert_eq!((seen.source.as_str(), seen.words.as_slice()), (source, &words.map_to_strings()[..]));
    }

    trait MapToStrings {
        fn map_to_strings(&self) -> Vec<String>;
    }

    impl MapToStrings for [&str] {
        fn map_to_strings(&self) -> Vec<String> {
            self.iter().map(|word| (*word).to_owned()).collect()
        }
    }

    #[test]
    fn a_command_inside_a_script_is_told_from_one_outside() {
        check(r#"+1700000000.1 [0 lua] "DEL" "a b""#, "lua", &["DEL", "a b"]);
        check(r#"+1700000000.1 [3 127.0.0.1:5] "get" "x""#, "127.0.0.1:5", &["get", "x"]);
    }

    #[test]
    fn escapes_are_read_back() {
        check(r#"+1.1 [0 lua] "SET" "\"q\" \\ \n" "\xc3\xbc""#, "lua", &["SET", "\"q\" \\ \n", "ü"]);
        check(r#"+1.1 [0 lua] "SET" """#, "lua", &["SET", ""]);
    }

    #[test]
    fn what_is_not_a_monitor_line_is_an_error_and_not_a_silence() {
        assert!(parse("+OK").is_err());
        assert!(parse(r#"+1.1 [0 lua] "SET" "open"#).is_err());
    }
}
