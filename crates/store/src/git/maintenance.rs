//! Starts Git's own maintenance in the background to pack loose objects.

use std::process::Stdio;

use crate::git::repo::{Programs, Repo};

/// Number of loose objects in one of the 256 folders that corresponds to Git's limit of 6,700 in
/// total.
const MANY_LOOSE_OBJECTS: usize = 27;

impl Repo {
    /// Starts `git maintenance` if there seem to be many loose objects, and returns whether it did.
    /// Git decides by its own settings whether to pack.
    pub fn maintain(&self) -> bool {
        if self.programs == Programs::Denied {
            return false;
        }
        let sample = self.inner.common_dir().join("objects/17");
        if std::fs::read_dir(sample).map_or(0, Iterator::count) < MANY_LOOSE_OBJECTS {
            return false;
        }
        let mut command = self.git();
        command.args(["maintenance", "run", "--auto", "--quiet"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Of a group of its own, so that Ctrl-C at the terminal does not stop it half-way.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let Ok(mut child) = command.spawn() else { return false };
        // Whoever lives longer than it takes its exit status; whoever does not leaves it to the system.
        std::thread::spawn(move || child.wait());
        true
    }
}
