//! The integration test binary: the program as its users run it, and the architecture rules.
//!
//! Most tests are next to the code under test; these need the complete program.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests own their temporary folders and start the program; a failure is meant to stop them"
)]

mod agent_life;
mod architecture;
mod as_of;
mod briefed_sessions;
mod cli;
mod condense;
mod conflicts;
mod damage;
mod diaries;
mod documents;
mod evidence;
mod formats;
mod friction;
mod frontmatter;
mod generated;
mod guard;
mod hook_requests;
mod hooks;
mod hostile;
mod http;
mod ignored_rules;
mod json;
mod later_word;
mod learned_secrets;
mod lesson_life;
mod malformed_files;
mod meaning;
mod notes;
mod obsidian;
mod obsidian_help;
mod obsidian_links;
mod operations;
mod parity;
mod pipes;
mod playbook_life;
mod races;
mod recurring;
mod roles;
mod sandbox;
mod schema;
mod secrecy;
mod secret_formats;
mod secrets;
mod secrets_in_git;
mod server_client;
mod sessions;
mod support;
mod team;
mod two_vaults;
mod warm;
mod warm_values;
mod whole_vault;
mod write_path;
