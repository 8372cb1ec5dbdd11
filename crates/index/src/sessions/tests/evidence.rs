//! Tests for finding the evidence of a rule in sessions.

use super::sample_session::{SampleSession, agent, instant, person, told, tool};
use crate::sessions::SessionIndexFilter;

#[test]
fn conversations_with_enough_of_the_keywords_together_are_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let talks = [
        SampleSession::new(
            "both",
            vec![
                person(1, "Always run migrations before the tests"),
                agent(2, "I ran the migration, then the tests"),
                agent(3, "The migration is slow"),
                tool(4, "migrations tests migrations"),
            ],
        ),
        SampleSession::new("apart", vec![person(1, "the tests fail"), person(2, "and the migration too")]),
        SampleSession::new("old", vec![person(0, "migration tests")]),
    ];
    let sessions = told(folder.path(), &talks);
    let since = SessionIndexFilter { since: Some(instant(1)), ..SessionIndexFilter::default() };
    let found = sessions.evidence(&["migrations", "tests"], 2, &since).unwrap();
    assert_eq!(found.len(), 1);
    let witness = &found[0];
    assert_eq!(witness.session.meta.id.as_str(), "both");
    assert_eq!((witness.person, witness.agent, witness.lines.clone()), (1, 1, vec![1, 2]));
    assert_eq!(sessions.evidence(&["migrations", "tests"], 1, &since).unwrap().len(), 2);
    assert_eq!(
        sessions.evidence(&["migrations", "tests"], 2, &SessionIndexFilter::default()).unwrap().len(),
        2
    );
    assert!(sessions.evidence(&[], 1, &SessionIndexFilter::default()).unwrap().is_empty());
    assert!(sessions.evidence(&["unheard"], 9, &SessionIndexFilter::default()).unwrap().is_empty());
}
