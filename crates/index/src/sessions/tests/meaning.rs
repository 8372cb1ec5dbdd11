//! Tests for ranking by words and meaning, with vectors of two dimensions.

use super::sample_session::{SampleSession, agent, event, instant, person, told, tool};
use crate::Vectors;
use crate::sessions::{
    ModelScan, SessionHits, SessionIndexFilter, SessionMeaning, SessionSearchRequest, Sessions, Speaker,
    Weights,
};
use cm_note::passage::PassageSet;
use cm_note::query::Query;
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_session::event::EventKind;
use cm_text::embedding::Embedding;

/// Embeds every text that mentions sea or water near the question, and all others far from it.
fn meaning(sessions: &Sessions, folder: &std::path::Path) -> SessionMeaning {
    let vector = |x: f32| Embedding::of(vec![x, (1.0 - x * x).sqrt()]).unwrap();
    let passages = sessions.passages_without(&PassageSet::default()).unwrap();
    let texts = sessions.passage_texts(&passages).unwrap();
    let vectors = Vectors::open(&folder.join("vectors"));
    let mut writer = vectors.writer("test", 2).unwrap().unwrap();
    for (passage, text) in passages.iter().zip(&texts) {
        let is_near = text.contains("sea") || text.contains("water");
        writer.push(passage.key, &vector(if is_near { 0.8 } else { 0.05 })).unwrap();
    }
    writer.finish(None).unwrap();
    let scan = vectors.table("test", 2).unwrap().unwrap().scan(&vector(1.0));
    SessionMeaning {
        coarse: ModelScan { scan, chance: CosineBaseline { mean: 0.05, deviation: 0.06 } },
        fine: None,
    }
}

fn ask(sessions: &Sessions, meaning: &SessionMeaning, query: &str) -> SessionHits {
    let query = Query::parse(query, instant(0));
    let filter = SessionIndexFilter::default();
    let weights = Weights::default();
    let meaning = Some(meaning);
    let request =
        SessionSearchRequest { query: &query, filter: &filter, weights, meaning, offset: 0, limit: 9 };
    sessions.search(request).unwrap()
}

fn ids(hits: &SessionHits) -> Vec<&str> {
    hits.hits.iter().map(|hit| hit.session.meta.id.as_str()).collect()
}

fn others() -> Vec<SampleSession> {
    let said = ["rename the module", "fix the build", "write a test", "update the docs", "remove the flag"];
    let session = |(n, text): (usize, &&str)| {
        SampleSession::new(&format!("other{n}"), vec![person(1, text), agent(2, "done")])
    };
    said.iter().enumerate().map(session).collect()
}

#[test]
fn a_session_is_found_without_any_of_the_words_and_shown_with_the_persons_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut talks = others();
    talks.push(SampleSession::new(
        "sea",
        vec![person(1, "hello"), agent(2, "ok"), person(3, "read the sea level")],
    ));
    let sessions = told(folder.path(), &talks);
    let found = ask(&sessions, &meaning(&sessions, folder.path()), "tide gauges");
    assert_eq!(ids(&found), ["sea"]);
    let hit = &found.hits[0];
    assert_eq!(
        (hit.best.line, hit.best.speaker, &*hit.snippet),
        (3, Some(Speaker::Person), "read the sea level")
    );
    assert_eq!((hit.lines.clone(), hit.score, found.total), (vec![3], 0.0, 1));
    assert!(hit.standing.is_some_and(|standing| standing.stands_out && standing.is_near));
}

#[test]
fn words_and_meaning_add_up_and_fields_still_limit_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut talks = others();
    talks.push(SampleSession::new("both", vec![person(1, "the gauges read the sea level")]));
    talks.push(SampleSession::new("near", vec![person(1, "the water rises")]));
    let sessions = told(folder.path(), &talks);
    let meaning = meaning(&sessions, folder.path());
    assert_eq!(ids(&ask(&sessions, &meaning, "gauges")), ["both", "near"]);
    assert_eq!(ids(&ask(&sessions, &meaning, "gauges session:near")), ["near"]);
    assert_eq!(ids(&ask(&sessions, &meaning, "gauges -session:both")), ["near"]);
    assert!(ids(&ask(&sessions, &meaning, "gauges agent:codex")).is_empty());
}

#[test]
fn passages_are_what_was_said_and_summaries_and_leave_with_their_session() {
    let folder = tempfile::tempdir().unwrap();
    let summary = EventKind::Compaction { trigger: None, summary: Some("we measured the water".to_owned()) };
    let talk = SampleSession::new(
        "a",
        vec![person(1, "go on"), agent(2, "fine"), tool(3, "output"), event(4, summary), person(5, "go on")],
    );
    let sessions = told(folder.path(), std::slice::from_ref(&talk));
    let passages = sessions.passages_without(&PassageSet::default()).unwrap();
    let texts = sessions.passage_texts(&passages).unwrap();
    assert_eq!(texts, ["go on", "fine", "we measured the water"]);
    assert_eq!(sessions.passage_keys().unwrap().len(), 3);
    // The words of a summary weigh as much as the person's.
    let found = super::sample_session::search(&sessions, "measured", &SessionIndexFilter::default());
    assert_eq!(found.hits[0].best.speaker, Some(Speaker::Agent));
    let mut writer =
        crate::sessions::SessionStoreWriter::open(folder.path(), std::time::Duration::ZERO).unwrap();
    writer.remove(&talk.key()).unwrap();
    writer.finish().unwrap();
    assert!(Sessions::open(folder.path()).passage_keys().unwrap().is_empty());
}
