//! HTTP client for JSON requests, with timeouts, retries and a limit on the response size.
//!
//! It follows no redirects, so that the key is sent only to the configured server, and ignores
//! proxy variables of the environment.

use std::io::ErrorKind;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderMap, Method, Request, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, AsSendBody, Body, Timeout};

use super::api_key::{ApiKey, AuthHeader};
use super::error::{Error, Result};
use super::error_body::{error_code, reason};
use super::retry_policy::RetryPolicy;
use super::retry_sleeper::RetrySleeper;

/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size in bytes of an error response that is parsed for a message.
const MAX_ERROR_BODY_BYTES: u64 = 64 << 10;
/// Maximum length in bytes of a message from the server.
const MAX_MESSAGE_BYTES: usize = 4 << 10;

/// Configuration of a client.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// API key and the header that carries it.
    pub key: Option<(ApiKey, AuthHeader)>,
    /// Additional headers. They must not be secret.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Maximum size of a response in bytes.
    pub max_response_bytes: u64,
    /// When to retry.
    pub retry_policy: RetryPolicy,
    /// How to sleep between retries.
    pub retry_sleeper: RetrySleeper,
    /// The only certificate that is accepted from the server or as the issuer of its certificate;
    /// `None` for the public authorities.
    pub certificate: Option<TrustedCertificate>,
}

/// A certificate that a client trusts instead of the public authorities.
#[derive(Debug, Clone)]
pub struct TrustedCertificate(Certificate<'static>);

impl TrustedCertificate {
    /// Parses the first certificate of a PEM text; `None` if there is none.
    pub fn parse(pem: &str) -> Option<Self> {
        Certificate::from_pem(pem.as_bytes()).ok().map(Self)
    }
}

/// An HTTP client for one server.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    config: ClientConfig,
}

/// A failed attempt, and when it may be retried.
struct AttemptFailure {
    error: Error,
    decision: RetryDecision,
}

enum RetryDecision {
    Never,
    Soon,
    After(Duration),
}

impl Client {
    pub fn new(config: ClientConfig) -> Self {
        let mut builder = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("cm/", env!("CARGO_PKG_VERSION")));
        if let Some(TrustedCertificate(certificate)) = &config.certificate {
            let roots = RootCerts::new_with_certs(std::slice::from_ref(certificate));
            builder = builder.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Self { agent: builder.build().into(), config }
    }

    /// Posts a JSON document and returns the response body. The timeout applies to each attempt.
    ///
    /// # Errors
    ///
    /// The error of the last attempt, after all allowed retries.
    pub fn post(&self, url: &str, document: &Value, timeout: Duration) -> Result<Vec<u8>> {
        self.post_with(url, document, &[], timeout)
    }

