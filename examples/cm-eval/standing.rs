//! Standing instructions and preferences: search does not find them, because later questions do not
//! resemble them. This measures what the playbook contributes.
//!
//! For each group the person's messages are processed in order, and sentences that match a cue are
//! added to the playbook. Then each question gets a briefing. Labels only decide whether a shown
//! rule comes from a relevant message.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use cm_app::verbs::context::{self, Briefing};
use cm_app::verbs::playbook_add::{self as add, RuleProposal};
use cm_app::{Context, Error, Request};

use crate::cue;
use crate::eval_vault::{self, EvalVault, request};
use crate::fault::{EvalError, Result};
use crate::metrics::{RankingMetrics, mean};
use crate::mode::Mode;
use crate::retrieval;
use crate::set::{Document, LabelledSet, Question};
use crate::table::{cell, head, row};

/// Categories of questions about standing instructions and preferences.
const CATEGORIES: [&str; 2] = ["instruction_following", "preference_following"];

/// The playbook built from a group's messages.
#[derive(Default)]
struct Playbook {
    name: String,
    messages: usize,
    sentences: usize,
    added: usize,
    drafts: usize,
    credited: usize,
    refused: usize,
    /// Source messages of each rule.
    sources: HashMap<String, BTreeSet<String>>,
    /// Extracted sentences, for display.
    taken: Vec<String>,
}

/// Share of a question's relevant messages that a briefing shows.
struct Shown {
    category: String,
    /// Share with any rule in the playbook, the upper limit for rules in a briefing.
    taken: f64,
    /// Share with a rule shown in the briefing.
    by_rules: f64,
    /// Share with a shown rule, or shown as a memory.
    by_all: f64,
    rules: usize,
    tokens: usize,
}

/// Compares briefings with searches.
///
/// # Errors
///
/// The set cannot be read, or an operation fails.
pub fn report(folder: &Path, work: &Path, modes: &[Mode], max_tokens: usize, show: bool) -> Result<String> {
    let mut set = LabelledSet::read(folder)?;
    set.questions.retain(|question| CATEGORIES.contains(&question.category.as_str()));
    if set.questions.is_empty() {
        return Err(EvalError::Usage(format!(
            "{} has no questions of {}",
            set.name,
            CATEGORIES.join(" or ")
        )));
    }
    let (mut playbooks, mut shown) = (Vec::new(), Vec::new());
    let groups: BTreeSet<&str> = set.questions.iter().filter_map(|it| it.group.as_deref()).collect();
    for group in groups {
        eprintln!("{group}");
        let (playbook, briefed) = brief(&set, group, max_tokens)?;
        playbooks.push(playbook);
        shown.extend(briefed);
    }
    let mut text = format!("{}\n{}", figures(&shown, &searches(&set, work, modes)?), sizes(&playbooks));
    if show {
        for playbook in playbooks {
            text += &format!("\n{}\n{}\n", playbook.name, playbook.taken.join("\n"));
        }
    }
    Ok(text)
}

/// Creates a vault of one group with its playbook, and runs a briefing for each question.
fn brief(set: &LabelledSet, group: &str, max_tokens: usize) -> Result<(Playbook, Vec<Shown>)> {
    let of_group = |of: &Option<String>| of.as_deref() == Some(group);
    let documents: Vec<&Document> =
        set.documents.iter().filter(|document| of_group(&document.group)).collect();
    let folder = tempfile::tempdir().map_err(EvalError::file(&std::env::temp_dir()))?;
    eval_vault::fill(folder.path(), documents.iter().copied(), set.now())?;
    let mut playbook = Playbook { name: group.to_owned(), ..Playbook::default() };
    for document in documents.iter().filter(|document| document.role.as_deref() == Some("user")) {
        playbook.listen(folder.path(), document, set)?;
    }
    let context =
        Context::open(request(folder.path(), set.now(), &[])).map_err(EvalError::operation("open"))?;
    let names = eval_vault::names(documents);
    let mut shown = Vec::new();
    for question in set.questions.iter().filter(|question| of_group(&question.group)) {
        let options = context::Options {
            task: Some(question.text.clone()),
            max_tokens: Some(max_tokens),
            ..context::Options::default()
        };
        let briefing = context::context(&context, &options)
            .map_err(EvalError::operation(format!("context for {}", question.id)))?;
        shown.push(Shown::of(question, &briefing, &playbook.sources, &names));
    }
    Ok((playbook, shown))
}

