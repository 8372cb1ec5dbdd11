//! Tests of graph expansion: notes without the words of the query are found through their edges.

use super::neighbours::indexed;
use super::vault::{Vault, parsed};
use cm_note::note::Note;
use cm_note::rank::graph_expansion::spread;

const PROBLEM: &str = "aaaaaa11-0000-4000-8000-000000000001";
const FIX: &str = "bbbbbb22-0000-4000-8000-000000000002";

/// Returns a vault with an outage, its cause and its fix in different words, and unrelated notes
/// that share some words.
fn outage() -> Vault {
    let vault = Vault::of(&[]);
    let problem = format!(
        "---\nid: {PROBLEM}\ntype: problem\ntitle: API stops answering after a quiet night\n---\n\
         The first request of the morning hangs until it times out. The API stops answering.\n"
    );
    let fix = format!(
        "---\nid: {FIX}\ntype: solution\ntitle: Keepalive for pooled connections\n---\n\
         Set tcp_keepalives_idle to 60 and let the pool test what it hands out.\n"
    );
    let cure = format!(
        "---\nid: cccccc33\ntype: SOLVES\nfrom_id: {FIX}\nto_id: {PROBLEM}\nstrength: 1.0\n---\nNo hang since.\n"
    );
    let cause = format!(
        "---\nid: dddddd44\ntype: fact\ntitle: Firewall idle limit\n---\n350 s on, a silent flow is dropped.\n\n\
         CAUSES:: [[{PROBLEM}]]\n"
    );
    vault.write("graph/problems/quiet.md", &problem);
    vault.write("graph/solutions/keepalive.md", &fix);
    vault.write("graph/edges/e.md", &cure);
    vault.write("graph/facts/firewall.md", &cause);
    vault.write(
        "notes/index.md",
        "# All\n\n[[quiet]] [[keepalive]] [[firewall]] [[n0]] [[n1]] [[n2]] [[n3]] [[n4]]\n",
    );
    for (number, word) in ["API", "night", "answering", "stops", "quiet"].iter().enumerate() {
        vault.write(&format!("notes/n{number}.md"), &format!("{word} and {}\n", "filler ".repeat(40)));
    }
    vault
}

/// Returns the file stems of the hits, best first, without and with graph expansion.
fn answers(vault: &Vault, query: &str) -> (Vec<String>, Vec<String>) {
    indexed(vault);
    let hits = vault.index.search(&parsed(query), 0, 10).unwrap().hits;
    let asked: Vec<&Note> = hits.iter().map(|hit| &hit.note).collect();
    let found = vault.index.neighbours(&asked).unwrap();
    let mut scores: Vec<f64> = hits.iter().map(|hit| f64::from(hit.score)).collect();
    scores.resize(found.degrees.len(), 0.0);
    let after = spread(&scores, &found.edges, &found.degrees, 0.5, 2);
    let notes: Vec<&Note> = asked.iter().copied().chain(&found.notes).collect();
    let mut order: Vec<usize> = (0..notes.len()).filter(|at| after[*at].score > 0.0).collect();
    order.sort_by(|a, b| after[*b].score.total_cmp(&after[*a].score));
    let stem = |note: &Note| note.path.stem().to_owned();
    (asked.iter().map(|note| stem(note)).collect(), order.into_iter().map(|at| stem(notes[at])).collect())
}

#[test]
fn cause_and_cure_come_up_with_the_problem_and_stay_below_it() {
    let (plain, spread) = answers(&outage(), "API stops answering after a quiet night");
    let place = |stems: &[String], stem: &str| stems.iter().position(|known| known == stem);
    assert_eq!(plain[0], "quiet");
    assert!(
        ["keepalive", "firewall"].iter().all(|stem| place(&plain, stem).is_none_or(|at| at > 3)),
        "{plain:?}"
    );
    assert_eq!(spread[0], "quiet");
    assert!(["keepalive", "firewall"].iter().all(|stem| place(&spread, stem) <= Some(3)), "{spread:?}");
    assert!(
        place(&spread, "index") > place(&spread, "keepalive"),
        "a page that links to all says little: {spread:?}"
    );
}

#[test]
fn what_was_superseded_gives_way_to_its_successor() {
    let vault = Vault::of(&[]);
    vault.write("old.md", "# Gauges report every ten minutes\n\nGauges report every ten minutes.\n");
    vault.write("new.md", "# Six\n\nSince September it is six.\n\nSUPERSEDES:: [[old]]\n");
    vault.write(
        "other.md",
        "# Report\n\nGauges are listed in this report beside much else that is of no use here.\n",
    );
    let (plain, spread) = answers(&vault, "gauges report ten minutes");
    assert_eq!((plain[0].as_str(), plain.contains(&"new".to_owned())), ("old", false));
    assert_eq!(spread[0], "new");
}
