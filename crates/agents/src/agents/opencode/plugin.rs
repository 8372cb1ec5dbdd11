//! Hooks for opencode: a JavaScript plugin in a file that cm owns completely.

use serde_json::Value;

use crate::hook::program::ProgramPath;

const PLUGIN: &str = include_str!("../../../../../templates/agent/opencode/cm.js");

/// Returns the plugin's source, which calls `program`.
#[must_use]
pub fn plugin(program: &ProgramPath) -> String {
    calling(PLUGIN, program)
}

/// Returns a JavaScript source with `program` in place of its constant `PROGRAM`.
pub fn calling(source: &str, program: &ProgramPath) -> String {
    // A JSON text is one of JavaScript too.
    source.replacen(PROGRAM, &format!("const PROGRAM = {}\n", Value::from(program.path())), 1)
}

/// Line of the sources that defines the program path.
const PROGRAM: &str = "const PROGRAM = \"cm\"\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::opencode::Opencode;
    use crate::agents::pi::Pi;
    use crate::hook::agent::AgentHooks;
    use crate::hook::{HookEvent, SettingsScope};

    #[test]
    fn the_program_is_quoted_in_the_source() {
        let written = plugin(&ProgramPath::new("C:\\a \"b\"\\cm.exe"));
        assert!(written.contains("const PROGRAM = \"C:\\\\a \\\"b\\\"\\\\cm.exe\"\n"), "{written}");
    }

    #[test]
    fn each_source_tells_the_events_that_are_installed() {
        for agent in [&Opencode as &dyn AgentHooks, &Pi] {
            let files = agent.owned_files(SettingsScope::User, &ProgramPath::default());
            let [file] = files.as_slice() else { panic!("{files:?}") };
            assert!(file.text.contains(PROGRAM));
            for event in HookEvent::ALL {
                let sends = file.text.contains(&format!("tell(\"{event}\""));
                assert_eq!(sends, agent.installed_events().contains(&event), "{} {event}", file.path);
            }
        }
    }
}
