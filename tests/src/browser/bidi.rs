//! WebDriver BiDi, for what WebDriver has no word for, in Firefox: a socket, and JSON both ways.

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};
use std::{net::TcpStream, time::Duration};
use tungstenite::{Message, WebSocket, client};

/// A connection to one browser.
pub struct Bidi {
    socket: WebSocket<TcpStream>,
    calls: u64,
    console: Vec<String>,
}

impl Bidi {
    /// Connects to the address that the session's capability `webSocketUrl` names, and listens to the console.
    ///
    /// # Errors
    /// Nobody answers.
    pub fn connect(address: &str) -> Result<Self> {
        let url = url::Url::parse(address)?;
        let stream =
            TcpStream::connect((url.host_str().context("no host")?, url.port().context("no port")?))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let (socket, _) = client(address, stream).context("no WebDriver BiDi")?;
        let mut bidi = Self { socket, calls: 0, console: Vec::new() };
        bidi.call("session.subscribe", &json!({ "events": ["log.entryAdded"] }))?;
        Ok(bidi)
    }

    /// A command, and its answer.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn call(&mut self, method: &str, params: &Json) -> Result<Json> {
        self.calls += 1;
        let command = json!({ "id": self.calls, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string()))?;
        loop {
            let Message::Text(text) = self.socket.read()? else { continue };
            let mut answer: Json = serde_json::from_str(&text)?;
            if answer["method"] == "log.entryAdded" {
                self.console.push(line(&answer["params"]));
            } else if answer["id"] == self.calls {
                if answer["type"] == "error" {
                    bail!("{method}: {} {}", answer["error"], answer["message"]);
                }
                return Ok(answer["result"].take());
            }
        }
    }

    /// What came on the console since the last call, in the words that chromedriver has for it.
    ///
    /// # Errors
    /// The browser does not answer.
    pub fn console(&mut self) -> Result<Vec<String>> {
        self.call("session.status", &json!({}))?; // what happened before it is told before its answer
        Ok(std::mem::take(&mut self.console))
    }
}

fn line(entry: &Json) -> String {
    let level = match entry["level"].as_str() {
        Some("error") => "SEVERE",
        Some("warn") => "WARNING",
        Some(_) | None => "INFO",
    };
    format!("\"{level}\" {}", entry["text"])
}
