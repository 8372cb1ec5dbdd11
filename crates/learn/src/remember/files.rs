//! Renders the memory as `facts.md`, `episodes.md` and `preferences.md`, for people and other
//! tools.
//!
//! The files contain no generation date, so an unchanged memory results in unchanged files.

use super::episodes::LoggedEpisode;
use super::preferences::PreferenceEvidence;
use super::render::shown;
use crate::friction::antigen::by_words::Confidence;

/// Notice below the heading, which identifies generated files.
const NOTICE: &str = "> Written by `cm remember`; changes by hand are lost.\n";

pub const NAMES: [&str; 3] = ["facts.md", "episodes.md", "preferences.md"];

/// A rendered file that is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFile {
    /// File name, without a folder.
    pub name: &'static str,
    pub text: String,
}

/// A fact in `facts.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactLine {
    /// Statement of the fact.
    pub text: String,
    /// Day since which it is known.
    pub since: Option<String>,
}

/// A preference in `preferences.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreferenceLine {
    /// Statement of the preference.
    pub text: String,
    pub level: Confidence,
    /// Observations; `None` if a person wrote it.
    pub evidence: Option<PreferenceEvidence>,
}

/// Returns `true` if the content is that of a generated file.
pub fn is_ours(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let headed = lines.next().is_some_and(|line| ["# Facts", "# Episodes", "# Preferences"].contains(&line));
    headed && lines.nth(1).is_some_and(|line| line == NOTICE.trim_end())
}

/// Renders the three files, in the order of [`NAMES`].
pub fn files(
    facts: &[FactLine],
    episodes: &[LoggedEpisode],
    preferences: &[PreferenceLine],
) -> Vec<MemoryFile> {
    let texts = [facts_text(facts), episodes_text(episodes), preferences_text(preferences)];
    NAMES.into_iter().zip(texts).map(|(name, text)| MemoryFile { name, text }).collect()
}

fn head(title: &str) -> String {
    format!("# {title}\n\n{NOTICE}")
}

fn facts_text(facts: &[FactLine]) -> String {
    let mut text = head("Facts");
    text.push('\n');
    for fact in facts {
        let since = fact.since.as_deref().map(|day| format!(" (since {day})")).unwrap_or_default();
        text.push_str(&format!("- {}{since}\n", shown(&fact.text)));
    }
    if facts.is_empty() {
        text.push_str("None yet.\n");
    }
    text
}

fn episodes_text(episodes: &[LoggedEpisode]) -> String {
    let mut text = head("Episodes");
    for episode in episodes {
        text.push_str(&format!("\n### {} - {}\n", episode.day, shown(&episode.title)));
        if let Some(summary) = &episode.summary {
            text.push_str(&format!("\n{}\n", shown(summary)));
        }
    }
    if episodes.is_empty() {
        text.push_str("\nNone yet.\n");
    }
    text
}

fn preferences_text(preferences: &[PreferenceLine]) -> String {
    let mut text = head("Preferences");
    for (title, level) in [
        ("High confidence", Confidence::High),
        ("Medium confidence", Confidence::Medium),
        ("Low confidence", Confidence::Low),
    ] {
        text.push_str(&format!("\n## {title}\n\n"));
        let own = preferences.iter().filter(|preference| preference.level == level);
        let lines: Vec<String> = own.map(preference).collect();
        text.push_str(if lines.is_empty() { "None yet.\n" } else { "" });
        text.extend(lines);
    }
    text
}

fn preference(preference: &PreferenceLine) -> String {
    let evidence = match &preference.evidence {
        None => "set by a person".to_owned(),
        Some(PreferenceEvidence { observed, against: 0, .. }) => format!("evidence: {}", counted(*observed)),
        Some(PreferenceEvidence { observed, against, .. }) => {
            format!("evidence: {}, {against} against", counted(*observed))
        }
    };
    format!("- {} ({evidence})\n", shown(&preference.text))
}

fn counted(observed: usize) -> String {
    if observed == 1 { "1 observation".to_owned() } else { format!("{observed} observations") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_files_tell_what_is_recognized_and_how_sure_it_is() {
        let evidence = PreferenceEvidence { observed: 5, against: 1, level: Confidence::Medium };
        let wants = [
            PreferenceLine { text: "Name the unit".into(), level: Confidence::High, evidence: None },
            PreferenceLine {
                text: "Use <b>pnpm".into(),
                level: Confidence::Medium,
                evidence: Some(evidence),
            },
        ];
        let facts = [FactLine { text: "The port is 8080".into(), since: Some("2026-11-01".into()) }];
        let files = files(&facts, &[], &wants);
        assert_eq!(files[0].text, format!("# Facts\n\n{NOTICE}\n- The port is 8080 (since 2026-11-01)\n"));
        assert!(files[1].text.ends_with("\nNone yet.\n"));
        assert_eq!(
            files[2].text,
            format!(
                "# Preferences\n\n{NOTICE}\n## High confidence\n\n- Name the unit (set by a person)\n\n## Medium confidence\n\n\
                 - Use &lt;b>pnpm (evidence: 5 observations, 1 against)\n\n## Low confidence\n\nNone yet.\n"
            )
        );
        assert!(files.iter().all(|file| is_ours(file.text.as_bytes())));
        assert!(!is_ours(b"# Facts\n\nMine.\n") && !is_ours(b""));
    }
}
