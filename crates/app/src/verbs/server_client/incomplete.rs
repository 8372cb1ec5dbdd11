//! Sessions of which a part waits in its log because the outbox was full: one private file each.

use std::path::PathBuf;

use crate::error::Result;
use crate::verbs::server_client::session_upload::SessionReference;
use cm_agents::hook::injection_log::file_name;
use cm_store::vault::PrivateFolder;

/// The list of these sessions, of one server.
#[derive(Debug, Clone)]
pub struct IncompleteSessions {
    private: PrivateFolder,
}

impl IncompleteSessions {
    #[must_use]
    pub fn of(private: &PrivateFolder) -> Self {
        Self { private: private.clone() }
    }

    /// The sessions, by name.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn all(&self) -> Result<Vec<SessionReference>> {
        let mut found = Vec::new();
        for name in self.private.list(&self.folder())? {
            found.extend(self.private.read_json::<SessionReference>(&self.folder().join(name))?);
        }
        Ok(found)
    }

    /// Number of these sessions.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn count(&self) -> Result<usize> {
        Ok(self.private.list(&self.folder())?.len())
    }

    /// Whether a session is in the list.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn contains(&self, session: &SessionReference) -> Result<bool> {
        Ok(self.private.read(&self.file(session))?.is_some())
    }

    /// Adds a session. Returns `false` if it is in the list already.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn add(&self, session: &SessionReference) -> Result<bool> {
        if self.contains(session)? {
            return Ok(false);
        }
        self.private.write_json(&self.file(session), session)?;
        Ok(true)
    }

    /// Removes a session, which need not be in the list.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn remove(&self, session: &SessionReference) -> Result<()> {
        Ok(self.private.remove(&self.file(session))?)
    }

    /// Folder of the private files.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.private.state().join("incomplete")
    }

    fn file(&self, session: &SessionReference) -> PathBuf {
        self.folder().join(file_name(&session.session))
    }
}
