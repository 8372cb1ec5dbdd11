//! `cm playbook`

mod add;
mod export;
mod get;
mod import;
mod list;
mod remove;

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::{Context, Request, Result};

/// Manage rules and anti-patterns, and exchange them with other tools
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook list --category testing\n  cm playbook get b-mt2ssunl\n  cm playbook export --out playbook.yaml\n  cm playbook import playbook.yaml"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Arguments),
    Get(get::Arguments),
    Add(add::Arguments),
    Remove(remove::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    match arguments.action {
        Action::List(arguments) => list::run(&context, arguments, output),
        Action::Get(arguments) => get::run(&context, arguments, output),
        Action::Add(arguments) => add::run(&context, arguments, output),
        Action::Remove(arguments) => remove::run(&context, arguments, output),
        Action::Export(arguments) => export::run(&context, arguments, output),
        Action::Import(arguments) => import::run(&context, arguments, output),
    }
}
