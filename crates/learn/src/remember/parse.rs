//! Parses stashes and diaries into sources: facts, preferences and events.
//!
//! A stash has no fixed format. Sections are used if their headings name their content; elsewhere,
//! only sentences that are recognizable as lasting statements.

use super::SkippedCounts;
use super::filter::{RejectReason, fact, preference};
use super::source::{Claim, MemorySource, SourceKind, hash};
use crate::diary::read::{read, unescaped};
use crate::diary::{Diary, DiaryItem, StatementAuthor, UtteranceKind, utterances};
use crate::prose::{MessageAuthor, cut, pattern, sentences};
use crate::reflect::cause::{fixed_since, lower_first, names_a_cause, without_lead};
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;
use cm_note::markdown::outline;
use cm_note::note::Note;
use cm_session::status::SessionStatus;

/// Maximum length of the summary of an episode, in characters.
const MAX_SUMMARY_CHARS: usize = 280;
/// Number of lines at the start of a file that are searched for a date.
const MAX_DATE_LINES: usize = 12;

pattern!(DATE = r"\b(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:?\d{2})?)?");
pattern!(
    FACTS = r"^(?:(?:key |recent |main |important )?(?:facts?|findings?|learnings?|lessons?(?: learned)?|decisions?|discoveries|conclusions?))$"
);
pattern!(CAUSES = r"^(?:the )?(?:(?:root|real|actual|underlying) )?causes?$");
pattern!(CAUSE_LABEL = r"(?i)^(?:the )?(?:root |real |actual |underlying )?cause\s*[:=]\s*");
pattern!(WANTS = r"^(?:(?:user |team |my |our |key )?(?:preferences?|conventions?))$");

/// Parses a stash or diary note of the vault. `text` is its file's content, without secrets.
pub fn of_note(note: &Note, origin: SourceKind, text: &str) -> MemorySource {
    let split = Split::of(text);
    let at = note.created.or(note.updated).unwrap_or(Instant::from_unix(0));
    let mut source = MemorySource::new(format!("{}:{}", origin.name(), note.key()), origin, at);
    source.title = visible(&note.title);
    source.tags.clone_from(&note.tags);
    source.session.clone_from(&note.session);
    source.agent.clone_from(&note.agent);
    source.workspace.clone_from(&note.workspace);
    source.note = Some(note.path.clone());
    take_sections(&mut source, text, split.body());
    source
}

/// Parses a stash that another tool wrote. `path` is relative to the project folder; `at` is the
/// modification time, used if the file contains no date.
pub fn of_file(project: &str, path: &str, text: &str, at: Instant) -> MemorySource {
    let split = Split::of(text);
    let fields = parse(&split).fields;
    let word = |key: &str| fields.get(key).and_then(|field| field.text());
    let body = split.body();
    let dated = ["created", "timestamp", "date"].iter().find_map(|key| Instant::parse(&word(key)?).ok());
    let at = dated.or_else(|| date_of(body)).unwrap_or(at);
    let mut source = MemorySource::new(format!("file:{project}/{path}"), SourceKind::Stash, at);
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    let heading = || outline(body, 1).headings.into_iter().next().map(|heading| heading.text);
    source.title = cut(&visible(&word("title").or_else(heading).unwrap_or_else(|| stem.to_owned())), 120);
    source.session = word("session").or_else(|| word("session_id"));
    source.agent = word("agent");
    source.workspace = Some(project.to_owned());
    take_sections(&mut source, text, body);
    source
}

fn date_of(body: &str) -> Option<Instant> {
    let found = body.lines().take(MAX_DATE_LINES).find_map(|line| DATE.captures(line))?;
    let part = |at: usize| found.get(at).map(|part| part.as_str());
    match (part(2), part(3)) {
        (Some(time), Some(zone)) => {
            Instant::parse(&format!("{}T{time}{}{zone}", part(1)?, seconds(time))).ok()
        }
        (Some(time), None) => Instant::parse(&format!("{}T{time}", part(1)?)).ok(),
        _ => Instant::parse(part(1)?).ok(),
    }
}