    /// Like [`Self::post`], with headers of this request.
    ///
    /// # Errors
    ///
    /// The error of the last attempt, after all allowed retries.
    pub fn post_with(
        &self,
        url: &str,
        document: &Value,
        headers: &[(&'static str, &str)],
        timeout: Duration,
    ) -> Result<Vec<u8>> {
        let body = document.to_string();
        let json = [(header::CONTENT_TYPE.as_str(), "application/json")];
        let headers: Vec<(&str, &str)> = json.iter().chain(headers).copied().collect();
        self.repeat(url, || self.once(Method::POST, url, &headers, body.as_str(), timeout))
    }

    /// Gets a document. The timeout applies to each attempt.
    ///
    /// # Errors
    ///
    /// The error of the last attempt, after all allowed retries.
    pub fn get(&self, url: &str, headers: &[(&'static str, &str)], timeout: Duration) -> Result<Vec<u8>> {
        self.repeat(url, || self.once(Method::GET, url, headers, (), timeout))
    }

    /// Repeats attempts as the retry policy allows.
    fn repeat(
        &self,
        url: &str,
        attempt: impl Fn() -> std::result::Result<Vec<u8>, AttemptFailure>,
    ) -> Result<Vec<u8>> {
        let ClientConfig { retry_policy, retry_sleeper, .. } = &self.config;
        for nth in 0.. {
            if retry_sleeper.is_cancelled() {
                break;
            }
            let failure = match attempt() {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let wait = match failure.decision {
                _ if nth >= retry_policy.retries => None,
                RetryDecision::Never => None,
                RetryDecision::Soon => Some(retry_policy.wait(nth)),
                RetryDecision::After(wait) => (wait <= retry_policy.longest).then_some(wait),
            };
            match wait {
                Some(wait) => retry_sleeper.sleep(wait),
                None => return Err(failure.error),
            }
        }
        Err(Error::Cancelled { url: url.to_owned() })
    }

    fn once<S: AsSendBody>(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: S,
        timeout: Duration,
    ) -> std::result::Result<Vec<u8>, AttemptFailure> {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers.iter().chain(&self.config.headers) {
            request = request.header(*name, *value);
        }
        if let Some((key, auth_header)) = &self.config.key {
            let why = "the key contains characters that cannot be sent";
            let (name, value) =
                key.header(*auth_header).ok_or_else(|| never(Error::Key { url: url.to_owned(), why }))?;
            request = request.header(name, value);
        }
        let request = request.body(body).map_err(|error| self.failed(url, timeout, error.into()))?;
        let request = self
            .agent
            .configure_request(request)
            .timeout_global(Some(timeout))
            .timeout_connect(Some(timeout.min(CONNECT_TIMEOUT)))
            .build();
        let mut response = self.agent.run(request).map_err(|error| self.failed(url, timeout, error))?;
        if !response.status().is_success() {
            return Err(self.refused(url, response));
        }
        let reader = response.body_mut().with_config().limit(self.config.max_response_bytes);
        reader.read_to_vec().map_err(|error| self.failed(url, timeout, error))
    }

    fn refused(&self, url: &str, mut response: Response<Body>) -> AttemptFailure {
        let status = response.status();
        let mut code = None;
        let mut message = if status.is_redirection() {
            let target = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            format!("it redirects to {}, and redirects are not followed", target.unwrap_or("elsewhere"))
        } else {
            let body = response.body_mut().with_config().limit(MAX_ERROR_BODY_BYTES).read_to_vec();
            let body = body.unwrap_or_default();
            code = error_code(&body);
            reason(&body).unwrap_or_default()
        };
        if let Some((key, _)) = &self.config.key {
            message = key.redact(&message);
        }
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        let wait = retry_after(response.headers());
        let decision = match wait {
            _ if !matches!(status.as_u16(), 408 | 429) && !status.is_server_error() => RetryDecision::Never,
            Some(wait) => RetryDecision::After(wait),
            None => RetryDecision::Soon,
        };
        AttemptFailure {
            error: Error::Refused { url: url.to_owned(), status: status.as_u16(), code, message, wait },
            decision,
        }
    }

    /// Converts a transport error, and decides whether to retry.
    fn failed(&self, url: &str, timeout: Duration, error: ureq::Error) -> AttemptFailure {
        let url = url.to_owned();
        let out = |cause: String, decision| AttemptFailure {
            error: Error::Unreachable { url: url.clone(), cause },
            decision,
        };
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                out(format!("no connection within {:?}", timeout.min(CONNECT_TIMEOUT)), RetryDecision::Soon)
            }
            ureq::Error::Timeout(_) => {
                let decision = if self.config.retry_policy.retry_timeouts {
                    RetryDecision::Soon
                } else {
                    RetryDecision::Never
                };
                AttemptFailure { error: Error::TimedOut { url, after: timeout }, decision }
            }
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::ConnectionRefused => out("connection refused".to_owned(), RetryDecision::Never),
                ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe => {
                    out("the connection was interrupted".to_owned(), RetryDecision::Soon)
                }
                _ => out(error.to_string(), RetryDecision::Never),
            },
            ureq::Error::HostNotFound => out("host not found".to_owned(), RetryDecision::Never),
            ureq::Error::BodyExceedsLimit(limit) => {
                never(Error::Malformed { url, why: format!("more than {} MiB", limit >> 20) })
            }
            ureq::Error::Protocol(error) => never(Error::Malformed { url, why: error.to_string() }),
            other => out(other.to_string(), RetryDecision::Never),
        }
    }
}

fn never(error: Error) -> AttemptFailure {
    AttemptFailure { error, decision: RetryDecision::Never }
}

/// Returns the delay of the `Retry-After` header. A date is relative to the server's `Date` header.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let header_text = text(header::RETRY_AFTER)?;
    if let Ok(seconds) = header_text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text: &str| chrono::DateTime::parse_from_rfc2822(text).ok();
    (date(header_text)? - date(text(header::DATE)?)?).to_std().ok()
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
}
