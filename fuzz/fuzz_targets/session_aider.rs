//! Parses any bytes as a chat history of Aider.
#![no_main]

mod session;

use cm_agents::ingest::LogFormat;
use cm_session::Agent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::any(Agent::Aider, LogFormat::AiderHistory, bytes);
});
