//! A copy of the server's MEMORY.md: shown at the start of a session while the server is away, and
//! written into the project if the user wants it.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::verbs::server_client::api::ServerApi;
use crate::verbs::server_client::connection::ServerConnection;
use cm_exchange::memory_file::OPENING;
use cm_note::markdown::escape::is_hidden;
use cm_note::path::NotePath;
use cm_store::vault::external_folder;

/// Name of the private copy.
const FILE: &str = "MEMORY.md";
/// Timeout of the request. Nobody waits for it.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Returns the private copy; `None` if the server never sent one.
#[must_use]
pub fn stored(connection: &ServerConnection) -> Option<String> {
    let private = &connection.private;
    private.read(&private.state().join(FILE)).ok().flatten()
}

/// Fetches MEMORY.md, and updates the private copy and the file in the project.
///
/// # Errors
/// A server that does not answer or sends something else, and files that cannot be written.
pub fn refresh(connection: &ServerConnection, api: &ServerApi) -> Result<()> {
    let text = checked(&api.memory_md(TIMEOUT)?).ok_or_else(|| {
        Error::refused("invalid-answer", format!("{} did not send a MEMORY.md", connection.url))
    })?;
    let private = &connection.private;
    if stored(connection).as_ref() != Some(&text) {
        private.write(&private.state().join(FILE), text.as_bytes())?;
    }
    let Some((folder, file)) = connection.folder.as_deref().zip(connection.memory_file.as_deref()) else {
        return Ok(());
    };
    let path = NotePath::parse(file).map_err(|error| Error::usage(error.to_string()))?;
    let before = external_folder::below(folder, &path)?;
    match before {
        Some(before) if before == text.as_bytes() => return Ok(()),
        Some(before) if !is_ours(&before) => {
            return Err(Error::refused(
                "not-ours",
                format!("{file} was not written by cm and stays unchanged"),
            ));
        }
        _ => {}
    }
    external_folder::write(folder, &[(path, text.into_bytes())], &|_, there| is_ours(there))?;
    Ok(())
}

/// Whether a file was written as a copy of MEMORY.md.
#[must_use]
pub fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(OPENING.as_bytes())
}

/// Returns the text without invisible and control characters; `None` if it is no MEMORY.md.
fn checked(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| (*c == '\n' || !c.is_control()) && !is_hidden(*c)).collect();
    is_ours(text.as_bytes()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_memory_file_is_taken_and_nothing_invisible_in_it() {
        assert_eq!(checked("# Something else\n"), None);
        let text = format!("{OPENING}2026-11-21\u{202e}\u{1b}[2J\n\n- Rule\n");
        assert_eq!(checked(&text), Some(format!("{OPENING}2026-11-21[2J\n\n- Rule\n")));
    }
}
