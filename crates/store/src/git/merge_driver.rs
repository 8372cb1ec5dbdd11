//! The merge driver in a clone's configuration: the command that `git merge` runs for a vault's
//! files.
//!
//! `.gitattributes` travels with the vault and only names the driver. The command is in the clone's
//! own configuration, so that no vault decides which program runs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::config::File;

use crate::git::error::{Doing, InPath, Result};
use crate::git::repo::Repo;

/// Name of the driver in `.gitattributes` and in the configuration.
const NAME: &str = "cm";
/// Description of the driver that Git displays.
const DESCRIPTION: &str = "notes by key, event and paragraph";

/// Whether a clone runs cm to merge notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeDriver {
    Missing,
    /// The configuration names another command.
    Other(String),
    Registered,
}

/// Returns the command for the configuration. Git runs it in a shell and quotes the names of files.
/// The program has its absolute path, so that no folder on the `PATH` decides what runs.
fn merge_driver_command(program: &Path) -> String {
    let program = program.display().to_string().replace('\\', "/");
    format!("'{}' merge-driver %O %A %B %P", program.replace('\'', r"'\''"))
}

impl Repo {
    /// Returns whether the clone's own configuration names this program as the driver.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn merge_driver(&self, program: &Path) -> Result<MergeDriver> {
        let (_, config) = self.own_config()?;
        Ok(match config.string_by("merge", Some(NAME.into()), "driver") {
            None => MergeDriver::Missing,
            Some(command) if command.to_str_lossy() == merge_driver_command(program) => {
                MergeDriver::Registered
            }
            Some(command) => MergeDriver::Other(command.to_str_lossy().into_owned()),
        })
    }

    /// Registers this program as the driver in the clone's own configuration. Returns whether the
    /// configuration changed. Another command for the driver is replaced.
    ///
    /// # Errors
    /// The configuration cannot be read or written, or another process is writing it.
    pub fn register_merge_driver(&self, program: &Path) -> Result<bool> {
        if self.merge_driver(program)? == MergeDriver::Registered {
            return Ok(false);
        }
        let (path, mut config) = self.own_config()?;
        let command = merge_driver_command(program);
        for (key, value) in [("name", DESCRIPTION), ("driver", command.as_str())] {
            config
                .set_raw_value_by("merge", Some(NAME.into()), key, value)
                .doing("writing the configuration", &path)?;
        }
        write_locked(&path, &config.to_bstring())?;
        Ok(true)
    }

    /// Lets a branch follow a branch of a remote, in the clone's own configuration, unless it follows one.
    ///
    /// # Errors
    /// The configuration cannot be read or written, or another process is writing it.
    pub fn follow(&self, branch: &str, remote: &str, upstream: &str) -> Result<()> {
        if self.upstream(branch) != (None, None) {
            return Ok(());
        }
        let (path, mut config) = self.own_config()?;
        let upstream = format!("refs/heads/{upstream}");
        for (key, value) in [("remote", remote), ("merge", upstream.as_str())] {
            config
                .set_raw_value_by("branch", Some(branch.into()), key, value)
                .doing("writing the configuration", &path)?;
        }
        write_locked(&path, &config.to_bstring())
    }

    /// The configuration file of the clone, without the files that it includes.
    fn own_config(&self) -> Result<(PathBuf, File)> {
        let path = self.inner.common_dir().join("config");
        let config = File::from_path_no_includes(path.clone(), gix::config::Source::Local)
            .doing("reading the configuration", &path)?;
        Ok((path, config))
    }
}

/// Replaces a configuration file as Git does: through `config.lock`, which excludes other writers.
fn write_locked(path: &Path, bytes: &[u8]) -> Result<()> {
    // The configuration may be a link to a file elsewhere.
    let path = &path.canonicalize().in_path(path)?;
    let lock = path.with_extension("lock");
    let mut file = OpenOptions::new().write(true).create_new(true).open(&lock).in_path(&lock)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| fs::set_permissions(&lock, fs::metadata(path)?.permissions()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&lock, path));
    if written.is_err() {
        // The lock is ours, and nothing else has been written.
        let _ = fs::remove_file(&lock);
    }
    written.in_path(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_odd_characters_in_its_path_is_one_word_for_the_shell() {
        let command = merge_driver_command(Path::new("/home/a b/it's/cm"));
        assert_eq!(command, r"'/home/a b/it'\''s/cm' merge-driver %O %A %B %P");
    }

    #[test]
    fn a_registration_keeps_the_rest_of_the_configuration_and_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::init(folder.path()).unwrap();
        let path = repo.git_dir().join("config");
        let before = fs::read_to_string(&path).unwrap() + "# mine\n[user]\n\tname = Ada # me\n";
        fs::write(&path, &before).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions();
        let program = Path::new("/usr/bin/cm");
        assert_eq!(repo.merge_driver(program).unwrap(), MergeDriver::Missing);
        assert!(repo.register_merge_driver(program).unwrap());
        assert!(!repo.register_merge_driver(program).unwrap(), "once is enough");
        assert_eq!(repo.merge_driver(program).unwrap(), MergeDriver::Registered);
        assert!(matches!(repo.merge_driver(Path::new("/other")).unwrap(), MergeDriver::Other(_)));
        assert!(fs::read_to_string(&path).unwrap().starts_with(&before));
        assert_eq!(fs::metadata(&path).unwrap().permissions(), mode);
    }
}
