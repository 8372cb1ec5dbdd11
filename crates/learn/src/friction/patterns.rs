//! Regular expressions that recognize words, files and terminal output.
//!
//! Word boundaries and case folding are ASCII-only, to match the tools whose counts the classic
//! rules reproduce.

use std::sync::LazyLock;

use regex::Regex;

macro_rules! expressions {
    ($($(#[$doc:meta])* $name:ident = $expression:expr;)*) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Regex> = LazyLock::new(|| expression($expression));)*

        #[cfg(test)]
        const ALL: &[&LazyLock<Regex>] = &[$(&$name),*];
    };
}

#[allow(clippy::expect_used, reason = "the expressions are constants, and a test compiles each")]
fn expression(text: &str) -> Regex {
    Regex::new(text).expect("the expressions are constants, and a test compiles each")
}

expressions! {
    /// Matches the result of a tool call that was stopped.
    STOPPED = r"(?i-u:Exit code 137|Request interrupted|interrupted by user)";
    /// Matches the message that an interruption by the user leaves in the log.
    INTERRUPTED = r"(?i-u:Request interrupted|interrupted by user)";
    /// Matches the result of a call that was cancelled because a parallel call failed.
    SIBLING = r"(?i-u:<tool_use_error>Sibling tool call errored</tool_use_error>)";
    /// Captures the tool's name in the result of a cancelled call.
    CALLED = r"●\s+([0-9A-Za-z_]+)\(";
    /// Matches the output of a command that failed, by its exit code.
    FAILED = r"Exit code [1-9]";
    /// Matches an uncaught Python exception.
    RAISED = r"Traceback \(most recent|CalledProcessError";
    /// Matches the output of a command that succeeded.
    SUCCEEDED = r"Exit code 0";
    /// Matches a claim of success under `rules = "classic"`: `✅` counts only between word
    /// characters.
    CLAIM = r"(?-u:\b)(?:(?i-u:done|complete|success)|✅)(?-u:\b)";
    /// Matches a claim of success, with `✅` anywhere.
    CLAIM_SEEN = r"(?i-u:\b(?:done|complete|success)\b)|✅";
    CURSE = r"(?i-u:\b(?:fuck|shit|damn)\b)";
    /// Matches words that address the agent, such as "you" or "stop".
    DIRECTED = r"(?i-u:\b(?:you|your|you'?re|you'?ve|stop|quit|keep|again|why)\b)";
    /// Matches a negation anywhere in a message.
    NEGATION = r"(?i-u:\b(?:no|didn't work|still broken)\b)";
    /// Matches a contradiction at the start of a message, such as "no".
    CORRECTION = concat!(
        r"^\s*(?:(?i-u:no\b|nope\b|wrong\b|stop\b|revert\b|undo\b|not what|still broken)|(?i:don['’]?t\b",
        r"|didn['’]?t work|that['’]?s not))",
    );
    /// Matches a message in which users correct their own mistake.
    SELF_CORRECTION = concat!(
        r"(?i-u:\b(?:wrong (?:project|window|repo|directory|folder)|never ?mind|nvm|scratch that",
        r"|ignore (?:that|this)|disregard|my bad|oops)\b)",
    );
    /// Matches a file path under `rules = "classic"`, where the extension may be cut off.
    FILE = r"[0-9A-Za-z_/.-]+\.(?:py|js|ts|md|json|yaml|yml)";
    /// Matches a file path with its complete extension.
    FILE_WHOLE = concat!(
        r"[0-9A-Za-z_/.-]+\.(?:py|js|ts|tsx|jsx|rs|go|java|rb|c|h|cpp|sh|toml|md|json|yaml|yml|html|css",
        r"|sql)(?-u:\b)",
    );
    /// Matches the result of a failed tool call, for the suffix `:error`.
    MARKS_FAILURE = r"Exit code [1-9]|Traceback|Error";
    /// Matches a line that reports a failure.
    FAILURE = r"(?i-u:Error|Traceback|Exit code [1-9])";
    /// Matches a word of at least four letters, a candidate for a keyword.
    KEYWORD = r"(?-u:\b)[a-z]{4,}(?-u:\b)";
    /// Matches a word of at least three letters, a candidate for a shingle.
    WORD = r"(?-u:\b)[a-z'’]{3,}(?-u:\b)";
    /// Matches a pasted terminal line: a user-and-host prompt, or a prompt character followed by a
    /// command.
    PROMPTED = r"^(?:[\w.-]+@[\w.-]+:\S*[#$]|[>$#%]\s+(?:sudo\s+)?[a-z][\w.-]*(?:\s+\S|$))";
    /// Matches a line that is a shell command.
    COMMAND = concat!(
        r"^(?:sudo|ls|cd|cat|rm|cp|mv|mkdir|chmod|chown|export|ssh|scp|grep|echo|curl|wget|tar|systemctl",
        r"|journalctl|apt|apt-get|yum|dnf|brew|npm|npx|pnpm|yarn|node|pip|cargo|go|make|git|docker",
        r"|kubectl)\s+\S",
    );
    /// Matches a line that a shell or its programs print.
    PRINTED = concat!(
        r"No such file or directory|command not found|cannot access|Permission denied|Exit code\s*\d",
        r"|Traceback \(most recent|: line \d+:|^E: ",
    );
}

/// Returns `true` if a message is mostly terminal output that the user pasted.
///
/// Of two or more lines, one with a prompt is enough; without prompts, at least half of three or
/// more lines must be commands or shell output.
pub(super) fn is_terminal_paste(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 {
        return false;
    }
    if lines.iter().any(|line| PROMPTED.is_match(line) && !is_quote(line)) {
        return true;
    }
    let shell = lines.iter().filter(|line| COMMAND.is_match(line) || PRINTED.is_match(line)).count();
    lines.len() >= 3 && shell * 2 >= lines.len()
}

/// Returns `true` if a line that starts with `>`, `#` or `%` is a quote or heading instead of a
/// shell command.
fn is_quote(line: &str) -> bool {
    line.starts_with(['>', '#', '%']) && !COMMAND.is_match(line[1..].trim_start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_expression_is_sound() {
        assert!(ALL.iter().all(|expression| !expression.is_match("")));
    }

    #[test]
    fn what_a_terminal_showed_is_distinguished_from_what_a_person_wrote() {
        for paste in [
            "look\nroot@host:~# ls",
            "$ npm ci\nadded 3 packages",
            "> git push\nrejected",
            "ls -l\ncat: x: No such file or directory\nok",
        ] {
            assert!(is_terminal_paste(paste), "{paste}");
        }
        for sample in [
            "no\nls the logs please",
            "no",
            "> as you said\nno",
            "# Plan\n- one\n- two",
            "no\n\nthat is wrong",
        ] {
            assert!(!is_terminal_paste(sample), "{sample}");
        }
    }

    #[test]
    fn the_classic_claim_hardly_ever_sees_the_sign() {
        assert!(!CLAIM.is_match("✅ built") && CLAIM.is_match("a✅b") && CLAIM_SEEN.is_match("✅ built"));
        assert!(CLAIM.is_match("It is Complete.") && !CLAIM.is_match("completed"));
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "\\PC{0,80}") {
            is_terminal_paste(&text);
        }

        #[test]
        fn any_lines_are_judged(text in "([>$#% a-zé@:~]{0,12}\n){0,4}") {
            is_terminal_paste(&text);
        }
    }
}
