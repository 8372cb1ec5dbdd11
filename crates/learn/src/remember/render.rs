//! Renders the memory part of a rule file: facts, preferences and the latest episodes, in at most
//! 150 lines.
//!
//! The caller decides which entries may be shown to agents. The part contains no generation date,
//! so an unchanged memory results in unchanged bytes.

use super::episodes::LoggedEpisode;
use crate::prose::cut;
use cm_note::markdown::escape::escape_rule;
use cm_note::markdown::mentions::quote_mentions;

/// Maximum number of lines of the section that `cm remember` maintains in a file, including the
/// comment lines that mark its start and end.
pub const MAX_SECTION_LINES: usize = 150;
/// Maximum number of episodes in this section.
pub const MAX_SECTION_EPISODES: usize = 5;
/// Number of lines reserved for markers, notice, headings, blank lines and notes about omitted
/// entries.
const RESERVED_LINES: usize = 15;
/// Maximum number of preferences if the facts need all other lines.
const MAX_SECTION_PREFERENCES: usize = 60;
/// Maximum length of an entry in the memory part, in characters.
const MAX_ENTRY_CHARS: usize = 300;
/// Notice at the top of the memory part, which tells people not to edit it.
const NOTICE: &str = "<!-- `cm remember` writes this part; changes up to the end marker are lost -->\n";

/// The memory part of a rule file, with the numbers of its entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryPart {
    /// Text between the markers, ending with a line break.
    pub text: String,
    pub facts: usize,
    pub preferences: usize,
    pub episodes: usize,
    /// Number of facts and preferences that did not fit.
    pub omitted: usize,
}

/// Renders the memory part of a rule file. Facts and preferences must be sorted by importance,
/// episodes with the latest first.
pub fn part(facts: &[String], preferences: &[String], episodes: &[LoggedEpisode]) -> MemoryPart {
    let episodes = &episodes[..episodes.len().min(MAX_SECTION_EPISODES)];
    let room = MAX_SECTION_LINES - RESERVED_LINES - episodes.len();
    let wanted = preferences.len().min(MAX_SECTION_PREFERENCES.max(room.saturating_sub(facts.len())));
    let fact_count = facts.len().min(room - wanted);
    let mut text = format!("{NOTICE}## Memory\n");
    if facts.is_empty() && preferences.is_empty() && episodes.is_empty() {
        text.push_str("\nNothing remembered yet.\n");
    }
    section(&mut text, "Facts", facts[..fact_count].iter().map(|fact| line(fact)), facts.len() - fact_count);
    let wants = preferences[..wanted].iter().map(|wants| line(wants));
    section(&mut text, "Preferences", wants, preferences.len() - wanted);
    section(&mut text, "Latest episodes", episodes.iter().map(episode), 0);
    MemoryPart {
        text,
        facts: fact_count,
        preferences: wanted,
        episodes: episodes.len(),
        omitted: facts.len() - fact_count + preferences.len() - wanted,
    }
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>, omitted: usize) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    text.push_str(&format!("\n### {title}\n\n"));
    text.extend(lines);
    if omitted > 0 {
        text.push_str(&format!("- … and {omitted} more in the vault\n"));
    }
}

fn line(entry: &str) -> String {
    format!("- {}\n", shown(entry))
}

/// Escapes an entry, so that it cannot start a heading, marker, HTML tag or `@` import.
pub(super) fn shown(entry: &str) -> String {
    quote_mentions(&escape_rule(&cut(entry, MAX_ENTRY_CHARS)))
}

fn episode(episode: &LoggedEpisode) -> String {
    let summary = episode.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
    line(&format!("{} {}{summary}", episode.day, episode.title))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::remember::section::SECTION;

    fn episode(title: &str) -> LoggedEpisode {
        LoggedEpisode {
            day: "2026-11-01".into(),
            minute: "09:00".into(),
            title: title.into(),
            summary: None,
            sources: vec![],
        }
    }

    #[test]
    fn the_part_tells_facts_preferences_and_the_last_five_episodes() {
        let episodes: Vec<LoggedEpisode> = (0..7).map(|n| episode(&format!("Episode {n}"))).collect();
        let part = part(&["The port is 8080".into()], &["Use pnpm, see @docs/x.md".into()], &episodes);
        assert_eq!((part.facts, part.preferences, part.episodes, part.omitted), (1, 1, 5, 0));
        assert!(
            part.text.contains(
                "### Facts\n\n- The port is 8080\n\n### Preferences\n\n- Use pnpm, see `@docs/x.md`\n"
            ),
            "{}",
            part.text
        );
        assert!(part.text.ends_with("- 2026-11-01 Episode 4\n"), "{}", part.text);
    }

    #[test]
    fn an_empty_memory_says_so() {
        assert!(part(&[], &[], &[]).text.ends_with("## Memory\n\nNothing remembered yet.\n"));
    }

    proptest! {
        #[test]
        fn it_never_passes_its_lines_and_nothing_in_it_is_a_marker_or_a_heading(
            facts in 0_usize..300, preferences in 0_usize..300, episodes in 0_usize..9, word in "(<!-- MEMORY:(START|END) -->|```|# |~~~|- |.|\n){0,8}"
        ) {
            let texts = |count: usize| (0..count).map(|n| format!("{word} {n}")).collect::<Vec<_>>();
            let episodes: Vec<LoggedEpisode> = (0..episodes).map(|_| episode(&word)).collect();
            let part = part(&texts(facts), &texts(preferences), &episodes);
            prop_assert!(part.text.lines().count() + 2 <= MAX_SECTION_LINES);
            prop_assert_eq!(part.facts + part.preferences + part.omitted, facts + preferences);
            let file = SECTION.put("# Mine\n", &part.text).unwrap();
            prop_assert_eq!(SECTION.find(&file).map(|found| found.is_some()), Ok(true));
            prop_assert_eq!(file.matches("MEMORY:START -->").count(), 1);
            let headings = part.text.lines().filter(|line| line.starts_with('#')).count();
            prop_assert!(headings <= 4);
        }
    }
}
