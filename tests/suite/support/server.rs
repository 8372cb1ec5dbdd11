//! Calls that are made in this process, as a server makes them, in the sandbox's vault.

use std::ffi::OsString;

use cm_app::{By, Call};
use cm_note::instant::Instant;

use super::Sandbox;
use super::sandbox::NOW;

/// The call that the program makes of these arguments in the sandbox: the same instant, and the same ids are drawn.
pub fn call(sandbox: &Sandbox, arguments: &[&str]) -> Call {
    let words: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    Call {
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
        by: By::default(),
        clock: || 0,
        threads: 1,
        verb: "cm".to_owned(),
        holder: "a test".to_owned(),
        watch: Default::default(),
    }
}

impl Sandbox {
    /// Lets git in this process behave as it does in the sandbox, whoever runs the tests.
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
