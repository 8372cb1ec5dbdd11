//! CurationDelta files are parsed or rejected without a panic; writing and parsing again yields the same
//! value.
#![no_main]

use cm_playbook::curation::delta::DeltaFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match DeltaFile::parse(text) {
        Ok(file) => {
            for delta in &file.deltas {
                let _ = (delta.kind(), delta.ids());
            }
            let written = serde_json::to_string(&file).expect("what was read from JSON is written as JSON");
            let again = DeltaFile::parse(&written).expect("what was written is read");
            let kinds = |file: &DeltaFile| {
                file.deltas.iter().map(cm_playbook::curation::delta::CurationDelta::kind).collect::<Vec<_>>()
            };
            assert_eq!(kinds(&again), kinds(&file));
        }
        Err(error) => assert!(!error.message.is_empty(), "a refusal says why"),
    }
});
