//! Locations of logs. The caller provides the home folder, the environment and the platform.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cm_session::Agent;

/// Platform, which determines the folder conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPlatform {
    /// Linux and similar systems.
    Linux,
    MacOs,
    Windows,
}

impl HostPlatform {
    /// Returns the platform that this program was built for.
    pub fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// Inputs that determine where logs are searched.
#[derive(Debug, Clone)]
pub struct LogLocations {
    /// Home folder of the user.
    pub home: PathBuf,
    /// Environment variables; only those that agents document are used.
    pub environment: BTreeMap<String, String>,
    pub platform: HostPlatform,
    /// Project folders, for agents that store logs there (Aider).
    pub workspaces: Vec<PathBuf>,
    /// Additional files and folders that the user named for an agent: exports, copies, or folders
    /// of other machines.
    pub extra_paths: BTreeMap<Agent, Vec<PathBuf>>,
}

impl LogLocations {
    /// Returns the default locations for a home folder.
    pub fn of_home(home: impl Into<PathBuf>) -> Self {
        Self {
            home: home.into(),
            environment: BTreeMap::new(),
            platform: HostPlatform::here(),
            workspaces: Vec::new(),
            extra_paths: BTreeMap::new(),
        }
    }

    /// Returns the folder in an environment variable, with `~/` expanded; `None` if it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = self.environment.get(name).filter(|value| !value.trim().is_empty())?;
        Some(match value.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => PathBuf::from(value),
        })
    }

    /// Returns the paths that the user named for `agent`.
    pub(crate) fn extra_paths_of(&self, agent: Agent) -> &[PathBuf] {
        self.extra_paths.get(&agent).map_or(&[], Vec::as_slice)
    }

    /// Returns `$XDG_DATA_HOME` or its default.
    pub(crate) fn data_home(&self) -> PathBuf {
        self.variable("XDG_DATA_HOME").unwrap_or_else(|| self.home.join(".local/share"))
    }

    /// Returns `$XDG_CONFIG_HOME` or its default.
    pub(crate) fn config_home(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"))
    }

    /// Returns the folder in which desktop programs store their data.
    pub(crate) fn applications(&self) -> PathBuf {
        match self.platform {
            HostPlatform::Linux => self.config_home(),
            HostPlatform::MacOs => self.home.join("Library/Application Support"),
            HostPlatform::Windows => {
                self.variable("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming"))
            }
        }
    }
}

/// Returns the file name of a path; empty if there is none.
pub(crate) fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Returns the file name without its last extension.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Returns the name of the parent folder.
pub(crate) fn folder(path: &Path) -> &str {
    path.parent().map(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_names_a_folder_unless_it_is_empty() {
        let mut places = LogLocations::of_home("/h");
        places.environment.insert("A".into(), "~/x".into());
        places.environment.insert("B".into(), " ".into());
        assert_eq!(places.variable("A"), Some("/h/x".into()));
        assert_eq!(places.variable("B"), None);
        assert_eq!(places.data_home(), Path::new("/h/.local/share"));
    }

    #[test]
    fn desktop_programs_are_looked_for_where_the_platform_keeps_them() {
        let mut places = LogLocations::of_home("/h");
        for (platform, expected) in [
            (HostPlatform::Linux, "/h/.config"),
            (HostPlatform::MacOs, "/h/Library/Application Support"),
            (HostPlatform::Windows, "/h/AppData/Roaming"),
        ] {
            places.platform = platform;
            assert_eq!(places.applications(), Path::new(expected));
        }
    }
}
