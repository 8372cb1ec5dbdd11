//! `cm playbook export`

use std::path::PathBuf;

use clap::Args;

use super::list::{Chosen, states};
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::playbook::export::{self, Options, PlaybookFormat};
use cm_app::{Context, Result};
use cm_render::text;

/// Export the playbook as one file, with all rules and deprecated patterns
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook export > playbook.yaml\n  cm playbook export --state active --out playbook.yaml\n  cm playbook export --format json | jq '.bullets[].content'"
)]
pub struct Arguments {
    #[command(flatten)]
    chosen: Chosen,
    /// Only rules in this state
    #[arg(long, value_name = "STATE", value_parser = states())]
    state: Option<String>,
    /// Output format: yaml or json [default: yaml]
    #[arg(long, value_name = "FORM", value_parser = ["yaml", "json"])]
    format: Option<String>,
    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite a file that is not a playbook
    #[arg(long)]
    force: bool,
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    // Without a file, the document is the answer. With --json the answer must be JSON.
    let json = arguments.format.as_deref() == Some("json") || (output.json && arguments.out.is_none());
    let options = Options {
        form: if json { PlaybookFormat::Json } else { PlaybookFormat::Yaml },
        filter: arguments.chosen.filter(arguments.state.as_deref(), &[]),
        out: arguments.out,
        force: arguments.force,
    };
    let outcome = export::export(context, &options)?;
    match &outcome.document {
        Some(document) => output.document(context, document),
        None => output.print(context, &outcome, text::playbook::export::exported),
    }
}
