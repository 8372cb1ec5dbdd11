//! Uploads that wait for the team server: one private file each, delivered in order.
//!
//! Each upload has an idempotency key, so that the server runs it once even if its answer is lost. The
//! outbox is bounded; what does not fit is read from the session's log again later.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::verbs::server_client::api::{CallFailure, UploadRefusal};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_store::vault::PrivateFolder;

/// Maximum number of waiting uploads.
const MOST_ITEMS: usize = 500;
/// Maximum total size of the waiting uploads, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// Maximum number of uploads that are kept after the server refused them; the oldest are deleted.
const MOST_REFUSED: usize = 50;
/// Maximum number of sessions whose uploads the server cannot take now, after which a delivery ends.
const MOST_HELD_UP: usize = 8;

/// An upload: the body of a `POST` request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxItem {
    /// Idempotency key: a hash of endpoint and body.
    pub key: String,
    /// `sessions` or `feedback`.
    pub endpoint: String,
    /// Time at which it was added.
    pub at: Instant,
    /// Agent that wrote the session; `None` in uploads that earlier versions of cm queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Session that it is about.
    pub session: String,
    /// JSON body, without secrets.
    pub body: Value,
}

/// An upload that the server will never accept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefusedItem {
    /// Time of the refusal.
    pub at: Instant,
    /// The server's reason, as one line.
    pub reason: String,
    /// The upload; null if its file could not be read.
    pub item: Option<OutboxItem>,
}

/// Number and size of waiting uploads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutboxSize {
    pub items: usize,
    pub bytes: u64,
}

/// Result of a delivery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Number of uploads that the server accepted.
    pub delivered: usize,
    /// Why the server did not take an upload; `None` if it took each that was sent.
    pub failure: Option<CallFailure>,
}

/// The outbox of a server.
#[derive(Debug, Clone)]
pub struct Outbox {
    private: PrivateFolder,
}

/// The right to add uploads: one process at a time has it, and none for long.
#[derive(Debug)]
pub struct QueueTurn<'a> {
    outbox: &'a Outbox,
    _lock: std::fs::File,
}

/// The right to send and remove uploads: one process at a time has it, as long as the server takes.
#[derive(Debug)]
pub struct DeliveryTurn<'a> {
    outbox: &'a Outbox,
    _lock: std::fs::File,
}

impl OutboxItem {
    /// Creates an upload with the key that follows from its content.
    #[must_use]
    pub fn new(endpoint: &str, (agent, session): (Agent, &str), at: Instant, body: Value) -> Self {
        let hash = blake3::hash(format!("{endpoint}\0{body}").as_bytes()).to_hex();
        Self {
            key: hash[..32].to_owned(),
            endpoint: endpoint.to_owned(),
            at,
            agent: Some(agent.name().to_owned()),
            session: session.to_owned(),
            body,
        }
    }
}

impl Outbox {
    #[must_use]
    pub fn of(private: &PrivateFolder) -> Self {
        Self { private: private.clone() }
    }