fn seconds(time: &str) -> &'static str {
    if time.len() == 5 { ":00" } else { "" }
}

fn take_sections(source: &mut MemorySource, text: &str, body: &str) {
    source.hash = hash(body);
    body.trim().clone_into(&mut source.text);
    let diary = read(text).filter(|diary| source.origin == SourceKind::Diary || has_log_lines(diary));
    match diary {
        Some(diary) => of_diary(source, &diary),
        None => of_prose(source, body),
    }
}

/// Returns `true` if a diary's items have log lines, unlike those of a free-form stash.
fn has_log_lines(diary: &Diary) -> bool {
    diary.sections().iter().any(|(_, items)| items.iter().any(|item| item.line > 0))
}

fn of_diary(source: &mut MemorySource, diary: &Diary) {
    let mut left_out = SkippedCounts::default();
    let person = |item: &&DiaryItem| item.voice.is_persons();
    let lasting = |item: &&DiaryItem| person(item) || !names_a_cause(&item.text);
    let learned = diary.learnings.iter().filter(lasting);
    source.facts = learned.filter_map(|item| claim_of(item, fact, source.origin, &mut left_out)).collect();
    let decided = diary.decisions.iter().filter(person);
    let decided = decided.filter_map(|item| claim_of(item, fact, source.origin, &mut left_out));
    // A person decides many things for the task at hand only.
    source.facts.extend(decided.map(|claim| Claim { is_explicit: false, ..claim }));
    let wanted = diary.preferences.iter().filter(person);
    source.preferences =
        wanted.filter_map(|item| claim_of(item, preference, source.origin, &mut left_out)).collect();
    let is_wanted = |fact: &Claim| {
        let (a, b) = (fact.text.to_lowercase(), |claim: &Claim| claim.text.to_lowercase());
        source.preferences.iter().any(|claim| claim.line == fact.line && b(claim) == a)
    };
    source.facts = source.facts.iter().filter(|fact| !is_wanted(fact)).cloned().collect();
    if diary.verdict.status == SessionStatus::Success {
        let causes = diary.learnings.iter().filter(|item| !lasting(item));
        source.fixes = causes.filter_map(|item| confirmed_cause(item, diary)).collect();
    }
    source.skipped = left_out;
    let status = Some(diary.verdict.status).filter(|status| *status != SessionStatus::Unknown);
    let statements = diary.accomplishments.iter().chain(&diary.decisions).chain(&diary.challenges).take(3);
    let statements = statements.map(|item| words_of(&item.text));
    source.summary = summary(status.map(|status| status.name().to_owned()).into_iter().chain(statements));
}

/// Returns the cause that an agent named in a session that then succeeded, with the evidence of the
/// success.
fn confirmed_cause(item: &DiaryItem, diary: &Diary) -> Option<Claim> {
    let explanation = words_of(&item.text);
    let cause = fact(&explanation).ok()?;
    let confirmed = diary.verdict.signs.iter().find(|sign| sign.good);
    let evidence = [Some(explanation), confirmed.map(|sign| words_of(&sign.what))];
    Some(Claim {
        text: fixed_since(&cause),
        line: item.line,
        is_explicit: true,
        evidence: evidence.into_iter().flatten().collect(),
        ..Claim::default()
    })
}

fn claim_of(
    item: &DiaryItem,
    judge: fn(&str) -> Result<String, RejectReason>,
    origin: SourceKind,
    left_out: &mut SkippedCounts,
) -> Option<Claim> {
    let is_persons = origin == SourceKind::Diary && item.voice == StatementAuthor::Person;
    match judge(&words_of(&item.text)) {
        Ok(text) => Some(Claim { text, line: item.line, is_persons, is_explicit: true, ..Claim::default() }),
        Err(unfit) => {
            left_out.count(unfit);
            None
        }
    }
}

/// Removes the Markdown escapes from a diary item.
fn words_of(item: &str) -> String {
    unescaped(item).replace("&#91;", "[")
}

