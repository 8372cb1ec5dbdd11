//! Where logs may lie, as data: the home folder, the environment and the platform come from the caller.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cm_session::Agent;

/// Which conventions for folders hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and what is like it.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform that this program was built for.
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

/// Everything that decides where logs are looked for.
#[derive(Debug, Clone)]
pub struct Places {
    /// The person's home folder.
    pub home: PathBuf,
    /// The environment; only the variables that agents document are looked at.
    pub environment: BTreeMap<String, String>,
    /// Which conventions hold.
    pub platform: Platform,
    /// Folders of projects, where agents keep logs within them (Aider).
    pub workspaces: Vec<PathBuf>,
    /// Files and folders that the person named for an agent: exports, copies, other machines' folders. They are looked at
    /// besides the usual ones.
    pub named: BTreeMap<Agent, Vec<PathBuf>>,
}

impl Places {
    /// The places of a home folder alone.
    pub fn of_home(home: impl Into<PathBuf>) -> Self {
        Self {
            home: home.into(),
            environment: BTreeMap::new(),
            platform: Platform::here(),
            workspaces: Vec::new(),
            named: BTreeMap::new(),
        }
    }

    /// The folder that a variable names; an empty one names nothing, and `~/` is the home folder.
    pub(super) fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = self.environment.get(name).filter(|value| !value.trim().is_empty())?;
        Some(match value.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => PathBuf::from(value),
        })
    }

    /// What the person named for `agent`.
    pub(super) fn named(&self, agent: Agent) -> &[PathBuf] {
        self.named.get(&agent).map_or(&[], Vec::as_slice)
    }

    /// `$XDG_DATA_HOME`, or what stands for it.
    pub(super) fn data_home(&self) -> PathBuf {
        self.variable("XDG_DATA_HOME").unwrap_or_else(|| self.home.join(".local/share"))
    }

    /// `$XDG_CONFIG_HOME`, or what stands for it.
    pub(super) fn config_home(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"))
    }

    /// The folder where desktop programs such as editors keep their folders.
    pub(super) fn applications(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.config_home(),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => {
                self.variable("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming"))
            }
        }
    }
}

/// The name of a file without its folder; empty where there is none.
pub(super) fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The same without its last extension.
pub(super) fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The name of the folder that `path` lies in.
pub(super) fn folder(path: &Path) -> &str {
    path.parent().map(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_names_a_folder_unless_it_is_empty() {
        let mut places = Places::of_home("/h");
        places.environment.insert("A".into(), "~/x".into());
        places.environment.insert("B".into(), " ".into());
        assert_eq!(places.variable("A"), Some("/h/x".into()));
        assert_eq!(places.variable("B"), None);
        assert_eq!(places.data_home(), Path::new("/h/.local/share"));
    }

    #[test]
    fn desktop_programs_are_looked_for_where_the_platform_keeps_them() {
        let mut places = Places::of_home("/h");
        for (platform, expected) in [
            (Platform::Linux, "/h/.config"),
            (Platform::MacOs, "/h/Library/Application Support"),
            (Platform::Windows, "/h/AppData/Roaming"),
        ] {
            places.platform = platform;
            assert_eq!(places.applications(), Path::new(expected));
        }
    }
}
