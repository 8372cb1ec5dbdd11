//! The request of a caller: what a surface passes to every operation.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::context::actor::CallerIdentity;
use crate::context::progress::ProgressWatch;
use cm_note::instant::Instant;
use cm_store::vault::PrivateHome;

/// Parameters and environment of one operation, as the CLI, MCP or HTTP interface received them.
#[derive(Clone)]
pub struct Request {
    /// Working directory of the request; relative paths refer to it.
    pub cwd: PathBuf,
    /// The explicitly selected vault; if set, no other vault is opened.
    pub vault: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Folder of the user's global vault; `None` if it cannot be determined.
    pub global: Option<PathBuf>,
    /// Location of the user's private files; `None` without a home folder.
    pub private: Option<PrivateHome>,
    /// Environment variables that set or override a setting, such as `CM_AGENT`.
    pub variables: BTreeMap<String, String>,
    /// All environment variables. Programs that run a model receive only a few of them.
    pub environment: BTreeMap<String, String>,
    /// Time at which the request began; constant during the request.
    pub now: Instant,
    /// Whether `now` was set explicitly, so that it applies to all requests of a long-lived process.
    pub now_is_given: bool,
    /// Seed of the random part of new IDs: equal seeds generate equal IDs.
    pub seed: Option<String>,
    /// Use the indexes as they are, without looking for changed files.
    pub no_refresh: bool,
    /// Whether the response becomes part of an agent's prompt. Only trusted vaults are opened then.
    pub for_prompts: bool,
    pub caller: CallerIdentity,
    /// Monotonic clock in milliseconds, used for time limits.
    pub clock: fn() -> u64,
    /// Maximum number of threads for computations.
    pub threads: usize,
    /// The running command, such as `cm sessions`; recorded when sessions are read.
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
        let mut debug = f.debug_struct("Request");
        debug.field("cwd", &self.cwd).field("vault", &self.vault).field("global", &self.global);
        debug.field("variables", &names).field("now", &self.now).field("seed", &self.seed);
        debug
            .field("no_refresh", &self.no_refresh)
            .field("caller", &self.caller)
            .field("holder", &self.holder);
        debug.finish()
    }
}
