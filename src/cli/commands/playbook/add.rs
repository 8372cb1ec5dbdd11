//! `cm playbook add`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::commands::{one_of, text_or_stdin};
use cm_app::verbs::playbook_add::{self as add, RuleProposal};
use cm_app::{Context, Result};
use cm_note::bullet::{BulletKind, BulletType, Scope};
use cm_render::text;

/// Add a rule or an anti-pattern
///
/// The rule is checked first. A duplicate gives credit to the existing rule. A blocked or deprecated rule is refused. A rule
/// that contradicts another becomes a draft. Rules added by a person are used immediately. Rules added by an agent (--agent,
/// --session) are drafts until evidence supports them or a person accepts them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook add \"Use pnpm, never npm.\"\n  cm playbook add --category testing \"Run the whole suite before you push.\"\n  cm playbook add --category net --type anti_pattern --why \"It took the gateway down.\" \"Retrying at once.\""
)]
pub struct Arguments {
    /// Rule text, 10 to 500 characters, one statement; - reads standard input
    #[arg(allow_hyphen_values = true)]
    rule: String,
    /// Category: a lower-case letter, then lower-case letters, digits, _ and -; by default chosen by the words of the rule
    #[arg(long, short = 'c', value_name = "NAME")]
    category: Option<String>,
    /// Whether the rule says what to do or what to avoid
    #[arg(long = "type", value_name = "TYPE", value_parser = one_of(&BulletType::ALL, BulletType::name))]
    bullet_type: Option<BulletType>,
    /// Subject of the rule
    #[arg(long, value_name = "KIND", value_parser = one_of(&BulletKind::ALL, BulletKind::name))]
    kind: Option<BulletKind>,
    /// Tags, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Scope of the rule
    #[arg(long, value_name = "SCOPE", value_parser = one_of(&Scope::ALL, Scope::name))]
    scope: Option<Scope>,
    /// Language, framework or task of the scope
    #[arg(long, value_name = "NAME")]
    scope_key: Option<String>,
    /// Project that the rule applies to
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
    /// Reason for the rule
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    why: Option<String>,
    /// Search query for details
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    search_pointer: Option<String>,
    /// Add the rule as a draft for review
    #[arg(long)]
    draft: bool,
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let content = text_or_stdin(&arguments.rule)?;
    let proposal = RuleProposal {
        category: arguments.category.unwrap_or_else(|| add::category_of(&content).to_owned()),
        content,
        bullet_type: arguments.bullet_type,
        kind: arguments.kind,
        tags: arguments.tags,
        scope: arguments.scope,
        scope_key: arguments.scope_key,
        workspace: arguments.workspace,
        search_pointer: arguments.search_pointer,
        reasoning: arguments.why,
        ..RuleProposal::default()
    };
    let outcome = add::propose(context, proposal, arguments.draft)?;
    output.print(context, &outcome, text::playbook_add::proposed)
}
