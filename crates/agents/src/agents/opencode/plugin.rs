//! Hooks for opencode: a JavaScript plugin in a file that cm owns completely.

use serde_json::Value;

use crate::hook::program::ProgramPath;
use crate::hook::settings::InstallStatus;

const PLUGIN: &str = include_str!("../../../../../templates/agent/opencode/cm.js");

/// Prefix of the first line of the plugin, in every version.
const MARK: &str = "// cm hooks:";

/// Line of the template that defines the program path.
const PROGRAM: &str = "const PROGRAM = \"cm\"\n";

/// Error if the plugin's path contains a file that cm did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file was not written by cm, because its first line does not start with `{MARK}`; move it away")]
pub struct ForeignFile;

/// Returns the plugin's source, which calls `program`.
#[must_use]
pub fn plugin(program: &ProgramPath) -> String {
    // A JSON text is one of JavaScript too.
    PLUGIN.replacen(PROGRAM, &format!("const PROGRAM = {}\n", Value::from(program.path())), 1)
}

/// Returns the content of the plugin file; `text` is its current content, empty if it is missing.
///
/// # Errors
/// Fails if the file was not written by cm.
pub fn install(text: &str, program: &ProgramPath) -> Result<String, ForeignFile> {
    is_free(text).then(|| plugin(program)).ok_or(ForeignFile)
}

/// Returns the empty text, which represents a file to delete.
///
/// # Errors
/// Fails if the file was not written by cm.
pub fn uninstall(text: &str) -> Result<String, ForeignFile> {
    is_free(text).then(String::new).ok_or(ForeignFile)
}

/// Returns whether the file contains the plugin, and in this version.
#[must_use]
pub fn status(text: &str, program: &ProgramPath) -> InstallStatus {
    match () {
        () if !text.starts_with(MARK) => InstallStatus::Absent,
        () if text == plugin(program) => InstallStatus::Current,
        () => InstallStatus::Outdated,
    }
}

fn is_free(text: &str) -> bool {
    text.trim().is_empty() || text.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::opencode::Opencode;
    use crate::hook::HookEvent;
    use crate::hook::agent::AgentHooks as _;

    #[test]
    fn the_plugin_is_written_replaced_and_removed_and_anothers_is_left_alone() {
        let program = ProgramPath::new("C:\\a \"b\"\\cm.exe");
        let written = install("", &program).unwrap();
        assert!(written.contains("const PROGRAM = \"C:\\\\a \\\"b\\\"\\\\cm.exe\"\n"), "{written}");
        assert_eq!(status(&written, &program), InstallStatus::Current);
        assert_eq!(status(&written, &ProgramPath::default()), InstallStatus::Outdated);
        assert_eq!(install(&written, &ProgramPath::default()), Ok(plugin(&ProgramPath::default())));
        assert_eq!(uninstall(&written).as_deref(), Ok(""));
        assert_eq!(install("export const Other = 1\n", &program), Err(ForeignFile));
        assert_eq!(uninstall("export const Other = 1\n"), Err(ForeignFile));
        assert_eq!(status("export const Other = 1\n", &program), InstallStatus::Absent);
    }

    #[test]
    fn the_plugin_tells_the_events_that_we_handle() {
        assert!(PLUGIN.starts_with(MARK) && PLUGIN.contains(PROGRAM));
        for event in HookEvent::ALL {
            let sends = PLUGIN.contains(&format!("tell(\"{event}\""));
            assert_eq!(sends, Opencode.installed_events().contains(&event), "{event}");
        }
    }
}
