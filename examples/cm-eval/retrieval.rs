//! Questions asked of a set's vault, in one way of searching after the other.

use std::time::Duration;

use cm_app::retrieve::{Parts, Stages};
use cm_app::{Memory, embed, meaning, search};
use cm_note::query::Query;
use serde_json::{Value, json};

use crate::fault::{Fault, Result};
use crate::machine;
use crate::metrics::{Figures, figures};
use crate::mode::Mode;
use crate::set::{Question, Set};
use crate::stand::{Stand, filter};

/// As many hits as `cm search` gives; this much is timed.
pub const PAGE: usize = 10;
/// How a set's questions were answered in one mode.
pub struct Run {
    /// The mode.
    pub mode: Mode,
    /// An answer for each question of the set, in their order.
    pub answers: Vec<Answer>,
    /// The most memory that the process held meanwhile, in MB.
    pub peak_mb: Option<f64>,
}

/// An answer.
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Found>,
    /// What the first page took.
    pub cpu: Duration,
    /// How good it is.
    pub figures: Figures,
}

/// A document that was found.
pub struct Found {
    /// Which.
    pub document: String,
    /// Its score.
    pub score: f64,
    /// What that is made of.
    pub parts: Option<Parts>,
}

/// Whether a set's questions are about their own group only.
pub fn by_group(set: &str) -> bool {
    set.starts_with("beam-")
}

/// Answers all questions of a set, with so many hits each; the first page alone is timed.
///
/// # Errors
/// An operation that fails.
pub fn run(set: &Set, stand: &Stand, mode: Mode, depth: usize) -> Result<Run> {
    let memory = stand.open(mode.settings)?;
    if mode.stages.fine {
        refine(&memory)?;
    }
    machine::forget_peak();
    let scoped = by_group(&set.name);
    let how = How { scoped, stages: mode.stages, depth };
    let answers = set.questions.iter().map(|question| answer(&memory, stand, question, how));
    Ok(Run { mode, answers: answers.collect::<Result<_>>()?, peak_mb: machine::peak_mb() })
}

/// Lets the fine model read what it has not read.
fn refine(memory: &Memory) -> Result<()> {
    let mut told = 0;
    let mut tell = |progress: meaning::Progress| {
        if progress.done >= told + 500 {
            told = progress.done;
            eprintln!("    {told} of {} passages read", progress.of);
        }
    };
    embed::embed(memory, false, &mut tell).map_err(Fault::operation("embed")).map(drop)
}

/// How questions are asked.
#[derive(Debug, Clone, Copy)]
struct How {
    /// Within their own group only.
    scoped: bool,
    stages: Stages,
    depth: usize,
}

fn answer(memory: &Memory, stand: &Stand, question: &Question, how: How) -> Result<Answer> {
    let words = Query::plain(&question.text);
    let query = match question.group.as_deref().filter(|_| how.scoped) {
        Some(group) => format!("{} {words}", filter(group)),
        None => words,
    };
    let ask = |offset, limit| {
        let options = search::Options {
            query: query.clone(),
            limit: Some(limit),
            offset,
            stages: how.stages,
            explain: true,
            ..search::Options::default()
        };
        search::search(memory, &options).map_err(Fault::operation(format!("question {}", question.id)))
    };
    let begun = machine::cpu();
    let page = ask(0, PAGE)?;
    let cpu = machine::cpu().saturating_sub(begun);
    let mut all = page.hits;
    if page.next.is_some() && how.depth > PAGE {
        all.extend(ask(PAGE, how.depth - PAGE)?.hits);
    }
    let found = |hit: search::Hit| {
        Some(Found { document: stand.document(&hit.path)?.to_owned(), score: hit.score, parts: hit.parts })
    };
    let hits: Vec<Found> = all.into_iter().filter_map(found).collect();
    let figures = figures(hits.iter().map(|found| found.document.as_str()), &question.relevant);
    Ok(Answer { hits, cpu, figures })
}

impl Run {
    /// Lets go of the hits, which nobody will write, so that they do not count as memory of the next run.
    pub fn forget_hits(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.hits = Vec::new());
    }

    /// The run as other scorers read it: question, document, and a score that orders as the ranking does.
    pub fn tsv(&self, set: &Set) -> String {
        let mut text = String::new();
        for (question, answer) in set.questions.iter().zip(&self.answers) {
            for (at, found) in answer.hits.iter().enumerate() {
                text += &format!("{}\t{}\t{}\n", question.id, found.document, answer.hits.len() - at);
            }
        }
        text
    }

    /// The run as data: an object a question, with its labels and hits.
    pub fn dump(&self, set: &Set) -> Vec<Value> {
        let rows = set.questions.iter().zip(&self.answers);
        let row = |(question, answer): (&Question, &Answer)| {
            let hit =
                |found: &Found| json!({ "id": found.document, "score": found.score, "parts": found.parts });
            json!({
                "set": set.name,
                "mode": self.mode.name,
                "query": question.id,
                "category": question.category,
                "relevant": question.relevant,
                "hits": answer.hits.iter().map(hit).collect::<Vec<_>>(),
            })
        };
        rows.map(row).collect()
    }
}
