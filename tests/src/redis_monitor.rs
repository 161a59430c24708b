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
    /// The server's clock: milliseconds since 1970.
    pub at_ms: u64,
    /// `lua` for a command inside a script, else the client's address.
    pub source: String,
    /// The command and its arguments, byte by byte.
    pub raw: Vec<Vec<u8>>,
}

impl Seen {
    /// The command and its arguments as texts; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.raw.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    fn is_echo(&self, text: &str) -> bool {
        let [command, argument] = self.raw.as_slice() else { return false };
        command.eq_ignore_ascii_case(b"ECHO") && argument == text.as_bytes()
    }
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
            if seen.is_echo(to) {
                return Ok(ran);
            }
            if seen.source == "lua" {
                ran.push(seen.words());
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
            if seen.is_echo(to) {
                return Ok(all);
            }
            all.push(seen);
        }
    }

    /// Lines before the mark are of no interest, and most are not even parsed.
    fn skip_to(&mut self, mark: &str) -> Result<()> {
        loop {
            let line = self.line()?;
            if line.contains(mark) && parse(&line)?.is_echo(mark) {
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

/// Reads `+1700000000.123456 [0 lua] "HGET" "key" "a \"field\""`.
fn parse(line: &str) -> Result<Seen> {
    let wrong = || format!("not a MONITOR line: {line}");
    let (time, rest) = line.split_once('[').with_context(wrong)?;
    let (source, rest) = rest.split_once("] ").with_context(wrong)?;
    let source = source.split_once(' ').map_or(source, |(_database, client)| client).to_owned();
    let mut bytes = rest.bytes();
    let mut raw = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => raw.push(quoted(&mut bytes).with_context(wrong)?),
            b' ' => {}
            _ => bail!(wrong()),
        }
    }
    Ok(Seen { at_ms: millis(time).with_context(wrong)?, source, raw })
}

/// The rest of a quoted word, its closing quote included.
fn quoted(bytes: &mut impl Iterator<Item = u8>) -> Option<Vec<u8>> {
    let mut word = Vec::new();
    loop {
        let byte = match bytes.next()? {
            b'"' => return Some(word),
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

/// `+1700000000.123456 ` -> 1700000000123
fn millis(time: &str) -> Option<u64> {
    let (seconds, micros) = time.trim().strip_prefix('+')?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()? * 1_000 + micros.parse::<u64>().ok()? / 1_000)
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
        assert_eq!((seen.at_ms, seen.source.as_str()), (1_700_000_000_123, source));
        assert_eq!(seen.words(), words);
    }

    #[test]
    fn a_command_inside_a_script_is_told_from_one_outside() {
        check(r#"+1700000000.123456 [0 lua] "DEL" "a b""#, "lua", &["DEL", "a b"]);
        check(r#"+1700000000.123456 [3 127.0.0.1:5] "get" "x""#, "127.0.0.1:5", &["get", "x"]);
    }

    #[test]
    fn escapes_are_read_back() {
        check(
            r#"+1700000000.123456 [0 lua] "SET" "\"q\" \\ \n" "\xc3\xbc""#,
            "lua",
            &["SET", "\"q\" \\ \n", "ü"],
        );
        check(r#"+1700000000.123456 [0 lua] "SET" """#, "lua", &["SET", ""]);
    }

    #[test]
    fn what_is_not_a_monitor_line_is_an_error_and_not_a_silence() {
        assert!(parse("+OK").is_err());
        assert!(parse(r#"+1.1 [0 lua] "SET" "open"#).is_err());
    }
}
