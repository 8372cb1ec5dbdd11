//! Uploads that wait for the team server: one private file each, delivered in order.
//!
//! Each upload has an idempotency key, so that the server runs it once even if its answer is lost. The
//! outbox is bounded; what does not fit is read from the session's log again later, see
//! [`super::incomplete`].

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::verbs::server_client::api::{CallFailure, UploadRefusal};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_store::vault::PrivateFolder;
use cm_text::named_enum;

/// Maximum number of waiting uploads.
const MAX_WAITING_UPLOADS: usize = 500;
/// Maximum total size of the waiting uploads, in bytes.
const MAX_OUTBOX_BYTES: u64 = 64 << 20;
/// Maximum number of uploads that are kept after the server refused them; the oldest are deleted.
const MAX_REFUSED_UPLOADS: usize = 50;
/// Maximum number of sessions whose uploads the server cannot take now, after which a delivery ends.
const MAX_HELD_UP_SESSIONS: usize = 8;
/// Minimum number of failures after which an upload holds up nothing any more.
const LASTING_FAILURES: u32 = 5;
/// Minimum number of seconds between the first of these failures and the last.
const LASTING_SECONDS: i64 = 15 * 60;
/// Maximum number of uploads with such failures, after which a delivery ends.
const MAX_PASSED_OVER: usize = 20;

named_enum! {
    /// Endpoint that an upload is sent to.
    pub enum UploadEndpoint {
        Sessions = "sessions",
        Feedback = "feedback",
    }
}

impl UploadEndpoint {
    /// Whether this can be the endpoint's answer, and not, for example, the page of a network's login.
    pub(super) fn is_answer(self, answer: &Value) -> bool {
        let (text, number) = match self {
            Self::Sessions => ("session", "received"),
            Self::Feedback => ("id", "helpful"),
        };
        answer[text].is_string() && answer[number].is_u64()
    }
}

/// An upload: the body of a `POST` request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxItem {
    /// Idempotency key: a hash of endpoint and body.
    pub key: String,
    pub endpoint: UploadEndpoint,
    /// Time at which it was added.
    pub at: Instant,
    /// Agent that wrote the session; `None` in uploads that earlier versions of cm queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Session that it is about.
    pub session: String,
    /// JSON body, without secrets.
    pub body: Value,
    /// Failures that may be about this upload; `None` before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<UploadFailures>,
}

/// Failures of one upload that the server did not explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadFailures {
    /// Time of the first.
    pub since: Instant,
    pub count: u32,
}

/// An upload that the server will never accept, or always fails at.
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
    /// Number of uploads that were set aside.
    pub set_aside: usize,
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
    pub fn new(endpoint: UploadEndpoint, (agent, session): (Agent, &str), at: Instant, body: Value) -> Self {
        let hash = blake3::hash(format!("{}\0{body}", endpoint.name()).as_bytes()).to_hex();
        Self {
            key: hash[..32].to_owned(),
            endpoint,
            at,
            agent: Some(agent.name().to_owned()),
            session: session.to_owned(),
            body,
            failures: None,
        }
    }
}

impl UploadFailures {
    /// Counts one more failure.
    fn after(earlier: Option<Self>, now: Instant) -> Self {
        let Self { since, count } = earlier.unwrap_or(Self { since: now, count: 0 });
        Self { since, count: count.saturating_add(1) }
    }

