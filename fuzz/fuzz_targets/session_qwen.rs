//! Parses any bytes as a log of Qwen Code; invalid ones are counted.
#![no_main]

mod session;

use cm_agents::ingest::LogFormat;
use cm_session::Agent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::appended(Agent::Qwen, LogFormat::QwenLines, bytes);
});
