//! `cm completions`

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Result};

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm completions bash > ~/.local/share/bash-completion/completions/cm")]
pub struct Arguments {
    /// Shell
    shell: Shell,
}

pub fn run(arguments: Arguments, _call: Request, output: &Output) -> Result<Printed> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::cli::Cli::command(), "cm", &mut script);
    if output.json {
        let document = serde_json::json!({ "shell": arguments.shell.to_string(), "script": String::from_utf8_lossy(&script) });
        return output.plain(&cm_render::json::document(&document));
    }
    output.plain(&String::from_utf8_lossy(&script))
}
