//! Detects commands that cannot be read: decoded just before they run, or named by a shell
//! variable.

use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::{SimpleCommand, program_text};

/// Programs that decode or transform text, whose output could be a hidden script.
#[rustfmt::skip]
const DECODERS: [&str; 19] = [
    "base64", "base32", "basenc", "xxd", "od", "uudecode", "openssl", "gpg", "gunzip", "zcat", "gzip", "bunzip2",
    "bzcat", "xzcat", "unxz", "zstdcat", "rev", "tr", "unzip",
];
/// Text filters. Their output is suspicious as a script only if their input is unknown.
const EDITORS: [&str; 4] = ["sed", "awk", "cut", "perl"];
#[rustfmt::skip]
const SHELLS: [&str; 17] = [
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "python", "python3", "perl", "ruby",
    "node", "iex", "invoke-expression",
];
/// Names of decoding functions in inline scripts and shell substitutions.
#[rustfmt::skip]
const WITHIN: [&str; 18] = [
    "b64decode", "decode_base64", "base64_decode", "atob(", "'base64'", "\"base64\"", "base64 -d", "base64 --decode", "base64 -D", "xxd -r", "unhexlify",
    "fromhex", "codecs.decode", "marshal.loads", "zlib.decompress", "pack(\"H", "pack('H", "FromBase64String",
];
/// Names of functions that execute text in inline scripts.
#[rustfmt::skip]
const RUNS: [&str; 9] = [
    "exec(", "eval(", "os.system", "subprocess", "os.popen", "child_process", "system(", "execSync", "Function(",
];

/// Returns a warning for a command that hides what it runs, such as decoded or evaluated text.
pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    let reason = decoded(command).or_else(|| hidden(command))?;
    Some(Danger::of(command, DangerClass::Obscured, DangerSeverity::Warn, reason))
}

/// Returns the reason if a command executes text that it or the pipe decoded.
fn decoded(command: &SimpleCommand) -> Option<&'static str> {
    const REASON: &str = "runs decoded text; decode it, read it, then run it";
    let program = command.program.as_str();
    let within = |text: &str| WITHIN.iter().any(|decoder| text.contains(decoder));
    if SHELLS.contains(&program) && reads_script_from_stdin(command) {
        if command.is_downstream_of(&DECODERS) {
            return Some(REASON);
        }
        if command.input.is_none() && command.is_downstream_of(&EDITORS) {
            return Some("runs text that is assembled on the fly; look at it first");
        }
    }
    let shell =
        SHELLS.contains(&program) || matches!(program, "eval" | "source" | "." | "powershell" | "pwsh");
    let substituted = |text: &str| {
        ["$(", "<(", "`"].iter().any(|open| text.contains(open)) && (within(text) || unpacks(text))
    };
    if shell && command.args.iter().any(|word| substituted(&word.text)) {
        return Some(REASON);
    }
    let encoded = matches!(program, "powershell" | "pwsh")
        && command.args.iter().any(|word| is_encoded(&word.text.to_ascii_lowercase()));
    if encoded || program == "iex" && command.args.iter().any(|word| within(&word.text)) {
        return Some(REASON);
    }
    let text = program_text(command)?;
    (within(text) && RUNS.iter().any(|run| text.contains(run))).then_some(REASON)
}

/// Returns `true` if a shell substitution decodes or decompresses something.
fn unpacks(text: &str) -> bool {
    ["gunzip", "zcat", "openssl enc", "gpg -d", "gzip -d", "uudecode", "| rev", "| tr "]
        .iter()
        .any(|word| text.contains(word))
}

fn is_encoded(flag: &str) -> bool {
    flag.len() > 1 && "-encodedcommand".starts_with(flag)
}

/// Whether an interpreter reads its script from stdin, because it gets neither a file nor an inline
/// script.
pub(super) fn reads_script_from_stdin(command: &SimpleCommand) -> bool {
    let is_shell =
        matches!(command.program.as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "ash");
    let is_inline = command.args.iter().any(|word| {
        let flag = word.text.as_str();
        match is_shell {
            // Other letters, as in `bash -e`, are modes.
            true => flag.starts_with('-') && !flag.starts_with("--") && flag.contains('c'),
            false => matches!(flag, "-c" | "-e" | "-m" | "-r" | "-p" | "-n" | "-ne" | "-pe" | "--eval"),
        }
    });
    let has_file = command.operands().any(|word| !matches!(word.text.as_str(), "-" | "/dev/stdin"));
    // `python -s` takes a file all the same.
    !is_inline && (!has_file || is_shell && command.has(&["-s"]))
}

/// Returns the reason if the name of the program is computed by the shell, while the arguments are
/// destructive.
fn hidden(command: &SimpleCommand) -> Option<&'static str> {
    let is_computed = |text: &str| text.starts_with(['$', '`']) || text.contains("$(") || text.contains('`');
    let program = command.program_path.as_str();
    let runner = command.program == "eval" && command.args.iter().any(|word| word.text.starts_with('$'));
    let hides = is_computed(program) && !program.contains('/');
    if !hides && !runner {
        return None;
    }
    let args = if runner { &command.args[1..] } else { command.args.as_slice() };
    let words: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
    let flags = words.iter().any(|word| {
        matches!(*word, "--force" | "--hard" | "--no-preserve-root" | "-delete" | "--mirror")
            || word.starts_with('-')
                && !word.starts_with("--")
                && word.len() <= 4
                && word.contains('r')
                && word.contains('f')
    });
    let whole = words.iter().any(|word| matches!(*word, "/" | "~" | "/*" | "$HOME" | "~/"));
    let removes = ["rm", "rm -", "mkfs", "dd if", "DROP "].iter().any(|word| {
        program.contains(&format!("{word} "))
            || words.iter().any(|arg| arg.starts_with(word) && arg.len() > word.len())
    });
    (flags || whole || removes)
        .then_some("runs a program whose name is only known to the shell, with destructive arguments")
}