impl Playbook {
    /// Adds the sentences of a message that match a cue, at the time of the message.
    fn listen(&mut self, folder: &Path, document: &Document, set: &LabelledSet) -> Result<()> {
        self.messages += 1;
        for rule in cue::rules(&document.text) {
            self.sentences += 1;
            let now = document.date.unwrap_or_else(|| set.now());
            // The same run gives the same ids.
            let seed = Some(format!("{} {}", document.id, self.sentences));
            let context = Context::open(Request { seed, ..request(folder, now, &[]) })
                .map_err(EvalError::operation("open"))?;
            let proposal = RuleProposal {
                category: "preferences".to_owned(),
                content: rule.clone(),
                ..RuleProposal::default()
            };
            let done = match add::propose(&context, proposal, false) {
                Ok(proposed) => self.count(proposed, document),
                Err(error) => self.refuse(error)?,
            };
            self.taken.push(format!("  {} {done}: {rule}", document.id));
        }
        Ok(())
    }

    fn count(&mut self, proposed: add::ProposalResult, document: &Document) -> String {
        let state = if proposed.added { proposed.state.name() } else { "known" };
        self.added += usize::from(proposed.added);
        self.drafts += usize::from(proposed.added && state == "draft");
        self.credited += usize::from(!proposed.added);
        self.sources.entry(proposed.id).or_default().insert(document.id.clone());
        state.to_owned()
    }

    /// Counts a rejected rule; any other error aborts the measurement.
    fn refuse(&mut self, error: Error) -> Result<String> {
        use cm_app::ErrorKind;
        match error.kind {
            ErrorKind::Usage | ErrorKind::Refused | ErrorKind::NothingDone => {
                self.refused += 1;
                Ok(format!("refused ({error})"))
            }
            _ => Err(EvalError::operation("playbook add")(error)),
        }
    }
}

impl Shown {
    fn of(
        question: &Question,
        briefing: &Briefing,
        sources: &HashMap<String, BTreeSet<String>>,
        names: &HashMap<String, String>,
    ) -> Self {
        let rules = briefing.rules.iter().chain(&briefing.pitfalls);
        let mut from: BTreeSet<&str> =
            rules.clone().filter_map(|rule| sources.get(&rule.id)).flatten().map(String::as_str).collect();
        let share = |from: &BTreeSet<&str>| {
            let found = question.relevant.keys().filter(|id| from.contains(id.as_str())).count();
            found as f64 / question.relevant.len() as f64
        };
        let by_rules = share(&from);
        from.extend(briefing.memories.iter().filter_map(|it| names.get(&it.path)).map(String::as_str));
        Self {
            category: question.category.clone(),
            taken: share(&sources.values().flatten().map(String::as_str).collect()),
            by_rules,
            by_all: share(&from),
            rules: rules.count(),
            tokens: briefing.tokens,
        }
    }
}

/// Results of searches in one mode for the same questions.
struct Searches {
    mode: &'static str,
    /// Category and metrics of each question.
    figures: Vec<(String, RankingMetrics)>,
}

