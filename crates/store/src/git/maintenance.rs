//! Packing loose objects now and then, by git's own maintenance, which nobody waits for.

use std::process::Stdio;

use crate::git::repo::{Programs, Repo};

/// As many loose objects in one of the 256 folders as git's own limit of 6,700 makes.
const MANY: usize = 27;

impl Repo {
    /// Starts `git maintenance` where loose objects seem many, and answers whether it did. git itself
    /// decides whether there is something to do, by its own settings.
    pub fn maintain(&self) -> bool {
        if self.programs == Programs::Denied {
            return false;
        }
        let sample = self.inner.common_dir().join("objects/17");
        if std::fs::read_dir(sample).map_or(0, Iterator::count) < MANY {
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
