//! Titles of sessions, derived from their first prompt.

use super::harness_text::is_scaffold;
use cm_text::shorten::shorten;

/// Maximum length of a title, in characters.
pub const MAX_TITLE_CHARS: usize = 100;

/// Returns the first line of a prompt as a title; `None` if a program wrote the prompt.
pub fn of_prompt(text: &str) -> Option<String> {
    if is_scaffold(text) {
        return None;
    }
    of_line(text)
}

/// Returns the first line that is not empty, shortened to a title's length.
pub fn of_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(shorten(line, MAX_TITLE_CHARS).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_prompt_is_the_title() {
        assert_eq!(of_prompt("\n  Fix it \nnow").as_deref(), Some("Fix it"));
        assert_eq!(of_prompt("<system-reminder>x"), None);
        assert_eq!(of_prompt(" \n"), None);
    }

    #[test]
    fn a_title_has_at_most_a_hundred_characters() {
        let title = of_line(&"é".repeat(101)).unwrap();
        assert_eq!(title.chars().count(), MAX_TITLE_CHARS);
        assert!(title.ends_with('…'));
        assert_eq!(of_line(&"é".repeat(100)).unwrap().chars().filter(|c| *c == 'é').count(), 100);
    }
}