    fn are_lasting(&self, now: Instant) -> bool {
        self.count >= LASTING_FAILURES && now.unix() - self.since.unix() >= LASTING_SECONDS
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

    /// Uploads that the server rejected permanently, oldest first.
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

    /// Waits until no other process delivers.
    ///
    /// # Errors
    /// A lock file that cannot be opened.
    pub fn wait_for_delivery_turn(&self) -> Result<DeliveryTurn<'_>> {
        let lock = self.private.lock(&self.private.state().join("outbox.lock"))?;
        Ok(DeliveryTurn { outbox: self, _lock: lock })
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
            if size.items > MAX_WAITING_UPLOADS || size.bytes > MAX_OUTBOX_BYTES {
                return Ok(count);
            }
            let next = names.last().and_then(|name| number_of(name)).unwrap_or_default() + 1;
            let name = format!("{next:010}-{}.json", item.key);
            outbox.private.write(&outbox.folder().join(&name), text.as_bytes())?;
            names.push(name);
        }
        Ok(items.len())
    }

    /// Moves the uploads that wait in another outbox into this one, oldest first, while they fit. Returns how
    /// many were moved. Those whose file is damaged stay.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn add_from(&self, other: &Outbox) -> Result<usize> {
        let _turn = other.wait_for_delivery_turn()?;
        let mut moved = 0;
        for name in other.waiting()? {
            let Some(item) = other.read(&name)? else { continue };
            if self.add(&[OutboxItem { failures: None, ..item }])? == 0 {
                break;
            }
            other.private.remove(&other.folder().join(&name))?;
            moved += 1;
        }
        Ok(moved)
    }

    /// Moves refused uploads back into the outbox, oldest first, while they fit. Returns how many were moved.
    /// Those whose file is damaged stay.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn add_refused(&self) -> Result<usize> {
        let outbox = self.outbox;
        let folder = outbox.refused_folder();
        let mut moved = 0;
        for name in outbox.private.list(&folder)? {
            let path = folder.join(name);
            let text = outbox.private.read(&path)?.unwrap_or_default();
            let refused = serde_json::from_str::<RefusedItem>(&text).ok();
            let Some(item) = refused.and_then(|refused| refused.item) else { continue };
            if self.add(&[OutboxItem { failures: None, ..item }])? == 0 {
                break;
            }
            outbox.private.remove(&path)?;
            moved += 1;
        }
        Ok(moved)
    }
}

