//! `cm propose`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::propose::{self, NeighbourVerdict, Proposal, ProposalKind, Verdict};
use cm_app::{Context, Error, Request, Result};
use cm_note::bullet::Scope;
use cm_render::text;

/// Record what the person said in this session, if it is meant to last
///
/// For the agent in the session. The proposal is active if a person typed the quote in this session, the quote is meant to
/// last, and every command, path, name, number and negation of the text occurs in the quote or in the text it answers.
/// Otherwise it is a draft. The answer lists the nearest notes and how cm relates them; `--id` with verdicts states how they
/// relate to the proposal. `--same` withdraws the proposal and credits the neighbour. `--unrelated` removes the relation that
/// cm found. If a person's words admit the proposal, it replaces the neighbours of `--refines` and `--contradicts`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm propose \"Use pnpm, never npm.\" --quote \"pnpm, never npm\" --session 4f0c2a11\n  cm propose --kind fact \"Staging has 2 GB.\" --quote \"staging only has 2 GB\" --session 4f0c2a11\n  cm propose --id b-mt2ssunl --same b-mq6d3m8l --unrelated b-mp5g4d1j"
)]
pub struct Arguments {
    /// The statement, understandable without the session; `-` reads standard input
    #[arg(required_unless_present = "id")]
    text: Option<String>,
    /// What kind of statement it is
    #[arg(long, value_name = "KIND", default_value = "rule", value_parser = super::one_of(&ProposalKind::ALL, ProposalKind::name))]
    kind: ProposalKind,
    /// The person's words, verbatim
    #[arg(long, value_name = "WORDS", required_unless_present = "id")]
    quote: Option<String>,
    /// What the quote answers, such as the refused command
    #[arg(long, value_name = "TEXT")]
    answers: Option<String>,
    /// Where the rule holds
    #[arg(long, value_name = "SCOPE", value_parser = super::one_of(&Scope::ALL, Scope::name))]
    scope: Option<Scope>,
    /// A file, command or link that it is about (repeatable)
    #[arg(long = "cite", value_name = "TEXT")]
    citations: Vec<String>,
    /// An earlier proposal, to state how its neighbours relate to it
    #[arg(long, value_name = "ID", conflicts_with_all = ["text", "quote"])]
    id: Option<String>,
    /// A neighbour that means the same (repeatable)
    #[arg(long, value_name = "ID", requires = "id")]
    same: Vec<String>,
    /// A neighbour that the proposal states more precisely (repeatable)
    #[arg(long, value_name = "ID", requires = "id")]
    refines: Vec<String>,
    /// A neighbour that contradicts it (repeatable)
    #[arg(long, value_name = "ID", requires = "id")]
    contradicts: Vec<String>,
    /// A neighbour that has nothing to do with it (repeatable)
    #[arg(long, value_name = "ID", requires = "id")]
    unrelated: Vec<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    if let Some(id) = &arguments.id {
        let verdicts = verdicts(&arguments);
        if verdicts.is_empty() {
            return Err(Error::usage("no verdict is given").hint(
                "use `--same`, `--refines`, `--contradicts` or `--unrelated` with the ID of a neighbour",
            ));
        }
        let session = context.request.caller.session.as_deref();
        let settled = propose::settle(&context, session, id, &verdicts)?;
        return output.print(&context, &settled, text::propose::proposed);
    }
    let proposal = Proposal {
        kind: arguments.kind,
        text: arguments.text.as_deref().map(text_or_stdin).transpose()?.unwrap_or_default(),
        quote: arguments.quote.unwrap_or_default(),
        session: context.request.caller.session.clone().unwrap_or_default(),
        scope: arguments.scope,
        citations: arguments.citations,
        answers: arguments.answers,
    };
    output.print(&context, &propose::propose(&context, &proposal)?, text::propose::proposed)
}

fn verdicts(arguments: &Arguments) -> Vec<Verdict> {
    let all = [
        (&arguments.same, NeighbourVerdict::Same),
        (&arguments.refines, NeighbourVerdict::Refines),
        (&arguments.contradicts, NeighbourVerdict::Contradicts),
        (&arguments.unrelated, NeighbourVerdict::Unrelated),
    ];
    let of = |(ids, verdict): (&Vec<String>, NeighbourVerdict)| {
        ids.iter().map(move |id| Verdict { id: id.clone(), verdict }).collect::<Vec<_>>()
    };
    all.into_iter().flat_map(of).collect()
}
