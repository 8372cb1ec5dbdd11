//! Uploads that wait for a server which no folder calls any more, such as one whose address changed.
//!
//! They are never sent to another server by themselves: a person decides which one may have them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::verbs::server_client::connection;
use crate::verbs::server_client::outbox::Outbox;
use cm_store::vault::{PrivateFolder, PrivateHome};

/// A server that no folder calls any more, and what waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormerServer {
    /// Name of its private folder: its host with a hash of its address.
    pub name: String,
    /// Number of uploads that wait for it.
    pub waiting: usize,
    /// Size of these uploads, in bytes.
    pub waiting_bytes: u64,
    /// Time at which the oldest of them was added, as RFC 3339.
    pub oldest: Option<String>,
}

/// Lists the servers that no folder calls any more and for which uploads wait.
///
/// # Errors
/// Private files that cannot be read.
pub(crate) fn former_servers(home: &PrivateHome) -> Result<Vec<FormerServer>> {
    let folders = former_folders(home)?;
    let former = folders.iter().map(|private| {
        let outbox = Outbox::of(private);
        let size = outbox.size()?;
        let oldest = outbox.oldest()?.map(|item| item.at.to_string());
        let name = private.key().to_owned();
        Ok(FormerServer { name, waiting: size.items, waiting_bytes: size.bytes, oldest })
    });
    let former = former.collect::<Result<Vec<_>>>()?;
    Ok(former.into_iter().filter(|server| server.waiting > 0).collect())
}

/// Finds the outbox of a former server by its name in [`FormerServer`] or by its address.
///
/// # Errors
/// Returns an error if nothing waits for the server, if a folder still calls it, or if private files cannot be read.
pub(crate) fn former_outbox(home: &PrivateHome, typed: &str) -> Result<Outbox> {
    let address = connection::parse_address(typed).map(|url| home.of_server(&url.to_string()));
    let key = address.as_ref().map_or(typed, PrivateFolder::key);
    let found = former_folders(home)?.into_iter().find(|private| private.key() == key);
    let found = found.ok_or_else(|| {
        Error::not_found(format!("nothing waits for a former server `{typed}`"))
            .hint("`cm hooks status` names the servers that no folder calls any more")
    })?;
    Ok(Outbox::of(&found))
}

fn former_folders(home: &PrivateHome) -> Result<Vec<PrivateFolder>> {
    let stored = connection::stored(home)?;
    let called: Vec<PrivateFolder> = stored.iter().map(|one| home.of_server(&one.server)).collect();
    let all = home.server_folders()?;
    Ok(all.into_iter().filter(|private| called.iter().all(|other| other.key() != private.key())).collect())
}
