//! Parses any bytes as a log of Copilot CLI in any of its formats; invalid ones are counted.
#![no_main]

mod session;

use cm_agents::ingest::LogFormat;
use cm_session::Agent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::appended(Agent::CopilotCli, LogFormat::CopilotLines, bytes);
    session::any(Agent::CopilotCli, LogFormat::CopilotDocument, bytes);
});
