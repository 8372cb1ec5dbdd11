//! Notifications about changed resources: by an open request (`subscriptions/listen`) in the
//! current revision, and by session subscriptions in older ones.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::change_feed::{ChangeListener, PendingChanges};
use super::resources::MAX_URI_BYTES;
use super::{McpServer, failure};
use crate::operations::Catalog;
use cm_app::{Error, Result};

/// Time to wait for further changes, so that one commit causes one notification.
const COALESCING_TIME: Duration = Duration::from_millis(100);

/// Subscriptions of a session of an older revision.
#[derive(Debug)]
pub(super) struct Subscriptions {
    uris: Mutex<BTreeSet<String>>,
    most: usize,
    begun: AtomicBool,
}

impl Subscriptions {
    pub(super) fn new(most: usize) -> Self {
        Self { uris: Mutex::default(), most, begun: AtomicBool::new(false) }
    }

    /// Marks the session as ready; returns whether this is the first time.
    pub(super) fn begin(&self) -> bool {
        !self.begun.swap(true, Ordering::AcqRel)
    }

    /// Adds a subscription.
    ///
    /// # Errors
    /// There are too many subscriptions, or the URI is too long.
    pub(super) fn add(&self, uri: String) -> Result<()> {
        let mut uris = self.uris.lock();
        if uri.len() > MAX_URI_BYTES || (uris.len() >= self.most && !uris.contains(&uri)) {
            let message = format!("a session may have at most {} subscriptions", self.most);
            return Err(Error::refused("too-many", message).hint("end one with resources/unsubscribe"));
        }
        uris.insert(uri);
        Ok(())
    }

    /// Removes a subscription; does nothing if there is none.
    pub(super) fn remove(&self, uri: &str) {
        self.uris.lock().remove(uri);
    }

    fn updated(&self, news: &PendingChanges, catalog: &Catalog) -> Vec<String> {
        news.updated(&self.uris.lock(), catalog)
    }
}

/// Forwards changes of subscribed resources to a session of an older revision until it ends.
pub(super) async fn forward(
    peer: Peer<RoleServer>,
    mut listener: ChangeListener,
    subscriptions: Arc<Subscriptions>,
    catalog: Catalog,
    ended: CancellationToken,
) {
    let notify = async {
        while let Some(news) = batched(&mut listener).await {
            if news.changes_list() && peer.notify_resource_list_changed().await.is_err() {
                return;
            }
            for uri in subscriptions.updated(&news, &catalog) {
                let param = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(param).await.is_err() {
                    return;
                }
            }
        }
    };
    ended.run_until_cancelled(notify).await;
}

/// Sends the requested notifications to a client of the current revision until either side ends.
///
/// # Errors
/// The limit of listeners is reached.
pub(super) async fn listen(
    server: &McpServer,
    ended: &CancellationToken,
    context: SubscriptionContext,
) -> std::result::Result<(), ErrorData> {
    let mut listener = server.feed().listen();
    let place = Arc::clone(server.listeners()).try_acquire_owned();
    let _place = place.map_err(|_| {
        let error = Error::refused("busy", "there are too many subscriptions");
        failure::of_request(&error.hint("read the resource when you need it"))
    })?;
    server.feed().watcher_started().await;
    let accepted = context.accepted().clone();
    let followed_uris = accepted.resource_subscriptions.into_iter().flatten().collect();
    let lists = accepted.resources_list_changed == Some(true);
    let notify = async {
        while let Some(news) = batched(&mut listener).await {
            if lists && news.changes_list() && context.sink().notify_resource_list_changed().await.is_err() {
                return;
            }
            for uri in news.updated(&followed_uris, server.catalog()) {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = notify => {}
        () = context.cancelled() => {}
        () = ended.cancelled() => {}
    }
    Ok(())
}

async fn batched(listener: &mut ChangeListener) -> Option<PendingChanges> {
    let news = listener.changes().await?;
    tokio::time::sleep(COALESCING_TIME).await;
    Some(listener.with_more(news))
}