fn of_prose(source: &mut MemorySource, body: &str) {
    let all = sentences(body, MessageAuthor::Agent);
    let mut left_out = SkippedCounts::default();
    for sentence in &all {
        let heading = sentence.heading.trim_end_matches(':');
        if CAUSES.is_match(heading) || CAUSE_LABEL.is_match(&sentence.text) || names_a_cause(&sentence.text) {
            take_claim(&mut source.fixes, root_cause(&sentence.text), true, &mut left_out);
        } else if FACTS.is_match(heading) {
            take_claim(&mut source.facts, fact(&sentence.text), true, &mut left_out);
        } else if WANTS.is_match(heading) {
            take_claim(&mut source.preferences, preference(&sentence.text), true, &mut left_out);
        } else {
            for utterance in utterances(&sentence.text, false) {
                match utterance.kind {
                    UtteranceKind::Learning => {
                        take_claim(&mut source.facts, fact(&utterance.text), false, &mut left_out)
                    }
                    UtteranceKind::Preference => {
                        take_claim(&mut source.preferences, preference(&utterance.text), false, &mut left_out)
                    }
                    UtteranceKind::Decision | UtteranceKind::Retraction => {}
                }
            }
        }
    }
    source.skipped = left_out;
    let title = source.title.to_lowercase();
    let statements =
        all.iter().map(|sentence| sentence.text.clone()).filter(|text| text.to_lowercase() != title);
    source.summary = summary(statements.take(3));
}

/// Returns the text of a note about the cause that a sentence of a stash states.
fn root_cause(sentence: &str) -> Result<String, RejectReason> {
    let cause = fact(without_lead(&CAUSE_LABEL.replace(sentence, "")))?;
    Ok(format!("Root cause: {}", lower_first(&cause)))
}

fn take_claim(
    claims: &mut Vec<Claim>,
    judged: Result<String, RejectReason>,
    is_explicit: bool,
    left_out: &mut SkippedCounts,
) {
    match judged {
        Ok(text) if claims.iter().all(|claim| claim.text != text) => {
            claims.push(Claim { text, is_explicit, ..Claim::default() })
        }
        Ok(_) => {}
        Err(unfit) => left_out.count(unfit),
    }
}

