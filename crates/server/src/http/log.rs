//! The server's log: one line per request and per notable event.
//!
//! Lines contain no secrets, queries, bodies or names chosen by clients. A separate thread writes
//! them; if it is too slow, lines are dropped and counted instead of delaying requests.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use serde_json::json;

use cm_note::instant::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogEntry {
    /// A completed request, or one whose client disconnected (status 499).
    Request {
        /// Time of arrival.
        at: Instant,
        /// Request id.
        request: String,
        /// HTTP method; `OTHER` for uncommon ones.
        method: &'static str,
        /// Path of the endpoint; `other` if unknown.
        endpoint: &'static str,
        /// Status code.
        status: u16,
        /// Duration in microseconds.
        micros: u64,
        /// Client address.
        address: IpAddr,
        /// Name of the token as shown in the log; never the secret.
        token: Option<String>,
    },
    /// An event for the operator.
    Notice {
        /// Time of the event.
        at: Instant,
        /// Kind of event, in kebab-case.
        name: &'static str,
        /// Description.
        message: String,
    },
}

impl fmt::Display for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::Request { at, request, method, endpoint, status, micros, address, token } => json!({
                "at": at, "request": request, "method": method, "endpoint": endpoint, "status": status,
                "ms": (*micros as f64 / 100.0).round() / 10.0, "address": address, "token": token,
            }),
            Self::Notice { at, name, message } => json!({ "at": at, "notice": name, "message": message }),
        };
        write!(f, "{line}")
    }
}

/// Writes one log entry.
pub type LogSink = Arc<dyn Fn(&LogEntry) + Send + Sync>;

/// The queue to the thread that writes the log.
pub struct ServerLog {
    sender: Mutex<Option<SyncSender<LogEntry>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
}

/// Capacity of the queue.
const QUEUE_CAPACITY: usize = 4096;

impl ServerLog {
    /// Starts the writer thread.
    pub fn spawn(sink: LogSink) -> Self {
        let (sender, entries) = sync_channel::<LogEntry>(QUEUE_CAPACITY);
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || entries.iter().for_each(|entry| sink(&entry)));
        // Without a thread there is nobody to write, and each line counts as dropped.
        Self { sender: Mutex::new(Some(sender)), thread: Mutex::new(thread.ok()), dropped: AtomicU64::new(0) }
    }

    /// Queues an entry, or drops it if the queue is full.
    pub fn write(&self, entry: LogEntry) {
        let sender = self.sender.lock();
        if sender.as_ref().is_some_and(|sender| sender.try_send(entry).is_err()) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Number of dropped entries.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Waits until all queued entries are written.
    pub fn close(&self) {
        drop(self.sender.lock().take());
        if let Some(thread) = self.thread.lock().take() {
            // A sink that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}
