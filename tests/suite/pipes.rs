//! Output to pipes: the program ends silently if the reader closes the pipe, and otherwise writes
//! everything.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::{Sandbox, vault_of};

/// Creates a note of more than a megabyte, and enough notes for lists and graphs of the same size.
fn large() -> Sandbox {
    let sandbox = vault_of("");
    let paragraph = "The harbour master reads the gauge at six and writes it down.\n";
    sandbox.write("notes/large.md", format!("# Large\n\n{}", paragraph.repeat(20_000)));
    for n in 0..60 {
        let title = format!("Gauge {n} {}", "of the outer harbour ".repeat(900));
        sandbox.write(&format!("graph/facts/{n}.md"), format!("# {title}\n\n[[Large]]\n"));
    }
    sandbox.cm(&["reindex"]).ok();
    sandbox
}

const LONG: [&[&str]; 4] = [
    &["get", "Large"],
    &["get", "Large", "--raw"],
    &["search", "gauge", "--limit", "1000", "--json"],
    &["graph", "--json"],
];

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly_and_one_that_reads_on_gets_everything() {
    let sandbox = large();
    for arguments in LONG {
        let mut child =
            sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
    let [got, raw, found, graph] = LONG.map(|arguments| sandbox.cm(arguments).ok());
    for ran in [&got, &raw, &found, &graph] {
        assert!(ran.stdout.len() > 1_000_000, "{} bytes", ran.stdout.len());
    }
    assert_eq!(raw.stdout, sandbox.read("notes/large.md"));
    assert_eq!(found.json()["hits"].as_array().unwrap().len(), 61);
    assert_eq!(graph.json()["nodes"].as_array().unwrap().len(), 61);
}
