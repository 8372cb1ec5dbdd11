//! `cm review`

mod walk;

use std::io::IsTerminal as _;

use clap::Args;

use super::edit::open_editor;
use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_note::finding::Severity;
use cm_app::review::{self, Inbox, InboxKind, ReviewDecisions};
use cm_app::{Request, Error, Context, Result, edit};
use cm_render::text;

/// Go through what waits for a person: drafts, conflicts, and notes to look at again
///
/// Lists drafts, notes that contradict each other, notes in quarantine (hidden characters, memories that are drafts),
/// rules worth merging, and notes that nobody has looked at for long or whose source no longer holds. Decide by flags,
/// several at once with one commit for each kind of decision, or one by one with --interactive, where each decision is
/// committed when it is made. Nothing is deleted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm review\n  cm review --kind due --limit 5\n  cm review --accept b-mwnpvin0-ddisyl b-mwnoitv5-on318w\n  cm review --reject b-mo76pd48-ckhtk7 --reason \"holds for one project only\"\n  cm review --confirm 1f0c2a 77ab01\n  cm review --merge b-mo76pd48-ckhtk7 b-mt2ssunl-jq6d8j --content \"Name every number with its unit.\"\n  cm review --interactive"
)]
pub struct Arguments {
    /// Take drafts into use
    #[arg(long, value_name = "ID", num_args = 1..)]
    accept: Vec<String>,
    /// Give notes up: they are retired and stay where they are; --reason says why
    #[arg(long, value_name = "ID", num_args = 1..)]
    reject: Vec<String>,
    /// Say that notes still hold
    #[arg(long, value_name = "ID", num_args = 1..)]
    confirm: Vec<String>,
    /// Make one bullet of several, with --content
    #[arg(long, value_name = "ID", num_args = 2.., requires = "content", conflicts_with_all = ["accept", "reject", "confirm"])]
    merge: Vec<String>,
    /// What the merged bullet says, `-` for standard input
    #[arg(long, value_name = "TEXT", requires = "merge")]
    content: Option<String>,
    /// Only this section: drafts, conflicts, quarantined, merges, due or inversions
    #[arg(long, value_name = "SECTION", value_parser = section)]
    kind: Option<InboxKind>,
    /// At most so many of each section
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
    /// Go through them one by one on the terminal
    #[arg(long, short, conflicts_with_all = ["accept", "reject", "confirm", "merge", "json"])]
    interactive: bool,
}

fn section(typed: &str) -> std::result::Result<InboxKind, String> {
    let known = InboxKind::ALL.into_iter().find(|section| section.name() == typed);
    known.ok_or_else(|| "it is drafts, conflicts, quarantined, merges, due or inversions".to_owned())
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let words = ReviewDecisions { accept: arguments.accept, reject: arguments.reject, confirm: arguments.confirm };
    if let Some(content) = &arguments.content {
        let outcome = review::merge(&memory, &arguments.merge, &text_or_stdin(content)?)?;
        return output.print(&memory, &outcome, text::review::settled);
    }
    if !words.is_empty() {
        let outcome = review::apply_decisions(&memory, &words)?;
        return output.print(&memory, &outcome, text::review::settled);
    }
    let options = review::Options { section: arguments.kind, limit: arguments.limit };
    if arguments.interactive {
        return interactive(&memory, &options, output);
    }
    let outcome = review::inbox(&memory, &options)?;
    output.print(&memory, &outcome, text::review::inbox)
}

fn interactive(memory: &Context, options: &review::Options, output: &Output) -> Result<Printed> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::usage("--interactive asks on a terminal, and standard input is none")
            .hint("decide by --accept, --reject and --confirm; `cm review` lists what waits"));
    }
    let inbox: Inbox = review::inbox(memory, options)?;
    output.notices(memory);
    let mut edit = |id: &str| {
        let edited = edit::edit(memory, id, &open_editor)?;
        let wrong = edited.findings.iter().find(|found| found.severity == Severity::Error);
        Ok(wrong.map(|found| found.message.clone()))
    };
    let mut outcome = review::ReviewResult { decisions: Vec::new() };
    let mut settle = |words: &ReviewDecisions| {
        outcome.decisions.extend(review::apply_decisions(memory, words)?.decisions);
        Ok(())
    };
    let (mut keys, mut screen) =
        (std::io::stdin().lock(), anstream::AutoStream::auto(std::io::stderr().lock()));
    walk::through(&inbox, &mut keys, &mut screen, walk::Doing { edit: &mut edit, settle: &mut settle })?;
    output.print(memory, &outcome, text::review::settled)
}
