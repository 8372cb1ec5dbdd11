//! Files in `_state/` that are only ever appended to, a line at a time: what was spent, what was learned from.
//!
//! What a line means is for others to say. A kill may leave the last one torn, and the next is still whole.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::error::Error;
use super::layout::Vault;

/// A file of lines.
#[derive(Debug, Clone)]
pub struct Lines {
    path: PathBuf,
}

impl Lines {
    /// The file of that name in a vault's `_state/`; it need not be there.
    pub fn of(vault: &Vault, name: &str) -> Self {
        Self { path: vault.state().join(name) }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All that it holds; nothing where there is none. Bytes that are no text are replaced.
    ///
    /// # Errors
    /// [`Error::Io`] where it is there and cannot be read.
    pub fn text(&self) -> Result<String, Error> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(Error::io("read", &self.path)(error)),
        }
    }

    /// Adds a line, which is on the disk when this returns. A torn last line is ended first.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn append(&self, line: &str) -> Result<(), Error> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
        }
        let open = OpenOptions::new().create(true).read(true).append(true).open(&self.path);
        let mut file = open.map_err(Error::io("open", &self.path))?;
        let torn = is_torn(&mut file).map_err(Error::io("read", &self.path))?;
        let text = format!("{}{}\n", if torn { "\n" } else { "" }, line.trim_end_matches('\n'));
        // One write with O_APPEND: lines of several processes do not mix.
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(Error::io("write", &self.path))
    }
}

fn is_torn(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_ended_before_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let lines = Lines { path: folder.path().join("_state/a.jsonl") };
        assert_eq!(lines.text().unwrap(), "");
        lines.append("one\n").unwrap();
        lines.append("two").unwrap();
        assert_eq!(lines.text().unwrap(), "one\ntwo\n");
        fs::write(lines.path(), "one\nto").unwrap();
        lines.append("three").unwrap();
        assert_eq!(lines.text().unwrap(), "one\nto\nthree\n");
    }
}
