//! Stores the messages of a session that ran elsewhere: redacted, with their sender, and without
//! duplicates.
//!
//! The log is stored in the user's private files of the vault and is indexed like the logs of local
//! agents. It is user data, not a cache: only its owner deletes it.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::secrets;
use crate::error::{Error, Result};
use crate::sessions::{agents, sources::SENT};
use cm_agents::ingest::uploaded::{self, UploadHeader, UploadLine, UploadMessage};
use cm_note::instant::Instant;
use cm_secrets::{RedactionRules, redact};
use cm_session::Agent;
use cm_store::vault::Vault;
use cm_store::vault::lock::VaultLock;

pub use cm_agents::ingest::uploaded::MessageRole;

/// Messages of one session to store; later uploads of the same session append.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Session id, as the agent assigned it.
    pub session: String,
    /// Agent name; by default the agent that makes the request.
    pub agent: Option<String>,
    /// Working directory of the session.
    pub workspace: Option<String>,
    pub title: Option<String>,
    /// Messages in chronological order.
    pub messages: Vec<UploadedMessage>,
}

/// A message of the uploaded session.
#[derive(Debug, Clone)]
pub struct UploadedMessage {
    /// Message id; a message whose id is already stored is skipped as a duplicate.
    pub id: Option<String>,
    pub role: MessageRole,
    pub at: Option<Instant>,
    /// Text of the message, before redaction.
    pub text: String,
}

/// Counts of one upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UploadResult {
    /// Session id, as assigned by the agent.
    pub session: String,
    /// Agent of the session, such as `claude-code`.
    pub agent: String,
    /// Number of new messages.
    pub received: usize,
    /// Number of messages that were skipped because earlier uploads contained them.
    pub known: usize,
    /// Number of secrets that were redacted in the new messages.
    pub redacted: usize,
}

/// Maximum length of a session id in bytes; the id becomes part of a file name.
const MAX_ID_BYTES: usize = 128;
/// Maximum number of messages per request.
const MAX_MESSAGES: usize = 10_000;
/// Maximum size of a session's log in bytes.
const MAX_LOG_BYTES: usize = 50_000_000;
/// Maximum size of the logs of one sender in bytes.
const MAX_SENDER_BYTES: u64 = 2_000_000_000;
/// Private file with the size of the logs of each sender, as JSON.
const STORED: &str = "uploads.json";
/// Maximum length of the workspace path in bytes.
const MAX_WORKSPACE_BYTES: usize = 4096;

/// Appends the new messages to the session's log.
///
/// # Errors
/// Returns an error if the id, agent or workspace is invalid, if another person sent the session, if the
/// number of messages is 0 or above the limit, if the log would exceed its size limit, or if the vault
/// cannot be written.
pub fn upload(context: &Context, options: &Options) -> Result<UploadResult> {
    let open = context.target();
    open.writable()?;
    context.may_write()?;
    let agent = check_options(context, options)?;
    let rules = secrets::rules_of_logs(context, open)?.0;
    let sent = redact_messages(&options.messages, &rules);
    let path = format!("{SENT}/{}", uploaded::path(agent, &options.session).to_string_lossy());
    let _lock = VaultLock::take(&open.vault, &context.request.holder, open.lock_timeout())?;
    let before = open.vault.read_private(&path)?.unwrap_or_default();
    let by = context.request.caller.actor.as_deref();
    if uploaded::first_header(&before).is_some_and(|header| header.by.as_deref() != by) {
        let message = format!("session {} was sent by another person", options.session);
        return Err(Error::refused("other-sender", message)
            .hint("send it under the ID that the agent gave to your session"));
    }
    let stored_keys = keys(&before);
    let (already_stored, new): (Vec<_>, Vec<_>) =
        sent.into_iter().partition(|one| stored_keys.contains(&one.message.key));
    let redacted = new.iter().map(|one| one.redacted).sum();
    let received = new.len();
    if received > 0 {
        let lines = new.into_iter().map(|one| UploadLine::Message(one.message));
        let length = before.len();
        let after = append_lines(before, [upload_header(context, options, &rules)].into_iter().chain(lines))?;
        let stored =
            count_stored(&open.vault, context.request.caller.actor.as_deref(), after.len() - length)?;
        open.vault.write_private(&path, &after)?;
        open.vault.write_private_json(STORED, &stored)?;
    }
    let (session, agent) = (options.session.clone(), agent.name().to_owned());
    Ok(UploadResult { session, agent, received, known: already_stored.len(), redacted })
}

