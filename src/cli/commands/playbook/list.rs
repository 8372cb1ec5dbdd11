//! `cm playbook list`, and the options that filter rules.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use crate::cli::commands::one_of;
use cm_app::verbs::playbook::list::{self, BulletFilter, Options};
use cm_app::{Context, Result};
use cm_note::bullet::{BulletState, BulletType, Maturity, Scope};
use cm_render::text;

/// List rules, best score first
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook list\n  cm playbook list --category testing --maturity proven\n  cm playbook list --state all --type anti_pattern --json"
)]
pub struct Arguments {
    #[command(flatten)]
    chosen: Chosen,
    /// Only rules in this state [default: drafts and active rules]
    #[arg(long, value_name = "STATE", value_parser = states())]
    state: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 100, value_parser = super::super::at_least_one)]
    limit: usize,
    /// Skip the first N results (`next` in the previous output)
    #[arg(long, default_value_t = 0, hide_short_help = true)]
    offset: usize,
}

/// Options that filter rules, except by state.
#[derive(Debug, Args)]
pub struct Chosen {
    /// Only rules in this category
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only rules with this maturity
    #[arg(long, value_name = "MATURITY", value_parser = one_of(&Maturity::ALL, Maturity::name))]
    maturity: Option<Maturity>,
    /// Only rules or only anti-patterns
    #[arg(long = "type", value_name = "TYPE", value_parser = one_of(&BulletType::ALL, BulletType::name))]
    bullet_type: Option<BulletType>,
    /// Only rules with this scope
    #[arg(long, value_name = "SCOPE", value_parser = one_of(&Scope::ALL, Scope::name))]
    scope: Option<Scope>,
    /// Only rules with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
}

/// Values of `--state`.
pub fn states() -> PossibleValuesParser {
    PossibleValuesParser::new(BulletState::ALL.iter().map(|state| state.name()).chain(["all"]))
}

impl Chosen {
    /// Builds a filter for bullets in `state`. `None` selects the `usual` states; `all` selects every state.
    pub fn filter(self, state: Option<&str>, usual: &[BulletState]) -> BulletFilter {
        let states = match state {
            None => usual.to_vec(),
            Some(name) => BulletState::of(name).into_iter().collect(),
        };
        BulletFilter {
            category: self.category,
            states,
            maturity: self.maturity,
            bullet_type: self.bullet_type,
            scope: self.scope,
            tag: self.tag.map(|tag| tag.trim_start_matches('#').to_owned()),
        }
    }
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let filter =
        arguments.chosen.filter(arguments.state.as_deref(), &[BulletState::Draft, BulletState::Active]);
    let options = Options { filter, limit: arguments.limit, offset: arguments.offset };
    output.print(context, &list::list(context, &options)?, text::playbook::list::listed)
}
