//! opencode's hooks: a plugin in JavaScript that asks us, a file that is ours whole.

use serde_json::Value;

use super::program::Program;
use super::settings::State;

const PLUGIN: &str = include_str!("../../../../templates/agent/opencode/cm.js");

/// What the first line of every plugin of ours begins with, whatever version wrote it.
const MARK: &str = "// cm hooks:";

/// The line of the template that names the program.
const PROGRAM: &str = "const PROGRAM = \"cm\"\n";

/// A file of another's where ours would lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file is not ours, for its first line does not begin with `{MARK}`; move it away")]
pub struct NotOurs;

/// The plugin.
#[must_use]
pub fn plugin(program: &Program) -> String {
    // A JSON text is one of JavaScript too.
    PLUGIN.replacen(PROGRAM, &format!("const PROGRAM = {}\n", Value::from(program.path())), 1)
}

/// The file with the plugin in it. A file that is not there is an empty text.
///
/// # Errors
/// Where the file is another's.
pub fn install(text: &str, program: &Program) -> Result<String, NotOurs> {
    is_free(text).then(|| plugin(program)).ok_or(NotOurs)
}

/// The file without the plugin: an empty text, for a file that is not needed.
///
/// # Errors
/// Where the file is another's.
pub fn uninstall(text: &str) -> Result<String, NotOurs> {
    is_free(text).then(String::new).ok_or(NotOurs)
}

/// How the file stands to us.
#[must_use]
pub fn status(text: &str, program: &Program) -> State {
    match () {
        () if !text.starts_with(MARK) => State::Absent,
        () if text == plugin(program) => State::Current,
        () => State::Outdated,
    }
}

fn is_free(text: &str) -> bool {
    text.trim().is_empty() || text.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::settings::entries;
    use crate::hook::{Agent, Event};

    #[test]
    fn the_plugin_is_written_replaced_and_removed_and_anothers_is_left_alone() {
        let program = Program::new("C:\\a \"b\"\\cm.exe");
        let written = install("", &program).unwrap();
        assert!(written.contains("const PROGRAM = \"C:\\\\a \\\"b\\\"\\\\cm.exe\"\n"), "{written}");
        assert_eq!(status(&written, &program), State::Current);
        assert_eq!(status(&written, &Program::default()), State::Outdated);
        assert_eq!(install(&written, &Program::default()), Ok(plugin(&Program::default())));
        assert_eq!(uninstall(&written).as_deref(), Ok(""));
        assert_eq!(install("export const Other = 1\n", &program), Err(NotOurs));
        assert_eq!(uninstall("export const Other = 1\n"), Err(NotOurs));
        assert_eq!(status("export const Other = 1\n", &program), State::Absent);
    }

    #[test]
    fn the_plugin_tells_the_events_that_we_handle() {
        assert!(PLUGIN.starts_with(MARK) && PLUGIN.contains(PROGRAM));
        for event in Event::ALL {
            let told = PLUGIN.contains(&format!("tell(\"{event}\""));
            assert_eq!(told, entries::events(Agent::Opencode).contains(&event), "{event}");
        }
    }
}
