//! Promises of reading commands.

use proptest::prelude::*;

use super::*;

fn lines(text: &str) -> Vec<String> {
    read(text).commands.iter().map(Simple::line).collect()
}

#[test]
fn sequences_pipes_and_brackets_are_taken_apart() {
    assert_eq!(lines("a 1; b && c || d | e & f\ng"), ["a 1", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(lines("(cd x && rm -rf y) > log 2>&1"), ["cd x", "rm -rf y", ""]);
    assert_eq!(
        lines("if test -f a; then rm a; fi; for x in 1 2; do rm $x; done"),
        ["test -f a", "rm a", "rm $x"]
    );
}

#[test]
fn quotes_comments_and_bodies_are_data() {
    assert_eq!(lines("echo 'rm -rf /; x' \"a && b\" c\\ d # rm -rf /"), ["echo rm -rf /; x a && b c d"]);
    assert_eq!(lines("cat <<EOF > a\nrm -rf /\nEOF\nls"), ["cat", "ls"]);
    assert_eq!(read("cat <<'E'\nx\nE").commands[0].input.as_deref(), Some("x\n"));
}

#[test]
fn what_runs_within_is_found() {
    for text in [
        "x=$(rm -rf a)",
        "echo \"`rm -rf a`\"",
        "bash -c 'rm -rf a'",
        "sudo -u root rm -rf a",
        "env X=1 nohup rm -rf a",
        "timeout 5 rm -rf a",
        "ls | xargs -n 1 rm -rf a",
        "ssh -p 22 host 'rm -rf a'",
        "ssh host rm -rf a",
        "docker exec -it web rm -rf a",
        "kubectl exec -n x pod -- rm -rf a",
        "eval \"rm -rf a\"",
        "echo 'rm -rf a' | sh",
        "bash <<E\nrm -rf a\nE",
        "find . -exec rm -rf a \\;",
        "sh -c \"bash -c 'rm -rf a'\"",
        "diff <(rm -rf a) b",
        "/bin/rm -rf a",
    ] {
        assert!(lines(text).contains(&"rm -rf a".to_owned()), "{text}: {:?}", lines(text));
    }
}

#[test]
fn a_change_of_folder_holds_for_what_follows() {
    let folders =
        |text: &str| read(text).commands.iter().map(|command| command.folder.clone()).collect::<Vec<_>>();
    assert_eq!(folders("cd /; rm a"), [None, Some("/".to_owned())]);
    assert_eq!(folders("(cd a); rm b"), [None, None]);
}

#[test]
fn flags_are_found_alone_and_among_others() {
    let script = read("rm -rf --no-preserve-root -- -x");
    let command = &script.commands[0];
    assert!(
        command.has(&["-r"])
            && command.has(&["-f"])
            && command.has(&["--no-preserve-root"])
            && !command.has(&["-x"])
    );
    assert_eq!(command.operands().count(), 1);
}

#[test]
fn what_is_nested_too_deeply_is_said() {
    let deep = "$(".repeat(100) + "rm -rf /" + &")".repeat(100);
    assert!(read(&format!("echo {deep}")).truncated);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,120}") {
        let _ = read(&text);
    }

    #[test]
    fn any_heap_of_signs_is_read_without_panic(text in "[-a '\"\\\\$(){}`<>|&;#=\n/*]{0,160}") {
        let _ = read(&text);
    }

    #[test]
    fn single_quotes_keep_everything_as_one_word(text in "[^']{0,60}") {
        let script = read(&format!("echo '{text}'"));
        prop_assert_eq!(&script.commands[0].args, &[Word { text, quoted: true }]);
        prop_assert_eq!(script.commands.len(), 1);
    }
}
