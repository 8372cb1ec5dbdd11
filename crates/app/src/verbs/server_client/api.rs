//! Calls the endpoints of a team server.

use std::time::Duration;

use serde_json::Value;

use crate::context::request::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::outbox::{OutboxItem, UploadEndpoint};
use cm_net::{
    ApiKey, AuthHeader, Client, ClientConfig, RetryPolicy, RetrySleeper, ServerUrl, TrustedCertificate,
};
use cm_note::token::TokenKind;
use cm_text::shorten::short_line;

/// Maximum size of an answer in bytes.
const MAX_ANSWER_BYTES: u64 = 4 << 20;
/// Maximum length of a header value that names an agent or a session.
const MAX_NAME_BYTES: usize = 200;
/// Maximum length of the cause of a failure, in characters.
const MAX_CAUSE_CHARS: usize = 300;
/// Codes of refusals that end by themselves, such as during a merge on the server.
const PASSING_CODES: [&str; 3] = ["in-progress", "git-locked", "invalid-setting"];
/// Statuses and codes of `cm serve` for requests that it will never accept.
const NEVER_ACCEPTED: [(u16, &str); 6] = [
    (400, "usage"),
    (404, "not-found"),
    (404, "ambiguous"),
    (409, "secret"),
    (409, "other-sender"),
    (413, "too-long"),
];
/// Statuses that ask for a later request, or for another token.
const COME_AGAIN: [u16; 4] = [401, 408, 429, 503];
/// Codes of `cm serve` for refusals that apply to any upload.
const OF_ANY_UPLOAD: [&str; 4] = ["untrusted", "storage-full", "in-progress", "git-locked"];

/// The endpoints of a server, called for one agent and session.
#[derive(Debug)]
pub struct ServerApi {
    client: Client,
    url: ServerUrl,
    names: Vec<(&'static str, String)>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Cause, as one line.
    pub cause: String,
    /// HTTP status; `None` without an answer.
    pub status: Option<u16>,
    /// Whether the status says that the same request will be refused again. Proxies may say so too.
    pub is_final: bool,
    /// The refusal of an upload; `None` if the failure applies to any upload.
    pub refusal: Option<UploadRefusal>,
}

/// Kind of refusal of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadRefusal {
    /// `cm serve` will never accept this upload.
    Never,
    /// `cm serve` may accept this upload later, and accepts other uploads now.
    Now,
    /// The status may be about this upload or about any, and may be that of a proxy.
    Unexplained,
}

impl ServerApi {
    /// Creates the client for a connection. `agent` and `session` are recorded with changes.
    ///
    /// # Errors
    /// Private files that cannot be read.
    pub fn new(
        connection: &ServerConnection,
        request: &Request,
        agent: &str,
        session: Option<&str>,
    ) -> Result<Self> {
        let mut api = Self::with(connection, request, None, None)?;
        api.names = names(agent, session);
        Ok(api)
    }

    /// Creates a client that names no agent. A given token or certificate replaces the stored one.
    ///
    /// # Errors
    /// Private files that cannot be read.
    pub fn with(
        connection: &ServerConnection,
        request: &Request,
        key: Option<ApiKey>,
        certificate: Option<TrustedCertificate>,
    ) -> Result<Self> {
        let key = if key.is_some() { key } else { connection.token(request)?.0 };
        let certificate = if certificate.is_some() { certificate } else { connection.certificate()? };
        let client = Client::new(ClientConfig {
            key: key.map(|key| (key, AuthHeader::Bearer)),
            headers: Vec::new(),
            max_response_bytes: MAX_ANSWER_BYTES,
            retry_policy: RetryPolicy::NONE,
            retry_sleeper: RetrySleeper::default(),
            certificate,
        });
        Ok(Self { client, url: connection.url.clone(), names: Vec::new() })
    }