/// Adds `bytes` to what a sender has stored, and returns the new content of [`STORED`].
///
/// # Errors
/// `storage-full` if the sender would store more than [`MAX_SENDER_BYTES`].
fn count_stored(vault: &Vault, sender: Option<&str>, bytes: usize) -> Result<BTreeMap<String, u64>> {
    // A file that cannot be parsed counts from the beginning: it only bounds what senders store.
    let mut stored: BTreeMap<String, u64> = vault.read_private_json(STORED)?.unwrap_or_default();
    let own = stored.entry(sender.unwrap_or_default().to_owned()).or_default();
    *own += bytes as u64;
    if *own > MAX_SENDER_BYTES {
        let message =
            format!("you have stored more than {} GB of sessions", MAX_SENDER_BYTES / 1_000_000_000);
        return Err(Error::refused("storage-full", message).hint("ask the owner of the server to make room"));
    }
    Ok(stored)
}

/// Creates the log line with the sender, working directory and title of the upload.
fn upload_header(context: &Context, options: &Options, rules: &RedactionRules) -> UploadLine {
    let clean = |text: &Option<String>| text.as_deref().map(|text| redact(text, rules).0.into_string());
    UploadLine::Sent(UploadHeader {
        at: Some(context.now()),
        by: context.request.caller.actor.clone(),
        person: context.request.caller.is_persons_own(),
        workspace: clean(&options.workspace),
        title: clean(&options.title),
    })
}

/// Appends lines to the text of a log; fails if the log would exceed its size limit.
fn append_lines(mut log: String, lines: impl Iterator<Item = UploadLine>) -> Result<String> {
    if !log.is_empty() && !log.ends_with('\n') {
        log.push('\n');
    }
    for line in lines {
        // Texts and instants always have a JSON form.
        log.push_str(&serde_json::to_string(&line).unwrap_or_default());
        log.push('\n');
    }
    if log.len() > MAX_LOG_BYTES {
        let message = format!("the session has more than {} MB", MAX_LOG_BYTES / 1_000_000);
        return Err(Error::refused("session-full", message).hint("send the rest as another session"));
    }
    Ok(log)
}

fn check_options(context: &Context, options: &Options) -> Result<Agent> {
    let id = options.session.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let first = id.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    if !first || id.len() > MAX_ID_BYTES || !id.chars().all(plain) {
        let message = format!(
            "a session ID has 1 to {MAX_ID_BYTES} letters, digits, `-`, `_` and `.`, and starts with a letter or digit"
        );
        return Err(Error::usage(message).hint("for example: 0199a0c2-7c1f-7d4e-9a51-3f1f6f0c2b11"));
    }
    if options.messages.is_empty() || options.messages.len() > MAX_MESSAGES {
        let message = format!(
            "a request must have 1 to {MAX_MESSAGES} messages; this one has {}",
            options.messages.len()
        );
        return Err(Error::usage(message)
            .hint("send a long session in parts; messages that were already sent are recognized"));
    }
    let folder = options.workspace.as_deref().unwrap_or_default();
    if folder.len() > MAX_WORKSPACE_BYTES || folder.chars().any(char::is_control) {
        let message = format!("a workspace must be a path of at most {MAX_WORKSPACE_BYTES} bytes");
        return Err(Error::usage(message).hint("for example: /home/ada/gateway"));
    }
    let agent_name = options.agent.as_deref().or(context.request.caller.agent.as_deref());
    let Some(agent_name) = agent_name else {
        return Err(Error::usage("the agent is missing").hint("for example: \"agent\": \"claude-code\""));
    };
    match agents(agent_name)?.as_slice() {
        [agent] => Ok(*agent),
        _ => Err(Error::usage("a session belongs to one agent").hint("pass one agent, such as codex")),
    }
}

