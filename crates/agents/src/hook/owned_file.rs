//! Hook files that cm owns completely, such as a plugin: installed and removed as a whole.

use super::settings::InstallStatus;

/// Mark in one of the first two lines of an owned file, in every version, after the comment sign.
const MARK: &str = "cm hooks:";

/// A file that cm writes for an agent, relative to the project folder or the home folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedFile {
    pub path: String,
    pub text: String,
    /// Whether the agent runs the file as a program.
    pub is_executable: bool,
}

/// Error if the path of an owned file contains a file that cm did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file was not written by cm, because it does not begin with a comment `{MARK}`; move it away")]
pub struct ForeignFile;

impl OwnedFile {
    /// Returns the new content of the file; `text` is its current content, empty if it is missing.
    ///
    /// # Errors
    /// Fails if the file was not written by cm.
    pub fn install(&self, text: &str) -> Result<String, ForeignFile> {
        is_free(text).then(|| self.text.clone()).ok_or(ForeignFile)
    }

    /// Returns whether the file was written by cm, and by this version.
    #[must_use]
    pub fn status(&self, text: &str) -> InstallStatus {
        if !is_ours(text) {
            InstallStatus::Absent
        } else if text == self.text {
            InstallStatus::Current
        } else {
            InstallStatus::Outdated
        }
    }
}

/// Returns the empty text, which represents a file to delete.
///
/// # Errors
/// Fails if the file was not written by cm.
pub fn uninstall(text: &str) -> Result<String, ForeignFile> {
    is_free(text).then(String::new).ok_or(ForeignFile)
}

/// Returns the common status of several owned files.
#[must_use]
pub fn joint_status(states: &[InstallStatus]) -> InstallStatus {
    if states.iter().all(|state| *state == InstallStatus::Absent) {
        InstallStatus::Absent
    } else if states.iter().all(|state| *state == InstallStatus::Current) {
        InstallStatus::Current
    } else {
        InstallStatus::Outdated
    }
}

fn is_free(text: &str) -> bool {
    text.trim().is_empty() || is_ours(text)
}

fn is_ours(text: &str) -> bool {
    text.lines().take(2).any(|line| line.trim_start_matches(['/', '#', ' ']).starts_with(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::hook_agents;
    use crate::hook::SettingsScope;
    use crate::hook::program::ProgramPath;

    #[test]
    fn owned_files_are_written_replaced_and_removed_and_anothers_is_left_alone() {
        let (old, program) = (ProgramPath::new("/old/cm"), ProgramPath::default());
        let mut count = 0;
        for agent in hook_agents() {
            let before = agent.owned_files(SettingsScope::Project, &old);
            for (file, before) in agent.owned_files(SettingsScope::Project, &program).iter().zip(before) {
                assert_eq!(file.install("").as_deref(), Ok(file.text.as_str()));
                assert_eq!(file.status(&file.text), InstallStatus::Current);
                assert_eq!(file.status(&before.text), InstallStatus::Outdated);
                assert_eq!(file.install(&before.text).as_deref(), Ok(file.text.as_str()));
                assert_eq!(uninstall(&file.text).as_deref(), Ok(""));
                assert_eq!(file.install("#!/bin/sh\nexit 0\n"), Err(ForeignFile));
                count += 1;
            }
        }
        assert!(count > 6, "{count}");
        assert_eq!(uninstall("export const Other = 1\n"), Err(ForeignFile));
    }

    #[test]
    fn some_of_several_files_are_an_outdated_installation() {
        use InstallStatus::{Absent, Current, Outdated};
        assert_eq!(joint_status(&[Current, Current]), Current);
        assert_eq!(joint_status(&[Current, Absent]), Outdated);
        assert_eq!(joint_status(&[Absent, Absent]), Absent);
    }
}