    /// Number and size of the waiting uploads, without a lock.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn size(&self) -> Result<OutboxSize> {
        let names = self.waiting()?;
        let bytes = names.iter().map(|name| self.private.size(&self.folder().join(name))).sum();
        Ok(OutboxSize { items: names.len(), bytes })
    }

    /// The oldest waiting upload.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn oldest(&self) -> Result<Option<OutboxItem>> {
        let first = self.waiting()?.into_iter().next();
        Ok(first.map(|name| self.read(&name)).transpose()?.flatten())
    }

    /// Uploads that the server refused for good, oldest first.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn refused(&self) -> Result<Vec<RefusedItem>> {
        let folder = self.refused_folder();
        let mut found = Vec::new();
        for name in self.private.list(&folder)? {
            let text = self.private.read(&folder.join(name))?.unwrap_or_default();
            found.extend(serde_json::from_str::<RefusedItem>(&text).ok());
        }
        Ok(found)
    }

    /// Waits until no other process adds uploads. It does not wait for deliveries.
    ///
    /// # Errors
    /// A lock file that cannot be opened.
    pub fn queue_turn(&self) -> Result<QueueTurn<'_>> {
        let lock = self.private.lock(&self.private.state().join("queue.lock"))?;
        Ok(QueueTurn { outbox: self, _lock: lock })
    }

    /// Returns the right to deliver; `None` while another process has it.
    ///
    /// # Errors
    /// A lock file that cannot be opened.
    pub fn delivery_turn(&self) -> Result<Option<DeliveryTurn<'_>>> {
        let lock = self.private.try_lock(&self.private.state().join("outbox.lock"))?;
        Ok(lock.map(|lock| DeliveryTurn { outbox: self, _lock: lock }))
    }

    fn folder(&self) -> PathBuf {
        self.private.state().join("outbox")
    }

    fn refused_folder(&self) -> PathBuf {
        self.private.state().join("refused")
    }

    /// File names of the waiting uploads, oldest first.
    fn waiting(&self) -> Result<Vec<String>> {
        Ok(self.private.list(&self.folder())?)
    }

    /// Reads an upload; `None` if the file is damaged.
    fn read(&self, name: &str) -> Result<Option<OutboxItem>> {
        let text = self.private.read(&self.folder().join(name))?.unwrap_or_default();
        Ok(serde_json::from_str(&text).ok())
    }
}

impl QueueTurn<'_> {
    /// Adds uploads in order. Returns how many are in the outbox now, counted from the first: fewer
    /// than given if the outbox is full. One that waits already is not added again.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn add(&self, items: &[OutboxItem]) -> Result<usize> {
        let outbox = self.outbox;
        let mut names = outbox.waiting()?;
        let mut size = outbox.size()?;
        for (count, item) in items.iter().enumerate() {
            if names.iter().any(|name| key_of(name) == Some(&item.key)) {
                continue;
            }
            let text = serde_json::to_string(item).unwrap_or_default();
            size.items += 1;
            size.bytes += text.len() as u64;
            if size.items > MOST_ITEMS || size.bytes > MOST_BYTES {
                return Ok(count);
            }
            let next = names.last().and_then(|name| number_of(name)).unwrap_or_default() + 1;
            let name = format!("{next:010}-{}.json", item.key);
            outbox.private.write(&outbox.folder().join(&name), text.as_bytes())?;
            names.push(name);
        }
        Ok(items.len())
    }
}

impl DeliveryTurn<'_> {
    /// Sends the waiting uploads in order, until the server takes none or no further one may begin. One
    /// that it cannot take now, such as feedback on a damaged note, holds up those of its session. One
    /// that it will never take is set aside with the reason.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn deliver(
        &self,
        send: impl Fn(&OutboxItem) -> std::result::Result<(), CallFailure>,
        may_begin: impl Fn() -> bool,
        now: Instant,
    ) -> Result<Delivery> {
        let outbox = self.outbox;
        let mut delivery = Delivery::default();
        let mut held_up = BTreeSet::new();
        for name in outbox.waiting()? {
            let Some(item) = outbox.read(&name)? else {
                self.set_aside(&name, now, "the file is damaged".to_owned(), None)?;
                continue;
            };
            if held_up.contains(&item.session) {
                continue;
            }
            if !may_begin() {
                break;
            }
            match send(&item) {
                Ok(()) => {
                    outbox.private.remove(&outbox.folder().join(&name))?;
                    delivery.delivered += 1;
                }
                Err(failure) if failure.refusal == Some(UploadRefusal::Never) => {
                    self.set_aside(&name, now, failure.cause, Some(item))?;
                }
                Err(failure)
                    if failure.refusal == Some(UploadRefusal::Now) && held_up.len() < MOST_HELD_UP =>
                {
                    held_up.insert(item.session);
                    delivery.failure.get_or_insert(failure);
                }
                Err(failure) => {
                    delivery.failure = Some(failure);
                    break;
                }
            }
        }
        Ok(delivery)
    }

    fn set_aside(&self, name: &str, at: Instant, reason: String, item: Option<OutboxItem>) -> Result<()> {
        let (private, folder) = (&self.outbox.private, self.outbox.refused_folder());
        let text = serde_json::to_string(&RefusedItem { at, reason, item }).unwrap_or_default();
        private.write(&folder.join(format!("{}-{name}", at.unix())), text.as_bytes())?;
        private.remove(&self.outbox.folder().join(name))?;
        let names = private.list(&folder)?;
        for name in names.iter().take(names.len().saturating_sub(MOST_REFUSED)) {
            private.remove(&folder.join(name))?;
        }
        Ok(())
    }
}

