//! The request of a caller: what a surface passes to every operation.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::context::actor::CallerIdentity;
use crate::context::progress::ProgressWatch;
use cm_note::instant::Instant;
use cm_store::vault::PrivateHome;

/// Parameters and environment of a call, as provided by the surface.
#[derive(Clone)]
pub struct Request {
    /// The working directory.
    pub cwd: PathBuf,
    /// The explicitly selected vault; if set, no other vault is opened.
    pub vault: Option<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Folder of the global vault.
    pub global: Option<PathBuf>,
    /// Location of the user's private files; `None` without a home folder.
    pub private: Option<PrivateHome>,
    /// Environment variables that are settings or replace one.
    pub variables: BTreeMap<String, String>,
    /// The complete environment. Model programs receive only a small part of it.
    pub environment: BTreeMap<String, String>,
    /// Time at which the call began; constant during the call.
    pub now: Instant,
    /// Whether `now` was set explicitly, so that it applies to all calls of a long-lived process.
    pub now_is_given: bool,
    /// Makes new IDs reproducible: equal seeds generate equal IDs.
    pub seed: Option<String>,
    /// Use indexes without a refresh.
    pub no_refresh: bool,
    /// Whether the response becomes part of an agent's prompt. Only trusted vaults are opened then.
    pub for_prompts: bool,
    pub by: CallerIdentity,
    /// Monotonic clock in milliseconds, used for time limits.
    pub clock: fn() -> u64,
    /// Maximum number of computing threads.
    pub threads: usize,
    /// The command that runs, such as `cm sessions`.
    pub verb: String,
    /// Name of this process in the lock file, such as `process 7 (cm add)`.
    pub holder: String,
    /// Reports progress to the client and receives its cancellation.
    pub watch: ProgressWatch,
}

impl fmt::Debug for Request {
    // Of the variables only the names, for one may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.variables.keys().collect();
        let mut call = f.debug_struct("Request");
        call.field("cwd", &self.cwd).field("vault", &self.vault).field("global", &self.global);
        call.field("variables", &names).field("now", &self.now).field("seed", &self.seed);
        call.field("no_refresh", &self.no_refresh).field("by", &self.by).field("holder", &self.holder);
        call.finish()
    }
}
