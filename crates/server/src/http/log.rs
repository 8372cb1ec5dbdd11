//! What the server tells about itself: a line a request, and a line where something happened.
//!
//! No line holds a secret, a query, a body or a name that a client chose. Lines are written by a thread of their own; where
//! nobody takes them, they are dropped and counted, and no request waits for them.

use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::json;

use cm_note::instant::Instant;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A request that was answered, or whose client left (status 499).
    Request {
        /// When it came.
        at: Instant,
        /// What it is called.
        request: String,
        /// Its method, `OTHER` for an unusual one.
        method: &'static str,
        /// The endpoint; `other` where there is none.
        endpoint: &'static str,
        /// The answer.
        status: u16,
        /// How long it took.
        micros: u64,
        /// From where.
        address: IpAddr,
        /// The name of its token.
        token: Option<String>,
    },
    /// Something that an operator wants to know.
    Notice {
        /// When.
        at: Instant,
        /// What kind of thing, kebab-case.
        name: &'static str,
        /// What.
        message: String,
    },
}

impl fmt::Display for Entry {
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

/// What writes a line.
pub type Sink = Arc<dyn Fn(&Entry) + Send + Sync>;

/// The way to the sink.
pub struct Log {
    sender: Mutex<Option<SyncSender<Entry>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
}

/// So many lines wait for the sink.
const WAITING: usize = 4096;

impl Log {
    /// Begins to hand lines to the sink.
    pub fn to(sink: Sink) -> Self {
        let (sender, entries) = sync_channel::<Entry>(WAITING);
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || entries.iter().for_each(|entry| sink(&entry)));
        // Without a thread there is nobody to write, and each line counts as dropped.
        Self { sender: Mutex::new(Some(sender)), thread: Mutex::new(thread.ok()), dropped: AtomicU64::new(0) }
    }

    /// Tells.
    pub fn tell(&self, entry: Entry) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.as_ref().is_some_and(|sender| sender.try_send(entry).is_err()) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines that nobody took.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Waits until the lines so far are written.
    pub fn close(&self) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A sink that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}