    /// Asks for a briefing of at most `tokens` tokens; without a task, for what applies to any work. The task must be
    /// without secrets; the answer is unchecked.
    ///
    /// # Errors
    /// [`CallFailure`].
    pub fn briefing(
        &self,
        task: Option<&str>,
        tokens: usize,
        timeout: Duration,
    ) -> std::result::Result<Value, CallFailure> {
        // In the address it would be in the logs of proxies.
        let mut question = serde_json::json!({ "max_tokens": tokens });
        if let Some(task) = task {
            question["task"] = task.into();
        }
        let headers: Vec<(&'static str, &str)> = headers(&self.names).collect();
        let answer = self.post("context", &question, &headers, timeout);
        parsed(&answer.map_err(CallFailure::of_a_reading)?)
    }

    /// Returns the server's MEMORY.md, unchecked.
    ///
    /// # Errors
    /// [`CallFailure`].
    pub fn memory_md(&self, timeout: Duration) -> std::result::Result<String, CallFailure> {
        let answer = self.get("export", timeout)?;
        answer.get("document").and_then(Value::as_str).map(str::to_owned).ok_or_else(malformed)
    }

    /// Sends an item of the outbox in the name of the agent that it is about. The server runs it once,
    /// however often it arrives. An answer that is not that of the endpoint, such as the page of a
    /// network's login, is a failure.
    ///
    /// # Errors
    /// [`CallFailure`].
    pub fn send(&self, item: &OutboxItem, timeout: Duration) -> std::result::Result<(), CallFailure> {
        let own = item.agent.as_deref().map(|agent| names(agent, Some(&item.session)));
        let header_names = own.as_ref().unwrap_or(&self.names);
        let key = ("idempotency-key", item.key.as_str());
        let headers: Vec<(&'static str, &str)> = headers(header_names).chain([key]).collect();
        let answer = self.post(item.endpoint.name(), &item.body, &headers, timeout)?;
        item.endpoint.is_answer(&parsed(&answer)?).then_some(()).ok_or_else(malformed)
    }

    /// Asks whether the token may write, without writing: an upload without messages is invalid, but
    /// the role is checked first. Returns `false` for a token that can only read.
    ///
    /// # Errors
    /// [`CallFailure`].
    pub fn may_write(&self, timeout: Duration) -> std::result::Result<bool, CallFailure> {
        let empty = serde_json::json!({ "session": "check", "messages": [] });
        let headers: Vec<(&'static str, &str)> = headers(&self.names).collect();
        match self.post(UploadEndpoint::Sessions.name(), &empty, &headers, timeout) {
            Ok(_) => Ok(true),
            Err(failure) if failure.status == Some(400) => Ok(true),
            Err(failure) if failure.status == Some(403) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Asks whether the token is one of a person. `None` if the server does not say.
    pub fn is_persons_token(&self, timeout: Duration) -> Option<bool> {
        let health = self.get("health", timeout).ok()?;
        Some(health.get("token_kind")?.as_str()? == TokenKind::Person.name())
    }

    fn get(&self, target: &str, timeout: Duration) -> std::result::Result<Value, CallFailure> {
        let url = self.url.below(target);
        let headers: Vec<(&'static str, &str)> = headers(&self.names).collect();
        let answer = self.client.get(&url, &headers, timeout);
        parsed(&answer.map_err(|error| CallFailure::of(&error, &url).of_a_reading())?)
    }

    fn post(
        &self,
        target: &str,
        body: &Value,
        headers: &[(&'static str, &str)],
        timeout: Duration,
    ) -> std::result::Result<Vec<u8>, CallFailure> {
        let url = self.url.below(target);
        self.client.post_with(&url, body, headers, timeout).map_err(|error| CallFailure::of(&error, &url))
    }
}

/// The headers that name an agent and a session, without values that cannot be sent.
fn names(agent: &str, session: Option<&str>) -> Vec<(&'static str, String)> {
    let is_name = |name: &str| {
        !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let names = [("cm-agent", Some(agent)), ("cm-session", session)];
    let header_name =
        |(header, name): (_, Option<&str>)| Some((header, name.filter(|it| is_name(it))?.to_owned()));
    names.into_iter().filter_map(header_name).collect()
}

fn headers<'a>(names: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'static str, &'a str)> {
    names.iter().map(|(header, name)| (*header, name.as_str()))
}

impl CallFailure {
    /// The cause does not contain the address, which is shown beside it.
    fn of(error: &cm_net::Error, url: &str) -> Self {
        let (status, is_final, refusal) = match error {
            cm_net::Error::Refused { status, code, .. } => {
                let passes = matches!(status, 401 | 403 | 408 | 429)
                    || code.as_deref().is_some_and(|code| PASSING_CODES.contains(&code));
                let is_final = (400..500).contains(status) && !passes;
                (Some(*status), is_final, UploadRefusal::of(*status, code.as_deref()))
            }
            _ => (None, false, None),
        };
        let cause = short_line(&error.to_string().replace(url, "the server"), MAX_CAUSE_CHARS);
        Self { cause, status, is_final, refusal }
    }

    /// The failure of a request that uploads nothing.
    fn of_a_reading(self) -> Self {
        Self { refusal: None, ..self }
    }

    /// Whether the server answers other requests.
    pub fn refuses_uploads_only(&self) -> bool {
        self.status == Some(403) || self.is_explained_refusal()
    }

    /// Whether `cm serve` itself refuses this upload and accepts others.
    pub fn is_explained_refusal(&self) -> bool {
        matches!(self.refusal, Some(UploadRefusal::Never | UploadRefusal::Now))
    }

    /// Whether the server does not accept the token.
    pub fn is_unauthorized(&self) -> bool {
        self.status == Some(401)
    }
}

impl UploadRefusal {
    fn of(status: u16, code: Option<&str>) -> Option<Self> {
        match code {
            Some(code) if NEVER_ACCEPTED.contains(&(status, code)) => Some(Self::Never),
            Some(code) if OF_ANY_UPLOAD.contains(&code) => None,
            Some(_) if matches!(status, 409 | 422) => Some(Self::Now),
            // The token can only read.
            Some(_) if status == 403 => None,
            _ => ((400..600).contains(&status) && !COME_AGAIN.contains(&status)).then_some(Self::Unexplained),
        }
    }
}

impl From<CallFailure> for Error {
    fn from(failure: CallFailure) -> Self {
        Self::new(ErrorKind::Provider, "server", failure.cause)
    }
}

fn malformed() -> CallFailure {
    CallFailure {
        cause: "the server returned an invalid answer".to_owned(),
        status: None,
        is_final: false,
        refusal: None,
    }
}

fn parsed(answer: &[u8]) -> std::result::Result<Value, CallFailure> {
    serde_json::from_slice(answer).map_err(|_| malformed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cm_itself_never_accepts_is_refused_for_good() {
        let refused = |status, code: Option<&str>| {
            let code = code.map(str::to_owned);
            let (url, message) = ("u".to_owned(), String::new());
            CallFailure::of(&cm_net::Error::Refused { url, status, code, message, wait: None }, "u")
        };
        for status in [302, 401, 408, 429, 503] {
            assert_eq!(refused(status, None).refusal, None, "{status}");
        }
        for status in [400, 403, 404, 409, 413, 422, 500, 502, 504] {
            assert_eq!(refused(status, None).refusal, Some(UploadRefusal::Unexplained), "{status}");
        }
        for (status, code) in NEVER_ACCEPTED {
            assert_eq!(refused(status, Some(code)).refusal, Some(UploadRefusal::Never), "{code}");
            assert_eq!(refused(502, Some(code)).refusal, Some(UploadRefusal::Unexplained), "{code}");
        }
        for code in OF_ANY_UPLOAD {
            assert_eq!(refused(409, Some(code)).refusal, None, "{code}");
        }
        assert_eq!(refused(409, Some("cannot-edit")).refusal, Some(UploadRefusal::Now));
        assert_eq!(refused(403, Some("forbidden")).refusal, None);
        assert_eq!(refused(500, Some("internal")).refusal, Some(UploadRefusal::Unexplained));
        assert!(refused(404, None).is_final && !refused(409, Some("in-progress")).is_final);
        let away = cm_net::Error::Unreachable { url: "http://x/sessions".into(), cause: "refused".into() };
        let away = CallFailure::of(&away, "http://x/sessions");
        assert_eq!((away.refusal, away.cause.as_str()), (None, "cannot connect to the server: refused"));
    }
}
