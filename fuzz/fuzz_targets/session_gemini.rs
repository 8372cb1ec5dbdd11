//! Parses any bytes as a log of Gemini CLI in any of its formats; invalid ones are counted.
#![no_main]

mod session;

use cm_session::Agent;
use cm_agents::ingest::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::any(Agent::Gemini, Format::GeminiLines, bytes);
    session::any(Agent::Gemini, Format::GeminiDocument, bytes);
});
