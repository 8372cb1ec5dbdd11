//! Requests in this process on the sandbox's vault, as a server makes them.

use std::ffi::OsString;

use cm_app::{CallerIdentity, Request};
use cm_note::instant::Instant;

use super::Sandbox;
use super::sandbox::NOW;

/// Returns the request that the program would make for these arguments, with the same time and
/// generated ids.
pub fn request(sandbox: &Sandbox, arguments: &[&str]) -> Request {
    let words: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    Request {
        cwd: sandbox.vault(),
        vault: None,
        home: Some(sandbox.root().join("home")),
        global: Some(sandbox.root().join("no-global-vault")),
        private: Some(sandbox.private_home()),
        variables: [("CM_EMBEDDINGS_BUDGET_MS", "0"), ("CM_SESSIONS_WORKSPACES", "/")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        environment: std::collections::BTreeMap::new(),
        now: Instant::parse(NOW).unwrap(),
        now_is_given: true,
        seed: Some(format!("7 {:?}", Some(words.as_slice()))),
        no_refresh: false,
        for_prompts: false,
        caller: CallerIdentity::default(),
        clock: || 0,
        threads: 1,
        verb: "cm".to_owned(),
        holder: "a test".to_owned(),
        watch: Default::default(),
    }
}

impl Sandbox {
    /// Configures Git in the sandbox's repository independently of the user's settings.
    pub fn own_identity(&self) {
        for (key, value) in [
            ("user.name", "Ada Example"),
            ("user.email", "ada@example.org"),
            ("commit.gpgsign", "false"),
            ("maintenance.auto", "false"),
            ("gc.auto", "0"),
        ] {
            self.git(&["config", "--local", key, value]);
        }
    }
}
