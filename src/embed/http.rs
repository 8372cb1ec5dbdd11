//! One request to a server that embeds: with a time-out, patience with a busy server, and a limit on its answer.
//!
//! It follows no redirect, so that a key goes nowhere but where it was meant to, and reads no proxy from the
//! environment. What the answer means is for the providers to say.

use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderMap, Response, header};
use ureq::{Agent, Body, Timeout};

use super::error::{Error, Result};
use super::key::Key;

/// How often a request is sent again.
const RETRIES: u32 = 2;
/// The longest wait before that, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest wait for a connection.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);
/// The largest answer: fifty vectors of four thousand numbers take a quarter of it.
const LARGEST_ANSWER: u64 = 32 << 20;
/// The largest answer that is looked at for a reason.
const LARGEST_REASON: u64 = 64 << 10;

/// What asks one server.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    key: Option<Key>,
    /// The wait before the first repetition.
    pause: Duration,
}

/// A request that failed, and whether it may be sent again.
struct Failure {
    error: Error,
    again: Again,
}

enum Again {
    Never,
    Soon,
    After(Duration),
}

impl Client {
    /// A client that sends this key with every request.
    pub(super) fn new(key: Option<Key>, pause: Duration) -> Self {
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("cm/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), key, pause }
    }

    /// Posts a document and gives the body of the answer.
    pub(super) fn post(&self, url: &str, document: &Value, timeout: Duration) -> Result<Vec<u8>> {
        let body = document.to_string();
        let mut pause = self.pause;
        for _ in 0..RETRIES {
            let failure = match self.once(url, &body, timeout) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match failure.again {
                Again::Never => return Err(failure.error),
                Again::Soon => thread::sleep(pause),
                Again::After(wait) => thread::sleep(wait.min(LONGEST_WAIT)),
            }
            pause *= 4;
        }
        self.once(url, &body, timeout).map_err(|failure| failure.error)
    }

    fn once(&self, url: &str, body: &str, timeout: Duration) -> std::result::Result<Vec<u8>, Failure> {
        let mut request = self.agent.post(url).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            let why = "the key holds characters that cannot be sent";
            let bearer = key.bearer().ok_or_else(|| never(Error::Key { url: url.to_owned(), why }))?;
            request = request.header(header::AUTHORIZATION, bearer);
        }
        let request = request
            .config()
            .timeout_global(Some(timeout))
            .timeout_connect(Some(timeout.min(LONGEST_CONNECT)))
            .build();
        let mut response = request.send(body).map_err(|error| failed(url, timeout, error))?;
        if !response.status().is_success() {
            return Err(self.refused(url, response));
        }
        let reader = response.body_mut().with_config().limit(LARGEST_ANSWER);
        reader.read_to_vec().map_err(|error| failed(url, timeout, error))
    }

    fn refused(&self, url: &str, mut response: Response<Body>) -> Failure {
        let status = response.status();
        let mut message = if status.is_redirection() {
            let target = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            format!("it sends us on to {}, and no redirect is followed", target.unwrap_or("elsewhere"))
        } else {
            let body = response.body_mut().with_config().limit(LARGEST_REASON).read_to_vec();
            reason(&body.unwrap_or_default()).unwrap_or_default()
        };
        if let Some(key) = &self.key {
            message = key.taken_out_of(&message);
        }
        let again = match retry_after(response.headers()) {
            _ if status.as_u16() != 429 && !status.is_server_error() => Again::Never,
            Some(wait) => Again::After(wait),
            None => Again::Soon,
        };
        let (url, status, message) = (url.to_owned(), status.as_u16(), shortened(&message));
        Failure { error: Error::Refused { url, status, message, hint: None }, again }
    }
}

fn never(error: Error) -> Failure {
    Failure { error, again: Again::Never }
}

/// What a failure to ask, or to hear the answer out, means.
fn failed(url: &str, timeout: Duration, error: ureq::Error) -> Failure {
    let url = url.to_owned();
    let out = |cause: String, again| Failure { error: Error::OutOfReach { url: url.clone(), cause }, again };
    match error {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
            out(format!("no connection within {:?}", timeout.min(LONGEST_CONNECT)), Again::Soon)
        }
        ureq::Error::Timeout(_) => out(format!("no answer within {timeout:?}"), Again::Never),
        ureq::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused => out("nothing listens there".to_owned(), Again::Never),
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => out("the connection broke off".to_owned(), Again::Soon),
            _ => out(error.to_string(), Again::Never),
        },
        ureq::Error::HostNotFound => out("there is no such host".to_owned(), Again::Never),
        ureq::Error::BodyExceedsLimit(limit) => {
            never(Error::Malformed { url, why: format!("more than {} MiB", limit >> 20) })
        }
        ureq::Error::Protocol(error) => never(Error::Malformed { url, why: error.to_string() }),
        other => out(other.to_string(), Again::Never),
    }
}

/// How long the server asks to be left alone. A date is counted from the server's own.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let asked = text(header::RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text: &str| chrono::DateTime::parse_from_rfc2822(text).ok();
    (date(asked)? - date(text(header::DATE)?)?).to_std().ok()
}

/// What a server says in the body of an error: the message in its JSON, else its text.
pub(super) fn reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let said = match serde_json::from_str::<Value>(&text) {
        Ok(document) => {
            let error = document.get("error");
            let nested = error.and_then(|error| error.get("message"));
            let places = [nested, error, document.get("message"), document.get("detail")];
            places.into_iter().flatten().find_map(Value::as_str)?.to_owned()
        }
        Err(_) => text.into_owned(),
    };
    (!said.trim().is_empty()).then_some(said)
}

/// One short line of a foreign text, without anything that moves a terminal's cursor.
pub(super) fn shortened(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_ask_for_a_wait_in_seconds_or_until_a_date() {
        let headers = |pairs: &[(header::HeaderName, &'static str)]| {
            pairs
                .iter()
                .map(|(name, value)| (name.clone(), header::HeaderValue::from_static(value)))
                .collect()
        };
        let wait = |pairs: &[_]| retry_after(&headers(pairs));
        assert_eq!(wait(&[(header::RETRY_AFTER, "7")]), Some(Duration::from_secs(7)));
        let date = (header::DATE, "Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(
            wait(&[(header::RETRY_AFTER, "Wed, 21 Oct 2026 07:28:09 GMT"), date.clone()]),
            Some(Duration::from_secs(9))
        );
        assert_eq!(wait(&[(header::RETRY_AFTER, "Wed, 21 Oct 2026 07:27:00 GMT"), date]), None);
        assert_eq!(wait(&[(header::RETRY_AFTER, "soon")]), None);
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn what_a_server_says_is_one_short_line() {
        let said = |body: &str| reason(body.as_bytes()).map(|text| shortened(&text));
        assert_eq!(said(r#"{"error":{"message":"no\nsuch model"}}"#).as_deref(), Some("no such model"));
        assert_eq!(said(r#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(said(r#"{"detail":"x\u001b[2Jy"}"#).as_deref(), Some("x [2Jy"));
        assert_eq!(said("<html>Bad\r\n Gateway").as_deref(), Some("<html>Bad Gateway"));
        assert_eq!(said(&"é".repeat(300)).map(|text| text.chars().count()), Some(201));
        assert_eq!((said(""), said(r#"{"data":[]}"#)), (None, None));
    }
}
