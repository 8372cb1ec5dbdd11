//! Reports what CORE.md holds, what each section and entry costs in tokens, and what was left out
//! and why. Nothing is written.

use std::collections::BTreeMap;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::AsOf;
use crate::context::open::Context;
use crate::error::Result;
use crate::verbs::generate::{PlannedCore, planned_core};
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_note::rounding::round_to_four_decimals;
use cm_playbook::core::{CoreEntry, EntryScore, ListedEntry, SectionContents, same_but_for_day};
use cm_store::vault::layout;

pub use cm_playbook::core::OmissionReason;

/// Limit of the list of omitted notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of omitted notes that are listed; all are counted.
    pub limit: usize,
}

/// Whether CORE.md exists and has the contents that are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoreFileState {
    Missing,
    /// Written earlier, with other contents.
    Outdated,
    Current,
}

/// A note in CORE.md.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CoreNote {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Title as listed; for a rule, its text.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Decay score of a memory, or score of a rule's feedback; the scales differ.
    pub score: f64,
    pub pinned: bool,
    /// Estimated tokens of its line.
    pub tokens: usize,
}

/// A section of CORE.md, in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CoreSection {
    pub title: String,
    /// Estimated tokens with the heading.
    pub tokens: usize,
    /// Maximum number of entries; pinned ones are listed in addition. Null if only the budget of
    /// the file limits the section.
    pub limit: Option<usize>,
    pub entries: Vec<CoreNote>,
}

/// A note that CORE.md does not list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OmittedNote {
    /// Note id, or its path if it has none.
    pub id: String,
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    pub reason: OmissionReason,
}

/// Contents of CORE.md by section, as they would be written now, with their tokens.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CoreBudget {
    /// Commit that the report is based on; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    pub file: CoreFileState,
    /// Estimated tokens of the whole file.
    pub tokens: usize,
    /// Token budget of the file, `core.max_tokens`.
    pub budget: usize,
    /// Estimated tokens of the header.
    pub header_tokens: usize,
    /// Sections with at least one entry.
    pub sections: Vec<CoreSection>,
    /// Omitted notes up to the limit: first those that a larger budget or section would list, the
    /// best first, then those that may not be listed.
    pub omitted: Vec<OmittedNote>,
    /// Number of all omitted notes, by reason.
    pub omitted_counts: BTreeMap<OmissionReason, usize>,
    /// The whole file.
    #[serde(skip)]
    pub text: String,
}

/// Reports the contents of CORE.md of the target vault. In a context at a past commit, these are
/// the contents that it had to have then.
///
/// # Errors
/// Unreadable notes, or a CORE.md that cannot be read.
pub fn core_budget(context: &Context, options: &Options) -> Result<CoreBudget> {
    let planned = planned_core(context)?;
    let contents = &planned.contents;
    let mut omitted_counts = BTreeMap::new();
    let reasons = contents.omitted.iter().chain(&planned.excluded).map(|(_, reason)| *reason);
    reasons.for_each(|reason| *omitted_counts.entry(reason).or_insert(0) += 1);
    Ok(CoreBudget {
        as_of: context.read_at(),
        file: file_state(context, &contents.file.text)?,
        tokens: contents.file.tokens,
        budget: planned.settings.tokens,
        header_tokens: contents.header_tokens,
        sections: contents.sections.iter().map(|section| core_section(section, &planned.entries)).collect(),
        omitted: omitted(&planned).take(options.limit).collect(),
        omitted_counts,
        text: planned.contents.file.text,
    })
}

fn file_state(context: &Context, planned: &str) -> Result<CoreFileState> {
    let open = context.target();
    let written = match (&open.past, NotePath::parse(layout::CORE)) {
        (Some(past), Ok(path)) => match past.read(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(cm_store::vault::Error::io("read", &open.vault.file(&path))(error).into());
            }
        },
        _ => open.vault.read_own(layout::CORE)?,
    };
    Ok(match written {
        None => CoreFileState::Missing,
        Some(written) if same_but_for_day(&written, planned) => CoreFileState::Current,
        Some(_) => CoreFileState::Outdated,
    })
}

fn core_section(section: &SectionContents, entries: &[CoreEntry]) -> CoreSection {
    let note = |listed: &ListedEntry| {
        let entry = &entries[listed.entry];
        let score = match entry.worth {
            EntryScore::Memory(score) => score.value(),
            EntryScore::Bullet { standing, .. } => standing.value(),
        };
        CoreNote {
            id: entry.id.clone(),
            title: entry.title.clone(),
            path: entry.path.to_string(),
            score: round_to_four_decimals(score),
            pinned: entry.pinned,
            tokens: listed.tokens,
        }
    };
    CoreSection {
        title: section.title.clone(),
        tokens: section.tokens,
        limit: section.limit,
        entries: section.entries.iter().map(note).collect(),
    }
}

