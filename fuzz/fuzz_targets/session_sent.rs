//! Any bytes are the log of a session that was sent to a vault, or are counted as none.
#![no_main]

mod session;

use cm_session::Agent;
use cm_agents::ingest::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| session::appended(Agent::Codex, Format::SentLines, bytes));