fn number_of(name: &str) -> Option<u64> {
    name.split_once('-')?.0.parse().ok()
}

fn key_of(name: &str) -> Option<&str> {
    name.split_once('-')?.1.strip_suffix(".json")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use cm_store::vault::PrivateHome;
    use serde_json::json;

    use super::*;

    const SESSION: (Agent, &str) = (Agent::ClaudeCode, "s");

    fn outbox(folder: &std::path::Path) -> Outbox {
        let home = PrivateHome { state: folder.join("state"), config: folder.join("config") };
        Outbox::of(&home.of_server("http://127.0.0.1:1"))
    }

    fn item(number: usize) -> OutboxItem {
        OutboxItem::new("feedback", SESSION, Instant::from_unix(0), json!({ "id": format!("b-{number}") }))
    }

    #[test]
    fn uploads_wait_in_order_once_each_and_no_more_than_fit() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        let turn = outbox.queue_turn().unwrap();
        assert_eq!(turn.add(&[item(1), item(2), item(1)]).unwrap(), 3);
        assert_eq!((outbox.size().unwrap().items, outbox.oldest().unwrap()), (2, Some(item(1))));
        let many: Vec<OutboxItem> = (3..MOST_ITEMS + 10).map(item).collect();
        assert_eq!(turn.add(&many).unwrap(), MOST_ITEMS - 2);
        assert_eq!(outbox.size().unwrap().items, MOST_ITEMS);
        let large = OutboxItem::new("sessions", SESSION, Instant::from_unix(0), json!("x".repeat(64 << 20)));
        assert_eq!(turn.add(&[large]).unwrap(), 0);
    }

    #[test]
    fn one_process_delivers_no_longer_than_it_may_and_others_add_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        outbox.queue_turn().unwrap().add(&[item(1), item(2), item(3)]).unwrap();
        let turn = outbox.delivery_turn().unwrap().unwrap();
        assert!(outbox.delivery_turn().unwrap().is_none());
        assert_eq!(outbox.queue_turn().unwrap().add(&[item(4)]).unwrap(), 1);
        let sent = RefCell::new(Vec::new());
        let send = |item: &OutboxItem| {
            sent.borrow_mut().push(item.clone());
            Ok(())
        };
        let delivery = turn.deliver(send, || sent.borrow().len() < 2, Instant::from_unix(0)).unwrap();
        assert_eq!((delivery.delivered, delivery.failure), (2, None));
        assert_eq!(*sent.borrow(), [item(1), item(2)]);
        assert_eq!((outbox.size().unwrap().items, outbox.oldest().unwrap()), (2, Some(item(3))));
        drop(turn);
        assert!(outbox.delivery_turn().unwrap().is_some());
    }

    #[test]
    fn an_upload_of_an_earlier_version_is_read_and_names_no_agent() {
        let mut old = serde_json::to_value(item(1)).unwrap();
        old.as_object_mut().unwrap().remove("agent");
        let read: OutboxItem = serde_json::from_value(old).unwrap();
        assert_eq!(read, OutboxItem { agent: None, ..item(1) });
    }

    #[test]
    fn only_the_latest_refusals_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        let turn = outbox.delivery_turn().unwrap().unwrap();
        for number in 0..MOST_REFUSED + 3 {
            let at = Instant::from_unix(1_000_000_000 + i64::try_from(number).unwrap());
            turn.set_aside("0000000001-a.json", at, format!("reason {number}"), Some(item(number))).unwrap();
        }
        let refused = outbox.refused().unwrap();
        assert_eq!((refused.len(), refused[0].reason.as_str()), (MOST_REFUSED, "reason 3"));
    }
}
