//! The expressions by which words are recognised, and nothing about what follows from them.
//!
//! Words end where ASCII words do and case is folded for ASCII alone, as in the tools whose counts the classic rules
//! repeat.

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
    /// An answer of a tool that was stopped.
    STOPPED = r"(?i-u:Exit code 137|Request interrupted|interrupted by user)";
    /// A message that stands for an interruption.
    INTERRUPTED = r"(?i-u:Request interrupted|interrupted by user)";
    /// A call that was dropped for the failure of another.
    SIBLING = r"(?i-u:<tool_use_error>Sibling tool call errored</tool_use_error>)";
    /// The tool that such an answer names.
    CALLED = r"●\s+([0-9A-Za-z_]+)\(";
    /// A command that failed, by its code.
    FAILED = r"Exit code [1-9]";
    /// A failure of Python.
    RAISED = r"Traceback \(most recent|CalledProcessError";
    /// A command that succeeded.
    SUCCEEDED = r"Exit code 0";
    /// Words that claim success.
    CLAIM = r"(?-u:\b)(?:(?i-u:done|complete|success)|✅)(?-u:\b)";
    /// The same, with the sign wherever it stands.
    CLAIM_SEEN = r"(?i-u:\b(?:done|complete|success)\b)|✅";
    /// Swearing.
    CURSE = r"(?i-u:\b(?:fuck|shit|damn)\b)";
    /// Words that direct swearing at somebody.
    DIRECTED = r"(?i-u:\b(?:you|your|you'?re|you'?ve|stop|quit|keep|again|why)\b)";
    /// A no anywhere.
    NEGATION = r"(?i-u:\b(?:no|didn't work|still broken)\b)";
    /// A contradiction, with which a message begins.
    CORRECTION = concat!(
        r"^\s*(?:(?i-u:no\b|nope\b|wrong\b|stop\b|revert\b|undo\b|not what|still broken)|(?i:don['’]?t\b",
        r"|didn['’]?t work|that['’]?s not))",
    );
    /// A person who corrects themselves.
    SELF_CORRECTION = concat!(
        r"(?i-u:\b(?:wrong (?:project|window|repo|directory|folder)|never ?mind|nvm|scratch that",
        r"|ignore (?:that|this)|disregard|my bad|oops)\b)",
    );
    /// A file's path, as the classic rules find it.
    FILE = r"[0-9A-Za-z_/.-]+\.(?:py|js|ts|md|json|yaml|yml)";
    /// A file's path with its whole ending.
    FILE_WHOLE = concat!(
        r"[0-9A-Za-z_/.-]+\.(?:py|js|ts|tsx|jsx|rs|go|java|rb|c|h|cpp|sh|toml|md|json|yaml|yml|html|css",
        r"|sql)(?-u:\b)",
    );
    /// An answer that tells of a failure: what marks a call in a sequence.
    MARKS_FAILURE = r"Exit code [1-9]|Traceback|Error";
    /// A line that tells of a failure.
    FAILURE = r"(?i-u:Error|Traceback|Exit code [1-9])";
    /// A word that may be a keyword.
    KEYWORD = r"(?-u:\b)[a-z]{4,}(?-u:\b)";
    /// A word that may be part of a shingle.
    WORD = r"(?-u:\b)[a-z'’]{3,}(?-u:\b)";
    /// A line of a terminal: a prompt with whatever follows, or a prompt sign and a command.
    PROMPTED = r"^(?:[\w.-]+@[\w.-]+:\S*[#$]|[>$#%]\s+(?:sudo\s+)?[a-z][\w.-]*(?:\s+\S|$))";
    /// A line that is a command of a shell.
    COMMAND = concat!(
        r"^(?:sudo|ls|cd|cat|rm|cp|mv|mkdir|chmod|chown|export|ssh|scp|grep|echo|curl|wget|tar|systemctl",
        r"|journalctl|apt|apt-get|yum|dnf|brew|npm|npx|pnpm|yarn|node|pip|cargo|go|make|git|docker",
        r"|kubectl)\s+\S",
    );
    /// A line that a shell or its programs print.
    PRINTED = concat!(
        r"No such file or directory|command not found|cannot access|Permission denied|Exit code\s*\d",
        r"|Traceback \(most recent|: line \d+:|^E: ",
    );
}

/// Whether a message is mostly what a terminal showed: context that the person pasted, and no reaction.
///
/// One line behind a prompt is enough among two; without prompts, at least half of three or more lines must be a
/// shell's.
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

/// `> ` and `# ` also open quotes and headings; behind them only a command of a shell is one of a terminal.
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
    fn what_a_terminal_showed_is_told_from_what_a_person_wrote() {
        for paste in [
            "look\nroot@host:~# ls",
            "$ npm ci\nadded 3 packages",
            "> git push\nrejected",
            "ls -l\ncat: x: No such file or directory\nok",
        ] {
            assert!(is_terminal_paste(paste), "{paste}");
        }
        for said in [
            "no\nls the logs please",
            "no",
            "> as you said\nno",
            "# Plan\n- one\n- two",
            "no\n\nthat is wrong",
        ] {
            assert!(!is_terminal_paste(said), "{said}");
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
