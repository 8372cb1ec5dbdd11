//! `cm playbook add`

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use crate::cli::commands::text_or_stdin;
use cm_note::bullet::{BulletKind, BulletType, Scope};
use cm_app::propose::{self, RuleProposal};
use cm_app::{Context, Result};
use cm_render::text;

/// Add a rule, or what to avoid
///
/// It is checked first: a rule that is there already is credited in its place, one that is blocked or was deprecated is refused, and one
/// that contradicts another becomes a draft beside it. What a person adds is followed at once; what an agent adds (--agent, --session)
/// is a draft until there is evidence for it or a person accepts it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook add --category testing \"Run the whole suite before you push.\"\n  cm playbook add --category net --type anti_pattern --why \"It took the gateway down.\" \"Retrying at once.\""
)]
pub struct Arguments {
    /// The rule, 10 to 500 characters, one statement; - for standard input
    #[arg(allow_hyphen_values = true)]
    rule: String,
    /// Its category: a letter, then letters, digits, _ and -, all lower case
    #[arg(long, short = 'c', value_name = "NAME")]
    category: String,
    /// Whether it says what to do or what to avoid
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(BulletType::ALL.iter().map(|one| one.name())))]
    bullet_type: Option<String>,
    /// What it is about
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(BulletKind::ALL.iter().map(|one| one.name())))]
    kind: Option<String>,
    /// Its tags, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// How far it reaches
    #[arg(long, value_name = "SCOPE", value_parser = PossibleValuesParser::new(Scope::ALL.iter().map(|one| one.name())))]
    scope: Option<String>,
    /// The language, framework or task that the scope names
    #[arg(long, value_name = "NAME")]
    scope_key: Option<String>,
    /// The project that it holds for
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Why it holds
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    why: Option<String>,
    /// A query that finds the details
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    search_pointer: Option<String>,
    /// Add it as a draft, to be reviewed
    #[arg(long)]
    draft: bool,
}

/// Runs it.
pub fn run(memory: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let proposal = RuleProposal {
        category: arguments.category,
        content: text_or_stdin(&arguments.rule)?,
        bullet_type: arguments.bullet_type.as_deref().and_then(BulletType::of),
        kind: arguments.kind.as_deref().and_then(BulletKind::of),
        tags: arguments.tags,
        scope: arguments.scope.as_deref().and_then(Scope::of),
        scope_key: arguments.scope_key,
        workspace: arguments.workspace,
        search_pointer: arguments.search_pointer,
        reasoning: arguments.why,
        ..RuleProposal::default()
    };
    let outcome = propose::propose(memory, proposal, arguments.draft)?;
    output.print(memory, &outcome, text::propose::proposed)
}
