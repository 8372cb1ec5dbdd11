//! Broadcasts changes of the vault from the file watcher to all subscribers.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use tokio::sync::watch;

use crate::operations::Catalog;

/// Number of messages that a subscriber may lag behind before it is notified that everything
/// changed.
const CAPACITY: usize = 64;

/// A file that was created, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path relative to the vault, separated by `/`.
    pub path: String,
    /// ID of the note, if known.
    pub id: Option<String>,
}

/// The broadcast channel of changes; clones share it.
#[derive(Debug, Clone)]
pub struct ChangeFeed {
    sender: Sender<Arc<[ChangedFile]>>,
    is_awake: watch::Sender<bool>,
}

/// Guard of a watcher that is still starting. Dropping it means that the watcher runs or has
/// failed.
#[derive(Debug)]
pub struct WatcherStartGuard(watch::Sender<bool>);

impl Drop for WatcherStartGuard {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

impl ChangeFeed {
    pub fn new() -> Self {
        Self { sender: Sender::new(CAPACITY), is_awake: watch::Sender::new(true) }
    }

    /// Makes subscribers wait until the returned guard is dropped, so that they miss no changes
    /// after their subscription.
    pub fn start_watcher(&self) -> WatcherStartGuard {
        self.is_awake.send_replace(false);
        WatcherStartGuard(self.is_awake.clone())
    }

    /// Publishes that these files changed together. Does not block.
    pub fn publish(&self, changed: impl Into<Arc<[ChangedFile]>>) {
        // Nobody who listens is no failure.
        let _ = self.sender.send(changed.into());
    }

    pub(super) fn listen(&self) -> ChangeListener {
        ChangeListener(self.sender.subscribe())
    }

    /// Waits until the watcher has started.
    pub(super) async fn watcher_started(&self) {
        // It cannot be closed as long as the feed is there.
        let _ = self.is_awake.subscribe().wait_for(|is_awake| *is_awake).await;
    }
}

impl Default for ChangeFeed {
    fn default() -> Self {
        Self::new()
    }
}

/// A subscriber of changes.
#[derive(Debug)]
pub(super) struct ChangeListener(Receiver<Arc<[ChangedFile]>>);

/// Changes since the last call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PendingChanges {
    changed: Vec<ChangedFile>,
    /// Whether messages were missed, so that everything may have changed.
    everything: bool,
}

impl ChangeListener {
    /// Waits for changes; `None` if the feed is closed.
    pub(super) async fn changes(&mut self) -> Option<PendingChanges> {
        let mut news = PendingChanges::default();
        match self.0.recv().await {
            Ok(changed) => news.changed.extend_from_slice(&changed),
            Err(RecvError::Lagged(_)) => news.everything = true,
            Err(RecvError::Closed) => return None,
        }
        Some(news)
    }

    /// Adds all changes that have already arrived, without waiting.
    pub(super) fn with_more(&mut self, mut news: PendingChanges) -> PendingChanges {
        loop {
            match self.0.try_recv() {
                Ok(changed) => news.changed.extend_from_slice(&changed),
                Err(broadcast::error::TryRecvError::Lagged(_)) => news.everything = true,
                Err(_) => return news,
            }
        }
    }
}

impl PendingChanges {
    /// Whether the list of resources changed, because it contains recently changed notes.
    pub(super) fn changes_list(&self) -> bool {
        self.everything || self.changed.iter().any(|changed| changed.id.is_some())
    }

    /// The subscribed resources that changed, in order.
    pub(super) fn updated(&self, wanted: &BTreeSet<String>, catalog: &Catalog) -> Vec<String> {
        wanted.iter().filter(|uri| self.everything || self.changes(uri, catalog)).cloned().collect()
    }

    fn changes(&self, uri: &str, catalog: &Catalog) -> bool {
        match super::resources::note_of(uri) {
            Some(id) => self.changed.iter().any(|changed| changed.id.as_deref() == Some(id.as_str())),
            None => catalog
                .resources
                .iter()
                .filter(|resource| resource.uri == uri)
                .any(|resource| self.changed.iter().any(|changed| (resource.changes_with)(&changed.path))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str) -> ChangedFile {
        ChangedFile { path: path.to_owned(), id: None }
    }

    #[tokio::test]
    async fn news_that_came_together_are_heard_together() {
        let feed = ChangeFeed::new();
        let mut listener = feed.listen();
        feed.publish([changed("a.md")]);
        feed.publish([changed("b.md")]);
        let news = listener.changes().await.unwrap();
        let news = listener.with_more(news);
        assert_eq!(news.changed, [changed("a.md"), changed("b.md")]);
        assert!(!news.everything);
    }

    #[tokio::test]
    async fn who_subscribes_waits_until_somebody_watches() {
        let feed = ChangeFeed::new();
        feed.watcher_started().await;
        let waking = feed.start_watcher();
        let waits = feed.clone();
        let subscribed = tokio::spawn(async move { waits.watcher_started().await });
        tokio::task::yield_now().await;
        assert!(!subscribed.is_finished());
        drop(waking);
        subscribed.await.unwrap();
    }

    #[tokio::test]
    async fn who_listens_too_slowly_hears_that_everything_changed() {
        let feed = ChangeFeed::new();
        let mut listener = feed.listen();
        (0..=CAPACITY).for_each(|_| feed.publish([changed("a.md")]));
        assert!(listener.changes().await.unwrap().everything);
        drop(feed);
        listener.with_more(PendingChanges::default());
        assert_eq!(listener.changes().await, None);
    }
}
