//! Parses the record of a shell command that the person ran in Codex.

use cm_session::event::EventKind;
use cm_session::harness_text::unwrapped;

/// Converts the text of a message into an event; `None` if it is no such record.
pub fn person_command(text: &str) -> Option<EventKind> {
    let record = unwrapped(text, "user_shell_command")?;
    let command = part(record, "command")?.to_owned();
    let result = part(record, "result").unwrap_or_default();
    let exit_code = result.lines().next().and_then(|line| line.strip_prefix("Exit code: "));
    let output = result.split_once("Output:").map_or(result, |(_, output)| output.trim_start_matches('\n'));
    Some(EventKind::PersonCommand {
        command,
        output: Some(output.to_owned()),
        exit_code: exit_code.and_then(|code| code.trim().parse().ok()),
    })
}

/// Returns the text from the first beginning to the last end of an element of this name, trimmed.
fn part<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.rsplit_once(&format!("</{name}>"))?.0.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_its_output_and_exit_code() {
        let text = "<user_shell_command>\n<command>\ngit checkout -- third_party\n</command>\n<result>\nExit code: 1\nDuration: 0.0250 seconds\nOutput:\nerror: no such path\n</result>\n</user_shell_command>";
        let command = "git checkout -- third_party".to_owned();
        let (output, exit_code) = (Some("error: no such path".to_owned()), Some(1));
        assert_eq!(person_command(text), Some(EventKind::PersonCommand { command, output, exit_code }));
        let quiet = "<user_shell_command>\n<command>\ntrue\n</command>\n<result>\nExit code: 0\nDuration: 0.0250 seconds\nOutput:\n\n</result>\n</user_shell_command>";
        let Some(EventKind::PersonCommand { output, .. }) = person_command(quiet) else { panic!("{quiet}") };
        assert_eq!(output.as_deref(), Some(""));
        assert_eq!(person_command("what does <user_shell_command> mean?"), None);
        assert_eq!(person_command("<user_shell_command>\n</user_shell_command>"), None);
    }
}
