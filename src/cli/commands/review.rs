//! `cm review`

mod walk;

use clap::Args;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::edit::open_editor;
use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use crate::cli::terminal;
use cm_app::verbs::edit;
use cm_app::verbs::inbox::{self, InboxKind};
use cm_app::verbs::review::{self, AppliedDecision, CommitsPer, ReviewDecision, ReviewResult};
use cm_app::verbs::{undo, why};
use cm_app::{Context, Error, Request, Result};
use cm_note::finding::{Finding, Severity};
use cm_render::text;

/// Review drafts, conflicts and notes that need a person's decision
///
/// Lists drafts, conflicting notes, quarantined notes (hidden characters, draft memories), merge candidates, notes that were
/// not reviewed for long or whose source has changed, rules that a person repeated although two sessions had shown them, and
/// versions that a merge left over. Decide with options, for several notes at once, one commit per kind of decision. Or use
/// --interactive to decide one by one, with one commit each. Nothing is deleted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm review\n  cm review --kind due --limit 5\n  cm review --accept b-mwnpvin0-ddisyl b-mwnoitv5-on318w\n  cm review --reject b-mo76pd48-ckhtk7 --reason \"holds for one project only\"\n  cm review --confirm 1f0c2a 77ab01\n  cm review --take 1f0c2a\n  cm review --merge b-mo76pd48-ckhtk7 b-mt2ssunl-jq6d8j --content \"Name every number with its unit.\"\n  cm review --interactive"
)]
pub struct Arguments {
    /// Accept drafts
    #[arg(long, value_name = "ID", num_args = 1..)]
    accept: Vec<String>,
    /// Reject notes: they are retired but not deleted; add --reason to explain
    #[arg(long, value_name = "ID", num_args = 1..)]
    reject: Vec<String>,
    /// Confirm that notes are still correct
    #[arg(long, value_name = "ID", num_args = 1..)]
    confirm: Vec<String>,
    /// Take the other version that a merge left over; ID:NAME for one of several, as `cm review` shows it
    #[arg(long, value_name = "ID", num_args = 1..)]
    take: Vec<String>,
    /// Keep the note as it is and drop what a merge left over; ID:NAME for one of several
    #[arg(long, value_name = "ID", num_args = 1..)]
    keep: Vec<String>,
    /// Merge several rules into one; requires --content
    #[arg(long, value_name = "ID", num_args = 2.., requires = "content", conflicts_with_all = ["accept", "reject", "confirm", "take", "keep"])]
    merge: Vec<String>,
    /// Text of the merged rule; `-` reads standard input
    #[arg(long, value_name = "TEXT", requires = "merge")]
    content: Option<String>,
    /// Only this section
    #[arg(long, value_name = "SECTION", value_parser = super::one_of(&InboxKind::ALL, InboxKind::name))]
    kind: Option<InboxKind>,
    /// Maximum number of results per section
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
    /// Decide one by one in the terminal
    #[arg(long, short, conflicts_with_all = ["accept", "reject", "confirm", "take", "keep", "merge", "json"])]
    interactive: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let decisions = [
        (ReviewDecision::Accept, arguments.accept),
        (ReviewDecision::Reject, arguments.reject),
        (ReviewDecision::Confirm, arguments.confirm),
        (ReviewDecision::Take, arguments.take),
        (ReviewDecision::Keep, arguments.keep),
    ];
    if let Some(content) = &arguments.content {
        let outcome = review::merge(&context, &arguments.merge, &text_or_stdin(content)?)?;
        return output.print(&context, &outcome, text::review::settled);
    }
    if decisions.iter().any(|(_, ids)| !ids.is_empty()) {
        let outcome = review::apply_decisions(&context, &decisions, CommitsPer::Decision)?;
        return output.print(&context, &outcome, text::review::settled);
    }
    let options = inbox::Options { section: arguments.kind, limit: arguments.limit };
    if arguments.interactive {
        return interactive(&context, &options, output);
    }
    let outcome = inbox::inbox(&context, &options)?;
    output.print(&context, &outcome, text::review::inbox)
}

fn interactive(context: &Context, options: &inbox::Options, output: &Output) -> Result<Printed> {
    if !stdin::is_terminal() {
        return Err(Error::usage("--interactive requires a terminal on standard input")
            .hint("use --accept, --reject and --confirm instead; `cm review` lists the notes"));
    }
    let inbox = inbox::inbox(context, options)?;
    output.notices(context);
    // The decisions that each key led to.
    let decisions = std::cell::RefCell::new(Vec::<Vec<AppliedDecision>>::new());
    let edits = std::cell::Cell::new(0);
    let actions = walk::ReviewActions {
        key: &mut key,
        text: &mut |id| Ok(text::why::why(&why::why(context, id, 5)?)),
        edit: &mut |id| {
            let edited = edit::edit(context, id, &open_editor)?;
            edits.set(edits.get() + usize::from(edited.commit.is_some()));
            Ok(outcome_of_edit(&edited))
        },
        settle: &mut |decided| {
            let decided = std::slice::from_ref(decided);
            let applied = review::apply_decisions(context, decided, CommitsPer::Decision)?;
            decisions.borrow_mut().push(applied.decisions);
            Ok(())
        },
        undo: &mut || {
            // Not the newest commit: a note may have been edited since.
            let last = decisions.borrow().last().cloned().unwrap_or_default();
            let commits: Vec<&String> =
                last.iter().rev().filter_map(|decision| decision.commit.as_ref()).collect();
            if commits.is_empty() {
                return Err(Error::refused("no-commit", "the decision has no commit to undo"));
            }
            for commit in commits {
                undo::undo(context, Some(commit))?;
            }
            decisions.borrow_mut().pop();
            Ok(())
        },
    };
    let mut screen = anstream::AutoStream::auto(std::io::stderr().lock());
    walk::review_each(&inbox, &mut screen, terminal::error_width(), actions)?;
    let outcome = ReviewResult { decisions: decisions.into_inner().into_iter().flatten().collect() };
    if outcome.decisions.is_empty() && edits.get() > 0 {
        let notes = if edits.get() == 1 { "note" } else { "notes" };
        return output.print(context, &outcome, |_| format!("edited {} {notes}\n", edits.get()));
    }
    output.print(context, &outcome, text::review::settled)
}

/// Describes what became of an edited note, and the problems of the saved text.
fn outcome_of_edit(edited: &edit::EditResult) -> String {
    let outcome = match (edited.changed, &edited.commit) {
        (false, _) => "unchanged",
        (true, Some(_)) => "edited",
        (true, None) => "saved but not committed",
    };
    let problem = |found: &Finding| format!("; {}", found.message);
    let problems = edited.findings.iter().filter(|found| found.severity != Severity::Info).map(problem);
    std::iter::once(outcome.to_owned()).chain(problems).collect()
}

/// Waits for a key; `None` after Ctrl-C or Ctrl-D.
fn key() -> std::io::Result<Option<char>> {
    crossterm::terminal::enable_raw_mode()?;
    let read = loop {
        match crossterm::event::read() {
            Ok(Event::Key(KeyEvent {
                code: KeyCode::Char('c' | 'd'),
                modifiers: KeyModifiers::CONTROL,
                ..
            })) => {
                break Ok(None);
            }
            Ok(Event::Key(KeyEvent { code: KeyCode::Char(typed), kind: KeyEventKind::Press, .. })) => {
                break Ok(Some(typed));
            }
            Ok(Event::Key(KeyEvent { code: KeyCode::Esc, .. })) => break Ok(Some('q')),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    crossterm::terminal::disable_raw_mode()?;
    read
}
