//! Tests and properties of command parsing.

use proptest::prelude::*;

use super::*;

fn lines(text: &str) -> Vec<String> {
    read(text).commands.iter().map(SimpleCommand::line).collect()
}

#[test]
fn sequences_pipes_and_brackets_are_taken_apart() {
    assert_eq!(lines("a 1; b && c || d | e & f\ng"), ["a 1", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(lines("(cd x && rm -rf y) > log 2>&1"), ["cd x", "rm -rf y", ""]);
    assert_eq!(
        lines("if test -f a; then rm a; fi; for x in 1 2; do rm $x; done"),
        ["test -f a", "rm a", "rm 1 2"]
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
fn words_are_expanded_as_a_shell_expands_them() {
    for text in [
        "X=a; rm -rf $X",
        "C=rm; $C -rf a",
        "X='rm -rf'; $X a",
        "X=b; Y=${X/b/a}; rm -rf ${Y}",
        "rm${IFS}-rf${IFS}a",
        "rm {-rf,a}",
        "{rm,-rf,a}",
        "$(echo rm) -rf a",
        "`printf %s rm` -rf a",
        "$'\\x72m' -rf a",
        "alias x='rm -rf'; x a",
        "f() { rm -rf \"$1\"; }; f a",
        "function f { rm -rf $1; }; f a",
        "set -- -rf a; rm \"$@\"",
        "for x in a; do rm -rf $x; done",
        "echo 'rm -rf a' > f; sh f",
        "printf 'rm -rf %s' a | bash",
        "echo cm0gLXJmIGE= | base64 -d | sh",
        "echo 726d202d72662061 | xxd -r -p | sh",
        "echo 'a fr- mr' | rev | sh",
        "source <(echo rm -rf a)",
        "bash <<< 'rm -rf a'",
        "X=a; bash <<E\nrm -rf $X\nE",
        "cat <<E\n$(rm -rf a)\nE",
        "echo a | xargs rm -rf",
        "echo a | xargs -I{} rm -rf {}",
        "git commit -m \"$(cat <<'E'\nDon't (\nE\n)\" && rm -rf a",
        "(echo rm -rf a) | sh",
        "tmux new -d 'rm -rf a'",
        "npx rm -rf a",
        "python -c \"import subprocess; subprocess.run(['rm', '-rf', 'a'])\"",
    ] {
        assert!(lines(text).contains(&"rm -rf a".to_owned()), "{text}: {:?}", lines(text));
    }
}

#[test]
fn what_only_the_environment_knows_stays_as_it_is_written() {
    assert_eq!(lines("rm $X \"${Y:-b}\" $(date) ~/*"), ["date", "rm $X ${Y:-b} $(date) ~/*"]);
    assert_eq!(lines("X=a; read X; rm $X"), ["", "read X", "rm $X"]);
    assert_eq!(lines("echo '$X' \\$X; X=a"), ["echo $X $X", ""]);
}

#[test]
fn reading_ends_whatever_the_text_makes_of_itself() {
    let mut functions = "f0() { x; }\n".to_owned();
    (1..30).for_each(|number| functions += &format!("f{number}() {{ f{0}; f{0}; f{0}; }}\n", number - 1));
    for text in [
        functions + "f29",
        "a=x\n".to_owned() + &"a=$a$a$a\n".repeat(60) + "echo $a",
        "echo {1..60}{1..60}{1..60}{1..60}{1..60}".to_owned(),
        "x='eval \"$x$x\"'; eval \"$x\"".to_owned(),
        "echo 'sh f; sh f; sh f' > f; sh f".to_owned(),
        "find . ".to_owned() + &"-exec rm {} \\; ".repeat(5_000),
        "${a:-".repeat(5_000),
        "$(".repeat(5_000),
    ] {
        assert!(read(&text).commands.len() <= 10_000);
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
fn what_is_nested_too_deeply_is_stated() {
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
    fn any_script_is_read_without_panic(words in prop::collection::vec(prop::sample::select(vec![
        "a=b", "a+=$a", "$a", "${a%b}", "${a:1:2}", "${!a}", "\"$@\"", "{a,b}", "{1..9}", "{{a,b},c}", "f()", "{", "}", ";",
        "f", "|", "&&", "\n", "for", "in", "do", "done", "case", "esac", ")", "(", "$(", "`", "'", "\"", "\\",
        "alias", "a='b c'", "eval", "set", "--", "echo", "-e", "\\x72", "printf", "%s%b", "base64", "-d", "cm0=", "xxd",
        "-r", "-p", "<<E", "<<<", "E", ">", ">>", "<(", "tr", "a-z", "sh", "-c", "xargs", "-I{}", "((", "))", "$((", "é",
    ]), 0..40)) {
        let _ = read(&words.join(" "));
        let _ = read(&words.concat());
    }

    #[test]
    fn single_quotes_keep_everything_as_one_word(text in "[^']{0,60}") {
        let script = read(&format!("echo '{text}'"));
        prop_assert_eq!(&script.commands[0].args, &[ShellWord { text, quoted: true }]);
        prop_assert_eq!(script.commands.len(), 1);
    }
}