impl DeliveryTurn<'_> {
    /// Sends the waiting uploads in order, until the server takes none or no further one may begin. One
    /// that it cannot take now, such as feedback on a damaged note, holds up those of its session. One
    /// that it will never take is set aside with the reason. So is one that failed often over some time,
    /// once the server accepts another one after it at the same endpoint: a server that is away, or
    /// takes nothing, makes nothing be set aside.
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
        let mut passed_over: Vec<(String, OutboxItem, CallFailure)> = Vec::new();
        for name in outbox.waiting()? {
            let Some(mut item) = outbox.read(&name)? else {
                self.set_aside(&name, now, "the file is damaged".to_owned(), None)?;
                delivery.set_aside += 1;
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
                    let is_about_itself =
                        |other: &mut (String, OutboxItem, CallFailure)| other.1.endpoint == item.endpoint;
                    for (name, item, failure) in passed_over.extract_if(.., is_about_itself) {
                        self.set_aside(&name, now, failure.cause, Some(item))?;
                        delivery.set_aside += 1;
                    }
                }
                Err(failure) if failure.refusal == Some(UploadRefusal::Never) => {
                    self.set_aside(&name, now, failure.cause, Some(item))?;
                    delivery.set_aside += 1;
                }
                Err(failure) if failure.refusal == Some(UploadRefusal::Unexplained) => {
                    let failures = UploadFailures::after(item.failures, now);
                    item.failures = Some(failures);
                    let text = serde_json::to_string(&item).unwrap_or_default();
                    outbox.private.write(&outbox.folder().join(&name), text.as_bytes())?;
                    if !failures.are_lasting(now) || passed_over.len() == MAX_PASSED_OVER {
                        delivery.failure = Some(failure);
                        break;
                    }
                    passed_over.push((name, item, failure));
                }
                Err(failure)
                    if failure.refusal == Some(UploadRefusal::Now)
                        && held_up.len() < MAX_HELD_UP_SESSIONS =>
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
        let unexplained = passed_over.into_iter().next().map(|(_, _, failure)| failure);
        delivery.failure = delivery.failure.or(unexplained);
        Ok(delivery)
    }

    fn set_aside(&self, name: &str, at: Instant, reason: String, item: Option<OutboxItem>) -> Result<()> {
        let (private, folder) = (&self.outbox.private, self.outbox.refused_folder());
        let text = serde_json::to_string(&RefusedItem { at, reason, item }).unwrap_or_default();
        private.write(&folder.join(format!("{}-{name}", at.unix())), text.as_bytes())?;
        private.remove(&self.outbox.folder().join(name))?;
        let names = private.list(&folder)?;
        for name in names.iter().take(names.len().saturating_sub(MAX_REFUSED_UPLOADS)) {
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
        OutboxItem::new(
            UploadEndpoint::Feedback,
            SESSION,
            Instant::from_unix(0),
            json!({ "id": format!("b-{number}") }),
        )
    }

    #[test]
    fn uploads_wait_in_order_once_each_and_no_more_than_fit() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        let turn = outbox.queue_turn().unwrap();
        assert_eq!(turn.add(&[item(1), item(2), item(1)]).unwrap(), 3);
        assert_eq!((outbox.size().unwrap().items, outbox.oldest().unwrap()), (2, Some(item(1))));
        let many: Vec<OutboxItem> = (3..MAX_WAITING_UPLOADS + 10).map(item).collect();
        assert_eq!(turn.add(&many).unwrap(), MAX_WAITING_UPLOADS - 2);
        assert_eq!(outbox.size().unwrap().items, MAX_WAITING_UPLOADS);
        let large = OutboxItem::new(
            UploadEndpoint::Sessions,
            SESSION,
            Instant::from_unix(0),
            json!("x".repeat(64 << 20)),
        );
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

    /// A failure that may be about the upload or about the server.
    fn unexplained() -> CallFailure {
        CallFailure {
            cause: "status 500".to_owned(),
            status: Some(500),
            is_final: false,
            refusal: Some(UploadRefusal::Unexplained),
        }
    }

    #[test]
    fn an_upload_that_always_fails_is_set_aside_once_another_one_at_its_endpoint_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        let session = OutboxItem::new(
            UploadEndpoint::Sessions,
            SESSION,
            Instant::from_unix(0),
            json!({ "messages": [] }),
        );
        outbox.queue_turn().unwrap().add(&[item(1), item(2), session]).unwrap();
        let turn = outbox.delivery_turn().unwrap().unwrap();
        let is_down = std::cell::Cell::new(false);
        let refuses = std::cell::Cell::new(2);
        let send = |sent: &OutboxItem| {
            let number = sent.body["id"].as_str().and_then(|id| id.strip_prefix("b-")?.parse::<u32>().ok());
            let fails = is_down.get() || number.is_some_and(|number| number <= refuses.get());
            if fails { Err(unexplained()) } else { Ok(()) }
        };
        let deliver = |minute: i64| {
            let done = turn.deliver(send, || true, Instant::from_unix(minute * 60)).unwrap();
            (done.delivered, done.set_aside, done.failure.is_some(), outbox.size().unwrap().items)
        };
        for minute in 0..15 {
            assert_eq!(deliver(minute), (0, 0, true, 3), "{minute}");
        }
        // The first one holds up nothing any more, and the second one begins to count.
        for minute in 15..30 {
            assert_eq!(deliver(minute), (0, 0, true, 3), "{minute}");
        }
        assert_eq!(deliver(30), (1, 0, true, 2), "what another endpoint accepts shows nothing");
        is_down.set(true);
        outbox.queue_turn().unwrap().add(&[item(3)]).unwrap();
        assert_eq!(deliver(1_000), (0, 0, true, 3), "a server that takes nothing");
        is_down.set(false);
        refuses.set(1);
        assert_eq!(deliver(1_001), (2, 1, false, 0));
        let refused = outbox.refused().unwrap();
        assert_eq!((refused.len(), refused[0].reason.as_str()), (1, "status 500"));
        refuses.set(0);
        assert_eq!(outbox.queue_turn().unwrap().add_refused().unwrap(), 1);
        assert_eq!(outbox.oldest().unwrap(), Some(item(1)), "its failures are forgotten");
        assert_eq!(deliver(1_002), (1, 0, false, 0));
        assert!(outbox.refused().unwrap().is_empty());
    }

    #[test]
    fn a_full_outbox_leaves_refused_uploads_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = outbox(folder.path());
        let turn = outbox.delivery_turn().unwrap().unwrap();
        for number in 0..2 {
            let name = format!("000000000{number}-a.json");
            turn.set_aside(&name, Instant::from_unix(0), "no".to_owned(), Some(item(number))).unwrap();
        }
        let many: Vec<OutboxItem> = (2..=MAX_WAITING_UPLOADS).map(item).collect();
        outbox.queue_turn().unwrap().add(&many).unwrap();
        assert_eq!(outbox.queue_turn().unwrap().add_refused().unwrap(), 1);
        assert_eq!((outbox.size().unwrap().items, outbox.refused().unwrap().len()), (MAX_WAITING_UPLOADS, 1));
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
        for number in 0..MAX_REFUSED_UPLOADS + 3 {
            let at = Instant::from_unix(1_000_000_000 + i64::try_from(number).unwrap());
            turn.set_aside("0000000001-a.json", at, format!("reason {number}"), Some(item(number))).unwrap();
        }
        let refused = outbox.refused().unwrap();
        assert_eq!((refused.len(), refused[0].reason.as_str()), (MAX_REFUSED_UPLOADS, "reason 3"));
    }
}
