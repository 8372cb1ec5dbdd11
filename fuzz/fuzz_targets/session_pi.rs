//! Parses any bytes as a record tree of Pi; invalid ones are counted.
#![no_main]

mod session;

use cm_agents::ingest::LogFormat;
use cm_session::Agent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::any(Agent::Pi, LogFormat::PiTree, bytes);
});
