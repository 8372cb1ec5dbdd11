//! Parses any bytes as a log of Gemini CLI in any of its formats; invalid ones are counted.
#![no_main]

mod session;

use cm_agents::ingest::LogFormat;
use cm_session::Agent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::any(Agent::Gemini, LogFormat::GeminiLines, bytes);
    session::any(Agent::Gemini, LogFormat::GeminiDocument, bytes);
});
