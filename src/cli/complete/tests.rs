//! How words are read from and written to the shells.

use super::shell::{Shell, in_bash, in_nushell, in_powershell};

fn values(shell: Shell, line: &str) -> Vec<String> {
    shell.words(line).into_iter().map(|word| word.value).collect()
}

#[test]
fn the_last_word_is_the_one_at_the_cursor_whatever_is_quoted() {
    assert_eq!(values(Shell::Bash, "cm  get "), ["cm", "get", ""]);
    assert_eq!(values(Shell::Bash, r#"cm get "Retry w"#), ["cm", "get", "Retry w"]);
    assert_eq!(values(Shell::Bash, r"cm get Retry\ w"), ["cm", "get", "Retry w"]);
    assert_eq!(values(Shell::Bash, r"cm get 'it'\''s' --tag='a b"), ["cm", "get", "it's", "--tag=a b"]);
    assert_eq!(values(Shell::Bash, r#"cm get "a\"b\n"#), ["cm", "get", r#"a"b\n"#]);
    assert_eq!(values(Shell::Bash, "cm get '' x"), ["cm", "get", "", "x"]);
    assert_eq!(values(Shell::Bash, ""), [""]);
}

#[test]
fn each_shell_has_its_own_quotation() {
    assert_eq!(Shell::Fish.unquoted(r"'it\'s w"), "it's w");
    assert_eq!(Shell::Zsh.unquoted(r"Ada\'s\ w"), "Ada's w");
    assert_eq!(Shell::Powershell.unquoted("'it''s w"), "it's w");
    assert_eq!(Shell::Powershell.unquoted("a`\"b"), "a\"b");
    assert_eq!(Shell::Nushell.unquoted("`a b"), "a b");
    assert_eq!(Shell::Elvish.unquoted("a \\ 'b"), "a \\ 'b");
}

#[test]
fn bash_gets_the_rest_of_the_word_in_the_quotation_that_is_open() {
    let title = "Ada's \"$HOME\" `a` \\ !";
    assert_eq!(in_bash("cm get A", "A", title).unwrap(), r#"Ada\'s\ \"\$HOME\"\ \`a\`\ \\\ \!"#);
    assert_eq!(in_bash("cm get \"A", "A", title).unwrap(), r#"Ada's \"\$HOME\" \`a\` \\ "'!'""#);
    assert_eq!(in_bash("cm get 'A", "A", title).unwrap(), r#"Ada'\''s "$HOME" `a` \ !"#);
    // Bash replaces what follows `=` and `:`.
    assert_eq!(in_bash("cm ls --tag=ha", "ha", "--tag=harbour").unwrap(), "harbour");
    assert_eq!(in_bash("cm ls --tag a:b", "b", "a:bc").unwrap(), "bc");
    assert_eq!(in_bash("cm ls --tag=A:b", "b", "--tag=a:bc"), None);
    assert_eq!(in_bash("cm ls ~/é", "~/é", "~/é f").unwrap(), r"\~/é\ f");
}

#[test]
fn a_value_is_one_argument_of_powershell_and_nushell() {
    assert_eq!(in_powershell("git.commit"), "git.commit");
    assert_eq!(in_powershell("it's $HOME"), "'it''s $HOME'");
    assert_eq!(in_powershell("@a"), "'@a'");
    assert_eq!(in_nushell("--tag=a"), "--tag=a");
    assert_eq!(in_nushell(r#"a "b" \ c"#), r#""a \"b\" \\ c""#);
}
