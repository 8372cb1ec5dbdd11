//! Runs the questions of a set on its vault, one search mode after another.

use std::time::Duration;

use cm_app::Context;
use cm_app::context::retrieve::{HitScore, RankingStages};
use cm_app::verbs::embed;
use cm_app::verbs::search;
use cm_note::query::Query;
use cm_note::query::several::asks_for_several;
use serde_json::{Value, json};

use crate::eval_vault::{EvalVault, filter};
use crate::fault::{EvalError, Result};
use crate::machine;
use crate::metrics::{RankingMetrics, figures};
use crate::mode::Mode;
use crate::set::{LabelledSet, Question};

/// Number of hits that `cm search` returns; only this page is timed.
pub const PAGE: usize = 10;
/// Results of a set in one mode.
pub struct Run {
    pub mode: Mode,
    /// Results in the order of the set's questions.
    pub answers: Vec<Answer>,
    /// Results in the order of the questions that no document answers.
    pub unanswerable: Vec<Answer>,
    /// Peak memory of the process during the run, in MB.
    pub peak_mb: Option<f64>,
}

/// Result of one question.
pub struct Answer {
    /// Hits, best first.
    pub hits: Vec<Found>,
    /// Processor time of the first page.
    pub cpu: Duration,
    pub figures: RankingMetrics,
}

/// A document found by a search.
pub struct Found {
    /// Id of the document.
    pub document: String,
    pub score: f64,
    /// Components of the score.
    pub parts: Option<HitScore>,
}

/// Whether a set's questions are restricted to their own group.
pub fn by_group(set: &str) -> bool {
    set.starts_with("beam-")
}

/// Runs all questions of a set with `depth` hits each; only the first page is timed.
///
/// # Errors
///
/// An operation fails.
pub fn run(set: &LabelledSet, stand: &EvalVault, mode: Mode, depth: usize) -> Result<Run> {
    let context = stand.open(mode.settings)?;
    if mode.stages.fine {
        refine(&context)?;
    }
    machine::forget_peak();
    let scoped = by_group(&set.name);
    let how = How { scoped, stages: mode.stages, spread: mode.spread, depth };
    let ask = |question: &Question| match question.date {
        // Words such as "two weeks ago" count from the day of the question.
        Some(date) => answer(&stand.open_at(mode.settings, date)?, stand, question, how),
        None => answer(&context, stand, question, how),
    };
    let answers = set.questions.iter().map(ask).collect::<Result<_>>()?;
    let unanswerable = set.unanswerable.iter().map(ask).collect::<Result<_>>()?;
    Ok(Run { mode, answers, unanswerable, peak_mb: machine::peak_mb() })
}

/// Embeds all missing passages with the larger model, reporting progress on stderr.
fn refine(context: &Context) -> Result<()> {
    let mut reported = 0;
    let mut report = |progress: cm_app::Progress| {
        if progress.done >= reported + 500 {
            reported = progress.done;
            eprintln!("    {reported} of {} passages read", progress.total);
        }
    };
    embed::embed(context, false, &mut report).map_err(EvalError::operation("embed")).map(drop)
}

/// Search parameters.
#[derive(Debug, Clone, Copy)]
struct How {
    /// Restricts searches to the question's group.
    scoped: bool,
    stages: RankingStages,
    /// Whether questions that count or order get hits that are spread over sessions.
    spread: bool,
    depth: usize,
}

fn answer(context: &Context, stand: &EvalVault, question: &Question, how: How) -> Result<Answer> {
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
            group: (how.spread && asks_for_several(&question.text))
                .then_some(search::SessionGrouping::Spread),
            ..search::Options::default()
        };
        search::search(context, &options).map_err(EvalError::operation(format!("question {}", question.id)))
    };
    let begun = machine::cpu();
    let page = ask(0, PAGE)?;
    let cpu = machine::cpu().saturating_sub(begun);
    let mut all = page.hits;
    if page.next.is_some() && how.depth > PAGE {
        all.extend(ask(PAGE, how.depth - PAGE)?.hits);
    }
    let found = |hit: search::SearchHit| {
        Some(Found { document: stand.document(&hit.path)?.to_owned(), score: hit.score, parts: hit.parts })
    };
    let hits: Vec<Found> = all.into_iter().filter_map(found).collect();
    let figures = figures(hits.iter().map(|found| found.document.as_str()), &question.relevant);
    Ok(Answer { hits, cpu, figures })
}

impl Run {
    /// Drops the hits, so that they do not count as memory of the next run.
    pub fn forget_hits(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.hits = Vec::new());
        self.unanswerable.iter_mut().for_each(|answer| answer.hits = Vec::new());
    }

    /// Returns the run for other scoring tools: question, document, and a score in ranking order.
    pub fn tsv(&self, set: &LabelledSet) -> String {
        let mut text = String::new();
        for (question, answer) in set.questions.iter().zip(&self.answers) {
            for (at, found) in answer.hits.iter().enumerate() {
                text += &format!("{}\t{}\t{}\n", question.id, found.document, answer.hits.len() - at);
            }
        }
        text
    }

    /// Returns the run as JSON: one object per question, with labels and hits.
    pub fn dump(&self, set: &LabelledSet) -> Vec<Value> {
        let unanswerable = set.unanswerable.iter().zip(&self.unanswerable);
        let rows = set.questions.iter().zip(&self.answers).chain(unanswerable);
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