struct RedactedMessage {
    message: UploadMessage,
    /// Number of secrets that were replaced.
    redacted: usize,
}

/// Redacts the messages and computes a key for each, by which a repeated upload is recognized.
fn redact_messages(messages: &[UploadedMessage], rules: &RedactionRules) -> Vec<RedactedMessage> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let cleaned = messages.iter().map(|message| {
        let (text, removed) = redact(&message.text, rules);
        let text = text.into_string();
        let own = match &message.id {
            Some(id) => format!("{} id {id}", message.role.name()),
            None => format!("{} {:?} {text}", message.role.name(), message.at),
        };
        // What is said twice in one sending was said twice.
        let times = seen.entry(own.clone()).or_default();
        *times += usize::from(message.id.is_none());
        let key = blake3::hash(format!("{times} {own}").as_bytes()).to_hex()[..16].to_owned();
        RedactedMessage {
            message: UploadMessage { key, role: message.role, at: message.at, text },
            redacted: removed.len(),
        }
    });
    cleaned.collect()
}

/// Returns the keys of the messages in a log.
fn keys(log: &str) -> HashSet<String> {
    let message = |line: &str| match serde_json::from_str(line) {
        Ok(UploadLine::Message(message)) => Some(message.key),
        _ => None,
    };
    log.lines().filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: Option<&str>, text: &str) -> UploadedMessage {
        UploadedMessage {
            id: id.map(str::to_owned),
            role: MessageRole::User,
            at: None,
            text: text.to_owned(),
        }
    }

    fn keys_of(messages: &[UploadedMessage]) -> Vec<String> {
        redact_messages(messages, &RedactionRules::default()).into_iter().map(|one| one.message.key).collect()
    }

    #[test]
    fn a_message_is_known_again_and_what_was_said_twice_counts_twice() {
        let first = keys_of(&[said(None, "yes"), said(None, "go on"), said(None, "yes")]);
        assert_ne!(first[0], first[2]);
        assert_eq!(
            keys_of(&[said(None, "yes"), said(None, "go on"), said(None, "yes"), said(None, "end")])[..3],
            first
        );
        assert_eq!(keys_of(&[said(Some("m1"), "yes")]), keys_of(&[said(Some("m1"), "yes, reworded")]));
        assert_ne!(keys_of(&[said(Some("m1"), "yes")]), keys_of(&[said(Some("m2"), "yes")]));
    }

    #[test]
    fn a_sender_stores_no_more_than_the_share_and_takes_nothing_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let home = cm_store::vault::PrivateHome {
            state: folder.path().join("state"),
            config: folder.path().join("config"),
        };
        let vault = Vault::at(folder.path()).unwrap().prepare(Some(&home));
        let store = |sender, bytes: u64| {
            let text = count_stored(&vault, sender, usize::try_from(bytes).unwrap())?;
            Ok::<_, Error>(vault.write_private_json(STORED, &text)?)
        };
        store(Some("Ada"), MAX_SENDER_BYTES - 1).unwrap();
        store(Some("Ada"), 1).unwrap();
        assert_eq!(store(Some("Ada"), 1).unwrap_err().code, "storage-full");
        store(Some("Bob"), MAX_SENDER_BYTES).unwrap();
    }

    #[test]
    fn no_secret_is_left_and_none_stands_in_a_key() {
        let secret = format!("ghp_{}", &"aB3dE5gH7j".repeat(4)[..36]);
        let mut sent =
            redact_messages(&[said(None, &format!("The key is {secret}."))], &RedactionRules::default());
        let RedactedMessage { message, redacted } = sent.remove(0);
        assert_eq!(redacted, 1);
        assert!(!message.text.contains(&secret), "{message:?}");
        assert_eq!(keys_of(&[said(None, &message.text)]), [message.key]);
    }
}
