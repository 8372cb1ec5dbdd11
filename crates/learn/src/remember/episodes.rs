//! Converts sources to entries of the daily logs, and parses the logs to find sources that were
//! already remembered.
//!
//! Each entry contains the keys and content hashes of its sources, so the notes alone determine
//! which sources are new.

use std::collections::{HashMap, HashSet};

use super::source::MemorySource;
use crate::diary::read::unescaped;
use cm_note::instant::Instant;
use cm_note::markdown::escape::percent_encode;
use cm_note::note::compose::EpisodeEntry;
use cm_text::plural::count;

/// An entry of a daily log, parsed from Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEpisode {
    /// Day of the entry, such as `2026-11-21`.
    pub day: String,
    /// Time of day, as `HH:MM`.
    pub minute: String,
    pub title: String,
    /// Summary of one or two sentences.
    pub summary: Option<String>,
    /// Key and content hash of each source that the entry records.
    pub sources: Vec<(String, String)>,
}

/// For each source key, the content hashes with which the source was already remembered.
pub type RememberedSources = HashMap<String, HashSet<String>>;

/// Whether a source was already remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceStatus {
    /// No source with this key was remembered.
    New,
    /// The source was remembered, but its content has changed.
    Changed,
    /// The source was remembered with the same content.
    Before,
}

/// Collects the sources that these episodes record.
pub fn done<'e>(episodes: impl IntoIterator<Item = &'e LoggedEpisode>) -> RememberedSources {
    let mut done = RememberedSources::new();
    for (key, hash) in episodes.into_iter().flat_map(|episode| &episode.sources) {
        done.entry(key.clone()).or_default().insert(hash.clone());
    }
    done
}

pub fn standing(source: &MemorySource, done: &RememberedSources) -> SourceStatus {
    match done.get(&encoded(&source.key)) {
        None => SourceStatus::New,
        Some(hashes) if hashes.contains(&source.hash) => SourceStatus::Before,
        Some(_) => SourceStatus::Changed,
    }
}

/// Builds the daily log's entry about a source.
pub fn entry(source: &MemorySource, standing: SourceStatus) -> EpisodeEntry {
    let again = if standing == SourceStatus::Changed { " (changed)" } else { "" };
    EpisodeEntry {
        at: source.at,
        title: format!("{}{again}", source.title),
        note_type: Some(source.origin.name().to_owned()),
        tags: source.tags.clone(),
        memory: source.note.clone().map(|path| (source.title.clone(), path)),
        summary: source.summary.clone(),
        source: Some(word(source)),
    }
}

/// Builds one common entry for all sources that do not get an entry of their own; `None` if there
/// are none.
pub(crate) fn combined_entry(sources: &[&MemorySource], at: Instant) -> Option<EpisodeEntry> {
    let mut words: Vec<String> = sources.iter().map(|source| word(source)).collect();
    words.sort_unstable();
    let first = sources.first()?;
    Some(EpisodeEntry {
        at,
        title: format!("Reviewed friction in {}", count(words.len(), "place")),
        note_type: Some(first.origin.name().to_owned()),
        tags: first.tags.clone(),
        memory: None,
        summary: None,
        source: Some(words.join(" ")),
    })
}

pub(super) fn word(source: &MemorySource) -> String {
    format!("{}#{}", encoded(&source.key), source.hash)
}

/// Percent-encodes a source key, so that it contains no space, backtick or `#`.
fn encoded(key: &str) -> String {
    percent_encode(key, |c| "-._~/:@+,=".contains(c) || c.is_alphanumeric())
}

/// Parses the Markdown body of the daily log of `day`.
pub fn parse(day: &str, body: &str) -> Vec<LoggedEpisode> {
    let mut episodes: Vec<LoggedEpisode> = Vec::new();
    for line in body.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (minute, title) = heading.split_once(" - ").unwrap_or(("", heading));
            episodes.push(LoggedEpisode {
                day: day.to_owned(),
                minute: minute.trim().to_owned(),
                title: unescaped(title.trim()),
                summary: None,
                sources: Vec::new(),
            });
        } else if let Some(episode) = episodes.last_mut() {
            if let Some(summary) = line.strip_prefix("- **Summary**: ") {
                episode.summary = Some(unescaped(summary.trim()));
            } else if let Some(sources) = line.strip_prefix("- **Source**: ") {
                let words = sources.split(['`', ' ']).filter_map(|word| word.rsplit_once('#'));
                episode.sources.extend(words.map(|(key, hash)| (key.to_owned(), hash.to_owned())));
            }
        }
    }
    episodes
}

