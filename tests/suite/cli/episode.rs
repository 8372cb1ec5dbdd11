//! `cm episode`

use super::small::{commits, committed, message, small};

const DAY: &str = "episodes/2026-11-21.md";

#[test]
fn entries_of_a_day_are_appended_to_its_file() {
    let sandbox = small();
    let ran = sandbox.cm(&[
        "episode",
        "Release 1.4",
        "--type",
        "workflow",
        "--tags",
        "release,net",
        "--memory",
        "1f0c2a",
        "--summary",
        "Went out at noon.",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    episodes/2026-11-21.md  12:00 - Release 1.4  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Log "Release 1.4" on 2026-11-21

    Cm-Op: episode
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    Cm-Operation: 6e9de47762154953a4372ddd587d5c51
    "#);
    let first = sandbox.read(DAY);
    sandbox
        .run(&["episode", "Gauges are back", "--summary", "-"])
        .env("CM_NOW", "2026-11-21T15:30:00Z")
        .stdin("All of them.")
        .go()
        .ok();
    let both = sandbox.read(DAY);
    assert!(both.starts_with(&first), "what stands is never changed");
    insta::assert_snapshot!(both, @r"
    ---
    date: 2026-11-21
    ---

    # 2026-11-21

    ## 12:00 - Release 1.4
    - **Type**: workflow
    - **Tags**: release, net
    - **Memory**: [Retry with jitter](../graph/solutions/retry-with-jitter-1f0c2a.md)
    - **Summary**: Went out at noon.

    ## 15:30 - Gauges are back
    - **Summary**: All of them.
    ");
    assert_eq!(committed(&sandbox), format!("M\t{DAY}\n"));
    assert_eq!(sandbox.cm(&["validate"]).ok().stderr, "");
}

#[test]
fn the_json_of_an_entry_names_file_heading_and_commit() {
    let sandbox = small();
    let ran = sandbox.cm(&["episode", "Release 1.4", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "path": "episodes/2026-11-21.md",
      "entry": "12:00 - Release 1.4",
      "commit": "[COMMIT]"
    }
    [exit 0]
    "#);
}

#[test]
fn a_half_written_entry_stays_uncommitted() {
    let sandbox = small();
    sandbox.cm(&["episode", "Release 1.4"]).ok();
    sandbox.write(DAY, sandbox.read(DAY).replace("Release 1.4", "Release 1.4, by hand"));
    sandbox.cm(&["episode", "Gauges are back"]).ok();
    assert!(sandbox.read(DAY).contains("Release 1.4, by hand"));
    assert!(!sandbox.git(&["show", &format!("HEAD:{DAY}")]).contains("by hand"));
    assert!(sandbox.git(&["show", &format!("HEAD:{DAY}")]).contains("Gauges are back"));
}

#[test]
fn an_entry_about_a_note_that_is_not_there_is_refused() {
    let sandbox = small();
    let ran = sandbox.cm(&["episode", "Release 1.4", "--memory", "Retry"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `Retry` not found
     hint: did you mean 1f0c2a00-0000-4000-8000-000000000001 (Retry with jitter)?
    [exit 4]
    ");
    let ran = sandbox.cm(&["episode", "  "]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: the title is empty
     hint: describe it in a few words
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["episode"]).code, 2);
    assert_eq!(commits(&sandbox), 1);
    assert!(!sandbox.vault().join(DAY).exists());
}
