//! What changed in the vault, from whoever watches it to all who wait for news.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use tokio::sync::watch;

use crate::operations::Offer;

/// How many pieces of news one who listens may lag behind before it is told that everything changed.
const KEPT: usize = 64;

/// A file that was made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its path, relative to the vault, with `/`.
    pub path: String,
    /// The id of the note that it is or was, where that is known.
    pub id: Option<String>,
}

/// Where changes are told; clones tell the same listeners.
#[derive(Debug, Clone)]
pub struct Feed {
    told: Sender<Arc<[Changed]>>,
    is_awake: watch::Sender<bool>,
}

/// Whoever watches the vault, before it does. Dropping it says that it does from now on, or never will.
#[derive(Debug)]
pub struct Waking(watch::Sender<bool>);

impl Drop for Waking {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

impl Feed {
    /// A feed that nobody listens to yet.
    pub fn new() -> Self {
        Self { told: Sender::new(KEPT), is_awake: watch::Sender::new(true) }
    }

    /// Has those wait who subscribe, until what is returned is dropped: a change after their subscription is told.
    pub fn waking(&self) -> Waking {
        self.is_awake.send_replace(false);
        Waking(self.is_awake.clone())
    }

    /// Tells that these files changed together; from any thread, and at once.
    pub fn tell(&self, changed: impl Into<Arc<[Changed]>>) {
        // Nobody who listens is no failure.
        let _ = self.told.send(changed.into());
    }

    pub(super) fn listen(&self) -> Listener {
        Listener(self.told.subscribe())
    }

    /// Waits until changes are watched for.
    pub(super) async fn awake(&self) {
        // It cannot be closed as long as the feed is there.
        let _ = self.is_awake.subscribe().wait_for(|is_awake| *is_awake).await;
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

/// One who waits for news.
#[derive(Debug)]
pub(super) struct Listener(Receiver<Arc<[Changed]>>);

/// What is new since one listened last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct News {
    changed: Vec<Changed>,
    /// So much happened that nobody knows what.
    everything: bool,
}

impl Listener {
    /// Waits for news; `None` where there will be none any more.
    pub(super) async fn news(&mut self) -> Option<News> {
        let mut news = News::default();
        match self.0.recv().await {
            Ok(changed) => news.changed.extend_from_slice(&changed),
            Err(RecvError::Lagged(_)) => news.everything = true,
            Err(RecvError::Closed) => return None,
        }
        Some(news)
    }

    /// The news with what came meanwhile, not waiting for more.
    pub(super) fn with_more(&mut self, mut news: News) -> News {
        loop {
            match self.0.try_recv() {
                Ok(changed) => news.changed.extend_from_slice(&changed),
                Err(broadcast::error::TryRecvError::Lagged(_)) => news.everything = true,
                Err(_) => return news,
            }
        }
    }
}

impl News {
    /// Whether the list of resources is another: it names notes that changed last.
    pub(super) fn changes_list(&self) -> bool {
        self.everything || self.changed.iter().any(|changed| changed.id.is_some())
    }

    /// Which of these resources are others, in order.
    pub(super) fn updated(&self, wanted: &BTreeSet<String>, offer: &Offer) -> Vec<String> {
        wanted.iter().filter(|uri| self.everything || self.changes(uri, offer)).cloned().collect()
    }

    fn changes(&self, uri: &str, offer: &Offer) -> bool {
        match super::resources::note_of(uri) {
            Some(id) => self.changed.iter().any(|changed| changed.id.as_deref() == Some(id.as_str())),
            None => offer
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

    fn changed(path: &str) -> Changed {
        Changed { path: path.to_owned(), id: None }
    }

    #[tokio::test]
    async fn news_that_came_together_are_heard_together() {
        let feed = Feed::new();
        let mut listener = feed.listen();
        feed.tell([changed("a.md")]);
        feed.tell([changed("b.md")]);
        let news = listener.news().await.unwrap();
        let news = listener.with_more(news);
        assert_eq!(news.changed, [changed("a.md"), changed("b.md")]);
        assert!(!news.everything);
    }

    #[tokio::test]
    async fn who_subscribes_waits_until_somebody_watches() {
        let feed = Feed::new();
        feed.awake().await;
        let waking = feed.waking();
        let waits = feed.clone();
        let subscribed = tokio::spawn(async move { waits.awake().await });
        tokio::task::yield_now().await;
        assert!(!subscribed.is_finished());
        drop(waking);
        subscribed.await.unwrap();
    }

    #[tokio::test]
    async fn who_listens_too_slowly_hears_that_everything_changed() {
        let feed = Feed::new();
        let mut listener = feed.listen();
        (0..=KEPT).for_each(|_| feed.tell([changed("a.md")]));
        assert!(listener.news().await.unwrap().everything);
        drop(feed);
        listener.with_more(News::default());
        assert_eq!(listener.news().await, None);
    }
}