/// Returns the `most` latest entries, latest first. If several entries are about the same sources,
/// only the latest is kept.
pub fn last(mut episodes: Vec<LoggedEpisode>, most: usize) -> Vec<LoggedEpisode> {
    // An entry that only records which friction reports were read tells nothing.
    let is_record = |(key, _): &(String, String)| key.starts_with("friction:");
    episodes.retain(|episode| episode.sources.is_empty() || !episode.sources.iter().all(is_record));
    // What stands later in a day's log was written later.
    episodes.reverse();
    episodes.sort_by(|a, b| (&b.day, &b.minute).cmp(&(&a.day, &a.minute)));
    let mut seen: HashSet<String> = HashSet::new();
    episodes.retain(|episode| {
        episode.sources.is_empty() || episode.sources.iter().all(|(key, _)| seen.insert(key.clone()))
    });
    episodes.truncate(most);
    episodes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::remember::source::SourceKind;
    use cm_note::note::compose;

    fn source(key: &str, title: &str) -> MemorySource {
        let at = Instant::parse("2026-11-01T09:30:00Z").unwrap();
        MemorySource {
            title: title.into(),
            hash: "abc123".into(),
            ..MemorySource::new(key.into(), SourceKind::Stash, at)
        }
    }

    #[test]
    fn what_an_entry_names_is_recognized_and_what_changed_is_seen() {
        let one = source("file:shop/.claude/stash/a b#`c.md", "Cache");
        let day = compose::episode(&entry(&one, SourceStatus::New));
        let episodes = parse("2026-11-01", &day);
        assert_eq!(
            (episodes.len(), episodes[0].title.as_str(), episodes[0].minute.as_str()),
            (1, "Cache", "09:30")
        );
        let done = done(&episodes);
        assert_eq!(standing(&one, &done), SourceStatus::Before);
        assert_eq!(
            standing(&MemorySource { hash: "other".into(), ..one.clone() }, &done),
            SourceStatus::Changed
        );
        assert_eq!(standing(&source("stash:x", ""), &done), SourceStatus::New);
    }

    #[test]
    fn the_last_are_the_latest_and_one_for_each_source() {
        let entry = |day: &str, minute: &str, key: &str| LoggedEpisode {
            day: day.into(),
            minute: minute.into(),
            title: format!("{day} {minute}"),
            summary: None,
            sources: vec![(key.into(), "h".into())],
        };
        let all = vec![
            entry("2026-11-01", "09:00", "a"),
            entry("2026-11-03", "08:00", "b"),
            entry("2026-11-02", "23:00", "a"),
            entry("2026-11-03", "10:00", "c"),
        ];
        let titles: Vec<String> = last(all, 3).into_iter().map(|episode| episode.title).collect();
        assert_eq!(titles, ["2026-11-03 10:00", "2026-11-03 08:00", "2026-11-02 23:00"]);
    }

    #[test]
    fn a_record_of_friction_reports_is_no_episode_to_show() {
        let mut friction = source("friction:shop/1101-1000-aaaa", "Friction");
        friction.origin = SourceKind::Friction;
        let day = compose::episode(&combined_entry(&[&friction], friction.at).unwrap());
        let episodes = parse("2026-11-01", &day);
        assert_eq!(standing(&friction, &done(&episodes)), SourceStatus::Before);
        assert_eq!(last(episodes, 5), []);
    }

    proptest! {
        #[test]
        fn no_title_summary_or_key_forges_a_source(title in "(.|\n){0,60}", summary in "(.|\n){0,60}", key in "(.|\n){1,30}") {
            let one = MemorySource { summary: Some(summary), ..source(&key, &format!("T{title}")) };
            let day = compose::episode(&entry(&one, SourceStatus::New));
            let episodes = parse("2026-11-01", &day);
            prop_assert_eq!(episodes.len(), 1);
            prop_assert_eq!(episodes[0].sources.len(), 1);
            prop_assert_eq!(standing(&one, &done(&episodes)), SourceStatus::Before);
        }
    }
}
