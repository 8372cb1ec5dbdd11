//! `cm completions`

use crate::support::Sandbox;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands_without_a_vault() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Sandbox::new().cm(&["completions", shell]).ok();
        for word in ["unrelate", "no-refresh", "manpages"] {
            assert!(ran.stdout.contains(word), "{shell} knows no {word}");
        }
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn bash_itself_completes_a_command_with_the_script() {
    let sandbox = Sandbox::new();
    let script = sandbox.cm(&["completions", "bash"]).ok().stdout;
    sandbox.write("cm.bash", script);
    let ask = "source ./cm.bash; COMP_WORDS=(cm unr); COMP_CWORD=1; _cm cm unr cm; echo \"${COMPREPLY[*]}\"";
    let output = std::process::Command::new("bash").args(["-c", ask]).current_dir(sandbox.vault()).output();
    // Skipped on machines without bash.
    let Ok(output) = output else { return };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "unrelate\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn an_unknown_shell_is_refused_with_the_known_ones() {
    let ran = Sandbox::new().cm(&["completions", "tcsh"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    [exit 2]
    ");
    let ran = Sandbox::new().cm(&["completions", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "the following required arguments were not provided: <SHELL>",
        "hint": "`cm help` lists the commands, `cm help COMMAND` their arguments"
      }
    }
    [exit 2]
    "#);
}

#[test]
fn the_json_of_a_script_holds_its_shell() {
    let document = Sandbox::new().cm(&["completions", "fish", "--json"]).ok().json();
    assert_eq!(document["shell"], "fish");
    assert!(document["script"].as_str().unwrap().contains("complete -c cm"));
}