/// Joins sentences to a summary of at most [`MAX_SUMMARY_CHARS`] characters; `None` if there are none.
fn summary(statements: impl Iterator<Item = String>) -> Option<String> {
    let ended = |text: String| {
        let text = visible(&text);
        if text.ends_with(['.', '!', '?', '…', ':']) { text } else { format!("{text}.") }
    };
    let line = statements.map(ended).collect::<Vec<_>>().join(" ");
    Some(cut(&line, MAX_SUMMARY_CHARS)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(claims: &[Claim]) -> Vec<&str> {
        claims.iter().map(|claim| claim.text.as_str()).collect()
    }

    fn file(text: &str) -> MemorySource {
        of_file("shop", ".claude/stash/cache.md", text, Instant::from_unix(0))
    }

    #[test]
    fn a_stash_of_another_tool_is_read_by_its_headings() {
        let source = file(
            "# Stash: cache\n\n**Timestamp:** 2026-11-19 15:45\n\n## Active plan\n\n1. Write the load test\n\n\
             ## Recent decisions\n\n- Keep the forecast cache in Redis rather than in memory\n- Ran the suite twice\n\n\
             ## Findings\n\n- The gateway closes idle connections after 300 seconds.\n```\nlet x = 1;\n```\n\n\
             ## Preferences\n\n- Please always show figures before and after\n\n## Next steps\n\n- Try it\n",
        );
        assert_eq!(
            texts(&source.facts),
            [
                "Keep the forecast cache in Redis rather than in memory",
                "The gateway closes idle connections after 300 seconds"
            ]
        );
        assert_eq!(texts(&source.preferences), ["Always show figures before and after"]);
        assert_eq!(
            (source.title.as_str(), source.at.to_string().as_str()),
            ("Stash: cache", "2026-11-19T15:45:00Z")
        );
        assert_eq!(source.key, "file:shop/.claude/stash/cache.md");
    }

    #[test]
    fn a_stash_of_a_session_keeps_its_lines_and_whose_words_they_are() {
        let source = file(
            "---\nsession: s-1\nagent: codex\ncreated: 2026-11-01\n---\n\n# Login\n\nOutcome: success\n\n\
             ## What the user said\n\n- From now on use tabs (person, line 2)\n\n## Decisions\n\n\
             - We deploy from the main branch only (person, line 4)\n- I will use a helper (agent, line 5)\n\n\
             ## Preferences\n\n- From now on use pnpm, not \\[npm\\] (person, standing, line 2)\n",
        );
        assert_eq!(
            source.facts,
            [Claim { text: "We deploy from the main branch only".into(), line: 4, ..Claim::default() }]
        );
        assert_eq!(
            source.preferences,
            [Claim { text: "Use pnpm, not [npm]".into(), line: 2, is_explicit: true, ..Claim::default() }]
        );
        assert_eq!(source.session.as_deref(), Some("s-1"));
        assert!(source.summary.unwrap().starts_with("success. We deploy"));
    }

    #[test]
    fn only_what_a_log_shows_that_a_person_stated_is_theirs() {
        let text = "---\nsession: s-1\nstarted: 2026-11-01T09:00:00Z\n---\n\n# Ports\n\nOutcome: success\n\n## Key learnings\n\n\
                    - The API listens on port 8080 (person, line 4)\n\
                    - The queue listens on port 5672 (sender, line 5)\n";
        let mut source = MemorySource::new("d".to_owned(), SourceKind::Diary, Instant::from_unix(0));
        take_sections(&mut source, text, text);
        let of = |at: usize| source.facts[at].is_persons;
        assert_eq!((source.facts.len(), of(0), of(1)), (2, true, false));
    }

    #[test]
    fn what_an_agent_called_the_cause_of_trouble_is_a_fix_and_what_a_person_called_so_is_a_fact() {
        let text = "---\nsession: s-1\n---\n\n# Pool\n\nOutcome: success\n\n## Key learnings\n\n\
                    - The issue is that the pool never closes its idle connections (agent, line 4)\n\
                    - The gateway closes idle connections after 300 seconds (agent, line 5)\n\
                    - The real problem is that the vendor rotates its keys each night (person, line 6)\n";
        let source = file(text);
        assert_eq!(
            texts(&source.facts),
            [
                "The gateway closes idle connections after 300 seconds",
                "The real problem is that the vendor rotates its keys each night"
            ]
        );
        assert_eq!(texts(&source.fixes), ["Fixed since: the pool never closes its idle connections"]);
        assert!(!source.fixes[0].is_persons && source.fixes[0].evidence[0].starts_with("The issue is"));
        let failed = file(&text.replace("Outcome: success", "Outcome: failure"));
        assert!(failed.fixes.is_empty(), "nothing confirms it: {:?}", failed.fixes);
    }

    #[test]
    fn the_root_cause_in_a_stash_is_a_fix_by_its_heading_its_label_or_its_words() {
        let source = file(
            "# Uploads\n\n## Root cause\n\n- The cache key left out the tenant of the request.\n\n## Notes\n\n\
             Cause: the proxy drops headers above 8 kB\n\nThe root cause was that the worker shares one temporary folder.\n",
        );
        assert_eq!(
            texts(&source.fixes),
            [
                "Root cause: the cache key left out the tenant of the request",
                "Root cause: the proxy drops headers above 8 kB",
                "Root cause: the worker shares one temporary folder"
            ]
        );
        assert_eq!(source.facts, []);
    }

    #[test]
    fn loose_notes_tell_an_episode_and_no_facts() {
        let source =
            file("Raw notes, not sorted.\n\n- Jonas: the jump is seen by users\n- perhaps good enough??\n");
        assert_eq!((source.facts.len(), source.preferences.len()), (0, 0));
        assert_eq!(source.title, "cache");
    }

    proptest! {
        #[test]
        fn any_file_is_read(text in "(---\n)?(session: s\n)?(---\n)?([#a-z:() 0-9,`*-]|\n|é){0,120}") {
            let source = file(&text);
            prop_assert!(source.summary.is_none_or(|line| line.chars().count() <= MAX_SUMMARY_CHARS && !line.contains('\n')));
        }
    }
}