/// Runs the same questions as searches on the complete vault, restricted to their groups, in each
/// mode.
fn searches(set: &LabelledSet, work: &Path, modes: &[Mode]) -> Result<Vec<Searches>> {
    let stand = EvalVault::of(set, work)?;
    let mut all = Vec::new();
    for mode in modes {
        let run = retrieval::run(set, &stand, *mode, retrieval::PAGE)?;
        let rows = set.questions.iter().zip(&run.answers);
        let figures = rows.map(|(question, answer)| (question.category.clone(), answer.figures)).collect();
        all.push(Searches { mode: mode.name, figures });
    }
    Ok(all)
}

fn figures(shown: &[Shown], searches: &[Searches]) -> String {
    let own = [
        "category",
        "questions",
        "in a rule",
        "recall by rules",
        "rule shown for",
        "recall by rules and memories",
    ];
    let sizes = ["rules, mean", "tokens, mean"];
    let names: Vec<&str> = own.into_iter().chain(sizes).chain(searches.iter().map(|one| one.mode)).collect();
    let mut text = format!("Searches: R@5 / R@10 / nDCG@10 / MRR\n\n{}", head(&names, 1));
    for category in CATEGORIES.into_iter().chain(["both"]) {
        let is = |of: &str| category == "both" || of == category;
        let rows: Vec<&Shown> = shown.iter().filter(|it| is(&it.category)).collect();
        let average =
            |of: &dyn Fn(&Shown) -> f64| rows.iter().map(|it| of(it)).sum::<f64>() / rows.len().max(1) as f64;
        let cells = [
            category.to_owned(),
            rows.len().to_string(),
            format!("{:.3}", average(&|it| it.taken)),
            format!("{:.3}", average(&|it| it.by_rules)),
            format!("{:.3}", average(&|it| f64::from(it.by_rules > 0.0))),
            format!("{:.3}", average(&|it| it.by_all)),
            format!("{:.1}", average(&|it| it.rules as f64)),
            format!("{:.0}", average(&|it| it.tokens as f64)),
        ];
        let found = searches.iter().map(|one| {
            cell(Some(mean(one.figures.iter().filter(|(of, _)| is(of)).map(|(_, figures)| *figures))))
        });
        text += &row(cells.into_iter().chain(found));
    }
    text
}

fn sizes(playbooks: &[Playbook]) -> String {
    let mut text = head(
        &["group", "messages", "sentences taken", "rules", "of these drafts", "known already", "refused"],
        1,
    );
    for it in playbooks {
        let counts = [it.messages, it.sentences, it.added, it.drafts, it.credited, it.refused];
        text += &row([it.name.clone()].into_iter().chain(counts.map(|count| count.to_string())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, text: &str, role: &str) -> Document {
        Document {
            id: id.to_owned(),
            title: String::new(),
            text: text.to_owned(),
            date: cm_note::instant::Instant::parse("2024-03-15").ok(),
            group: Some("g".to_owned()),
            date_text: None,
            role: Some(role.to_owned()),
            session: None,
        }
    }

    #[test]
    fn a_rule_that_was_said_is_in_the_briefing_for_a_question_that_has_other_words() {
        let question = Question {
            id: "q".to_owned(),
            text: "Which libraries does the server use?".to_owned(),
            date: None,
            group: Some("g".to_owned()),
            category: CATEGORIES[0].to_owned(),
            relevant: [("a".to_owned(), 1)].into(),
        };
        let set = LabelledSet {
            name: "small".to_owned(),
            corpus: String::new(),
            documents: vec![
                document("a", "Hello. Always name the versions when I ask about libraries.", "user"),
                document("b", "I always do. Never mind.", "assistant"),
            ],
            unanswerable: Vec::new(),
            questions: vec![question],
        };
        let (playbook, shown) = brief(&set, "g", 2000).unwrap();
        assert_eq!((playbook.messages, playbook.sentences, playbook.added, playbook.drafts), (1, 1, 1, 0));
        let [shown] = shown.as_slice() else { panic!("one question") };
        assert_eq!((shown.taken, shown.by_rules, shown.by_all, shown.rules), (1.0, 1.0, 1.0, 1));
    }
}
