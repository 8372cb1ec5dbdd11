//! Tests with complete logs: the golden corpus, forks, and file order.

mod golden;
mod laws;

use std::fs;
use std::path::{Path, PathBuf};

use cm_learn::friction::{FrictionAnalysis, FrictionConfig, FrictionRules, claude_lines, conclude, examine};
use cm_note::instant::Instant;

/// Folder of the golden corpus.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/friction")
}

/// Returns the logs of the golden corpus, sorted by name.
fn logs() -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join("input/-home-dev-demo");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

fn now() -> Instant {
    Instant::parse("2026-11-21T20:36:45Z").unwrap()
}

/// Analyzes Claude Code logs, parsed line by line without the connector.
fn analysed<'l>(
    rules: FrictionRules,
    logs: impl IntoIterator<Item = &'l (String, Vec<u8>)>,
) -> FrictionAnalysis {
    let config = FrictionConfig::of(rules);
    let logs = logs.into_iter().map(|(name, bytes)| claude_lines::log("-home-dev-demo", name, bytes));
    conclude(logs.map(|log| examine(&log, &config)).collect(), &config, now())
}
