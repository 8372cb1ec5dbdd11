//! A copy of the server's MEMORY.md: shown at the start of a session while the server is away, and
//! written into the project if the user wants it.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::verbs::server_client::api::ServerApi;
use crate::verbs::server_client::connection::ServerConnection;
use cm_exchange::memory_file::{OPENING, is_section};
use cm_note::markdown::escape::{escape_rule, visible};
use cm_note::path::NotePath;
use cm_store::vault::external_folder;
use cm_text::shorten::shorten;

/// Name of the private copy.
const FILE: &str = "MEMORY.md";
/// Timeout of the request. Nobody waits for it.
pub(super) const COPY_TIMEOUT: Duration = Duration::from_secs(20);
/// Size of the copy in bytes after which nothing is added.
const MAX_COPY_BYTES: usize = 512 << 10;
/// Maximum number of rules and memories of the copy.
const MAX_ITEMS: usize = 2_000;
/// Maximum length of one of them, in characters.
const MAX_ITEM_CHARS: usize = 2_000;

/// Returns the private copy; `None` if the server never sent one.
#[must_use]
pub fn stored(connection: &ServerConnection) -> Option<String> {
    let private = &connection.private;
    let text = private.read(&private.state().join(FILE)).ok().flatten()?;
    // Earlier versions of cm stored what the server sent.
    checked(&text)
}

/// Fetches MEMORY.md, and updates the private copy and the file in the project.
///
/// # Errors
/// A server that does not answer or sends something else, and files that cannot be written.
pub fn refresh(connection: &ServerConnection, api: &ServerApi) -> Result<()> {
    let text = checked(&api.memory_md(COPY_TIMEOUT)?).ok_or_else(|| {
        Error::refused("invalid-answer", format!("{} did not send a MEMORY.md", connection.url))
    })?;
    let private = &connection.private;
    if stored(connection).as_ref() != Some(&text) {
        private.write(&private.state().join(FILE), text.as_bytes())?;
    }
    let Some((folder, file)) = connection.folder.as_deref().zip(connection.memory_file.as_deref()) else {
        return Ok(());
    };
    let path = NotePath::parse(file)?;
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

/// Builds the copy from the lines that an export writes: the head, known headings and list items, each
/// escaped like the texts of a briefing. `None` if the text is no MEMORY.md. All other lines, and what is
/// beyond the limits, are left out.
fn checked(text: &str) -> Option<String> {
    let mut lines = text.strip_prefix(OPENING)?.split('\n');
    let mut copy = format!("{OPENING}{}\n", safe(lines.next().unwrap_or_default()));
    let mut heading: Option<&str> = None;
    let (mut is_head, mut items) = (true, 0);
    for line in lines {
        if let Some(figures) = line.strip_prefix("> ").filter(|_| is_head) {
            copy.push_str(&format!("> {}\n", safe(figures)));
        }
        is_head = false;
        if let Some(title) = line.strip_prefix("## ") {
            heading = is_section(title).then_some(title);
        } else if let Some(item) = line.strip_prefix("- ").map(safe).filter(|item| !item.is_empty())
            && items < MAX_ITEMS
            && copy.len() < MAX_COPY_BYTES
        {
            if let Some(title) = heading.take() {
                copy.push_str(&format!("\n## {title}\n\n"));
            }
            copy.push_str(&format!("- {item}\n"));
            items += 1;
        }
    }
    Some(copy)
}

/// Puts a text on one line, in which nothing looks like a tag or a marker, also not in code.
fn safe(text: &str) -> String {
    escape_rule(&shorten(&visible(text), MAX_ITEM_CHARS)).replace("</", "&lt;/")
}

#[cfg(test)]
mod tests {
    use cm_note::markdown::escape::escape_inline;

    use super::*;

    #[test]
    fn only_a_memory_file_is_taken_and_nothing_invisible_in_it() {
        assert_eq!(checked("# Something else\n"), None);
        let text = format!("{OPENING}2026-11-21\u{202e}\u{1b}[2J\n\n- Rule\n");
        assert_eq!(checked(&text), Some(format!("{OPENING}2026-11-21 [2J\n- Rule\n")));
    }

    #[test]
    fn what_an_export_writes_stays_as_it_is() {
        let item = escape_inline("1. <b> a*b `c` [d] #e & \\ _f_");
        let text = format!(
            "{OPENING}2026-11-21 by `cm export --format memory.md`; changes by hand are lost.\n\
             > 1 proven rule and 2 memories in use; 0 left out.\n\n\
             ## Rules\n\n- net: Retry with `jitter` and [this](a.md).\n\n\
             ## Patterns & Workflows\n\n- {item}\n- A title: {item}\n"
        );
        assert_eq!(checked(&text), Some(text));
    }
}
