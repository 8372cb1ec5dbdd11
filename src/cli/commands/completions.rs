//! `cm completions`

use std::ffi::OsString;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::complete::{self, Shell};
use cm_app::{Request, Result};

/// Print a shell completion script
///
/// With the script, the Tab key completes commands, options, titles and IDs of notes, types, tags, edge types, categories,
/// settings and sessions. They come from the index of the vault as it is; completion changes no file.
#[derive(Debug, Args)]
#[command(after_help = "To install it, run the line for your shell once:\n  \
        bash         echo 'eval \"$(cm completions bash)\"' >> ~/.bashrc\n  \
        zsh          echo 'source <(cm completions zsh)' >> ~/.zshrc\n  \
        fish         echo 'cm completions fish | source' >> ~/.config/fish/config.fish\n  \
        nushell      cm completions nushell | save --append $nu.config-path\n  \
        powershell   Add-Content $PROFILE 'cm completions powershell | Out-String | Invoke-Expression'\n  \
        elvish       echo 'eval (cm completions elvish | slurp)' >> ~/.config/elvish/rc.elv\n\n\
        Example:\n  cm completions bash")]
pub struct Arguments {
    /// Shell
    shell: Shell,
    /// Word at the cursor; prints its candidates instead of the script
    #[arg(long, hide = true, allow_hyphen_values = true)]
    word: Option<OsString>,
    /// Command line before that word
    #[arg(last = true, hide = true, requires = "word")]
    before: Vec<OsString>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let shell = arguments.shell;
    if let Some(word) = &arguments.word {
        return output.plain(&complete::answer(shell, &arguments.before, word, &request));
    }
    if output.json {
        let name = clap::ValueEnum::to_possible_value(&shell).map(|value| value.get_name().to_owned());
        let document = serde_json::json!({ "shell": name, "script": shell.script() });
        return output.plain(&cm_render::json::document(&document));
    }
    output.plain(shell.script())
}
