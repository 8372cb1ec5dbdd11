//! Parses any bytes as a log of Copilot CLI in any of its formats; invalid ones are counted.
#![no_main]

mod session;

use cm_session::Agent;
use cm_agents::ingest::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::appended(Agent::CopilotCli, Format::CopilotLines, bytes);
    session::any(Agent::CopilotCli, Format::CopilotDocument, bytes);
});