fn omitted(planned: &PlannedCore) -> impl Iterator<Item = OmittedNote> + '_ {
    let of_entry = |(at, reason): &(usize, OmissionReason)| {
        let entry = &planned.entries[*at];
        OmittedNote {
            id: entry.id.clone(),
            title: entry.title.clone(),
            path: entry.path.to_string(),
            reason: *reason,
        }
    };
    let of_note = |(at, reason): &(usize, OmissionReason)| {
        let note: &Note = &planned.notes[*at];
        OmittedNote {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.to_string(),
            reason: *reason,
        }
    };
    planned.contents.omitted.iter().map(of_entry).chain(planned.excluded.iter().map(of_note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;
    use crate::verbs::generate;

    fn memory_note(number: usize, keys: &str) -> (String, String) {
        let text = format!(
            "---\nid: {number:08}-0000-4000-8000-000000000001\ntype: fix\ntitle: Fix {number}\ncreated: 2026-01-01\nupdated: 2026-01-01\n{keys}\n---\n\nText.\n"
        );
        (format!("graph/fixes/{number}.md"), text)
    }

    fn rule(number: usize, keys: &str) -> (String, String) {
        let text = format!(
            "---\nid: b-mt2ssunl-{number:06}\ncategory: testing\ncreated: 2026-01-01\n{keys}\n---\n\nRun check {number} first.\n"
        );
        (format!("playbook/testing/{number}.md"), text)
    }

    fn filled() -> FixtureVault {
        let vault = FixtureVault::new();
        let notes = [
            memory_note(1, "importance: 0.9"),
            memory_note(2, "state: unverified"),
            memory_note(3, "state: retired"),
            memory_note(4, "maturity: deprecated"),
            rule(5, "state: active"),
            rule(6, "state: draft"),
            rule(7, "state: active\nmaturity: deprecated"),
        ];
        notes.iter().for_each(|(path, text)| vault.put(path, text));
        for number in 10..27 {
            let (path, text) = memory_note(number, "importance: 0.8");
            vault.put(&path, &text);
        }
        vault
    }

    #[test]
    fn the_report_adds_up_to_the_file_that_would_be_written() {
        let vault = filled();
        let context = vault.at("2026-01-02");
        let budget = core_budget(&context, &Options { limit: 100 }).unwrap();
        let written = generate::core(&context, true).unwrap();
        assert_eq!((budget.file, budget.tokens), (CoreFileState::Missing, written.tokens));
        let listed: usize = budget.sections.iter().map(|section| section.entries.len()).sum();
        assert_eq!(listed, written.entries);
        let sum: usize =
            budget.sections.iter().map(|section| section.tokens).sum::<usize>() + budget.header_tokens;
        assert!((budget.tokens..budget.tokens + 4).contains(&sum), "each part is rounded up");
        let fixes = &budget.sections[0];
        assert_eq!((fixes.title.as_str(), fixes.limit, fixes.entries.len()), ("Key Fixes", Some(15), 15));
        assert!(fixes.tokens >= fixes.entries.iter().map(|entry| entry.tokens).sum::<usize>() - 15);
        assert_eq!(
            (fixes.entries[0].title.as_str(), budget.sections[1].entries[0].title.as_str()),
            ("Fix 1", "Run check 5 first.")
        );
    }

    #[test]
    fn each_omitted_note_has_its_reason() {
        let vault = filled();
        let budget = core_budget(&vault.at("2026-01-02"), &Options { limit: 100 }).unwrap();
        let reason =
            |title: &str| budget.omitted.iter().find(|note| note.title == title).map(|note| note.reason);
        for (title, expected) in [
            ("Fix 1", None),
            ("Fix 26", Some(OmissionReason::FullSection)),
            ("Fix 2", Some(OmissionReason::Waiting)),
            ("Fix 3", Some(OmissionReason::Retired)),
            ("Fix 4", Some(OmissionReason::Deprecated)),
            ("Run check 6 first.", Some(OmissionReason::Waiting)),
            ("Run check 7 first.", Some(OmissionReason::Deprecated)),
        ] {
            assert_eq!(reason(title), expected, "{title}");
        }
        assert_eq!(budget.omitted_counts[&OmissionReason::FullSection], 3);
        for number in 30..60 {
            let (path, text) = memory_note(number, "importance: 0.8");
            vault.put(&path, &text);
        }
        vault.put("cm.toml", "[core]\nmax_tokens = 200\nmax_entries = 100\n");
        let budget = core_budget(&vault.at("2026-01-02"), &Options { limit: 2 }).unwrap();
        assert!(budget.tokens <= budget.budget && budget.budget == 200);
        assert_eq!((budget.omitted.len(), budget.omitted[0].reason), (2, OmissionReason::NoSpace));
    }

    #[test]
    fn a_past_commit_has_the_contents_of_its_own_time() {
        let vault = FixtureVault::new();
        let (path, text) = memory_note(1, "importance: 0.9");
        vault.commit("2026-01-02", &[(&path, &text)]);
        generate::core(&vault.at("2026-01-03"), false).unwrap();
        let (other, more) = memory_note(2, "importance: 0.9");
        vault.commit("2026-01-04", &[(&other, &more)]);
        let state = |context: &Context| {
            let budget = core_budget(context, &Options::default()).unwrap();
            (budget.file, budget.sections[0].entries.len())
        };
        let context = vault.at("2026-01-05");
        assert_eq!(state(&context), (CoreFileState::Outdated, 2));
        assert_eq!(state(&context.as_of("2026-01-03").unwrap()), (CoreFileState::Current, 1));
        assert_eq!(state(&context.as_of("2026-01-02").unwrap()), (CoreFileState::Missing, 1));
    }
}
