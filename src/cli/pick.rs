//! Lets a person at a terminal choose a note by typing a part of its title.

use std::fmt;

use inquire::Select;

use super::answer::Output;
use super::ask::{answer_error, can_ask};
use cm_app::verbs::recent::{self, NoteSummary};
use cm_app::{Context, Error, Result};
use cm_render::text::style::safe;

/// An entry of the list.
struct Choice(NoteSummary);

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note_type = self.0.note_type.as_deref().unwrap_or(self.0.kind.name());
        write!(f, "{}  ({})", safe(&self.0.title), safe(note_type))
    }
}

/// Returns the note that was given, or the id of the one that the person chooses from all notes.
///
/// # Errors
/// No note was given and there is no terminal, or the person cancels.
pub fn note_or_choice(context: &Context, given: Option<String>, output: &Output) -> Result<String> {
    if let Some(given) = given {
        return Ok(given);
    }
    if !can_ask(output) {
        return Err(
            Error::usage("missing NOTE").hint("pass a title, an id or a path; on a terminal, a list appears")
        );
    }
    let all = recent::Options { limit: usize::MAX, ..recent::Options::default() };
    let choices: Vec<Choice> = recent::recent(context, &all)?.notes.into_iter().map(Choice).collect();
    if choices.is_empty() {
        return Err(Error::not_found("the vault has no notes yet"));
    }
    output.notices(context);
    let chosen = Select::new("Note:", choices)
        .with_page_size(12)
        .with_help_message("type to filter, Enter to choose, Esc to cancel")
        .prompt();
    match chosen {
        Ok(Choice(note)) => Ok(note.id),
        Err(error) => Err(answer_error(&error, "no note was chosen")),
    }
}
