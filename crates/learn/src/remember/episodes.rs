//! What happened, as entries of the days' logs; and these logs read back, which say what was remembered before.
//!
//! Each entry names its sources with what they said, hashed. So the notes alone tell what is new.

use std::collections::{HashMap, HashSet};

use super::source::Source;
use crate::diary::read::unescaped;
use cm_note::instant::Instant;
use cm_note::note::compose::EpisodeEntry;

/// An entry of a day's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    /// The day.
    pub day: String,
    /// The time, as `HH:MM`.
    pub minute: String,
    /// What happened.
    pub title: String,
    /// The same in a sentence or two.
    pub summary: Option<String>,
    /// Keys of sources and what they said, hashed.
    pub sources: Vec<(String, String)>,
}

/// What was remembered before, by key; of each what it said.
pub type Done = HashMap<String, HashSet<String>>;

/// How a source stands to what was remembered before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is not known.
    New,
    /// It says something else than it did.
    Changed,
    /// It was remembered as it is.
    Before,
}

/// All sources that episodes name.
pub fn done<'e>(episodes: impl IntoIterator<Item = &'e Episode>) -> Done {
    let mut done = Done::new();
    for (key, hash) in episodes.into_iter().flat_map(|episode| &episode.sources) {
        done.entry(key.clone()).or_default().insert(hash.clone());
    }
    done
}

/// How a source stands to what was remembered before.
pub fn standing(source: &Source, done: &Done) -> Standing {
    match done.get(&encoded(&source.key)) {
        None => Standing::New,
        Some(hashes) if hashes.contains(&source.hash) => Standing::Before,
        Some(_) => Standing::Changed,
    }
}

/// The entry of a source.
pub fn entry(source: &Source, standing: Standing) -> EpisodeEntry {
    let again = if standing == Standing::Changed { " (changed)" } else { "" };
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

/// One entry for sources of which none is worth its own.
pub fn asides(sources: &[&Source], at: Instant) -> Option<EpisodeEntry> {
    let mut words: Vec<String> = sources.iter().map(|source| word(source)).collect();
    words.sort_unstable();
    let count = words.len();
    let first = sources.first()?;
    Some(EpisodeEntry {
        at,
        title: format!("Looked through friction in {count} {}", if count == 1 { "place" } else { "places" }),
        note_type: Some(first.origin.name().to_owned()),
        tags: first.tags.clone(),
        memory: None,
        summary: None,
        source: Some(words.join(" ")),
    })
}

fn word(source: &Source) -> String {
    format!("{}#{}", encoded(&source.key), source.hash)
}

/// A key as one word of code: nothing in it ends the word, the code or the line.
fn encoded(key: &str) -> String {
    let mut word = String::with_capacity(key.len());
    for c in key.chars() {
        match c {
            '-' | '.' | '_' | '~' | '/' | ':' | '@' | '+' | ',' | '=' => word.push(c),
            _ if c.is_alphanumeric() => word.push(c),
            _ => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| word.push_str(&format!("%{byte:02X}")));
            }
        }
    }
    word
}

/// The entries of a day's log.
pub fn parse(day: &str, body: &str) -> Vec<Episode> {
    let mut episodes: Vec<Episode> = Vec::new();
    for line in body.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (minute, title) = heading.split_once(" - ").unwrap_or(("", heading));
            episodes.push(Episode {
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

/// The last of them, the latest first; of those about one source only the latest.
pub fn last(mut episodes: Vec<Episode>, most: usize) -> Vec<Episode> {
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
    use crate::remember::source::Origin;
    use cm_note::note::compose;

    fn source(key: &str, title: &str) -> Source {
        let at = Instant::parse("2026-11-01T09:30:00Z").unwrap();
        Source { title: title.into(), hash: "abc123".into(), ..Source::new(key.into(), Origin::Stash, at) }
    }

    #[test]
    fn what_an_entry_names_is_known_and_what_changed_is_seen() {
        let one = source("file:shop/.claude/stash/a b#`c.md", "Cache");
        let day = compose::episode(&entry(&one, Standing::New));
        let episodes = parse("2026-11-01", &day);
        assert_eq!(
            (episodes.len(), episodes[0].title.as_str(), episodes[0].minute.as_str()),
            (1, "Cache", "09:30")
        );
        let done = done(&episodes);
        assert_eq!(standing(&one, &done), Standing::Before);
        assert_eq!(standing(&Source { hash: "other".into(), ..one.clone() }, &done), Standing::Changed);
        assert_eq!(standing(&source("stash:x", ""), &done), Standing::New);
    }

    #[test]
    fn the_last_are_the_latest_and_one_for_each_source() {
        let entry = |day: &str, minute: &str, key: &str| Episode {
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

    proptest! {
        #[test]
        fn no_title_summary_or_key_forges_a_source(title in "(.|\n){0,60}", summary in "(.|\n){0,60}", key in "(.|\n){1,30}") {
            let one = Source { summary: Some(summary), ..source(&key, &format!("T{title}")) };
            let day = compose::episode(&entry(&one, Standing::New));
            let episodes = parse("2026-11-01", &day);
            prop_assert_eq!(episodes.len(), 1);
            prop_assert_eq!(episodes[0].sources.len(), 1);
            prop_assert_eq!(standing(&one, &done(&episodes)), Standing::Before);
        }
    }
}
