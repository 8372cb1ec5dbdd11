//! Any bytes are a thread of Amp, or are counted as none.
#![no_main]

mod session;

use cm_session::Agent;
use cm_agents::ingest::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    session::any(Agent::Amp, Format::AmpThread, bytes);
});
