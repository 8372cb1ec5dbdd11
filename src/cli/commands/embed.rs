//! `cm embed`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::embed;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Embed notes for semantic search
///
/// Search combines words with semantic similarity. The small built-in model embeds every note immediately. The larger one
/// embeds new notes as time allows during other commands; this command embeds all remaining notes. A vault of many notes that
/// existed before needs it once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm embed\n  cm embed status\n  cm embed use ollama --model nomic-embed-text\n  cm embed use fastembed --path ~/models/bge-small --runtime ~/lib/libonnxruntime.so\n  cm embed use builtin\n  cm embed use builtin --model e5-small"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the models and how many notes each has embedded
    Status,
    /// Discard all vectors and embed every note again
    Rebuild,
    /// Switch to another model after testing it; vectors of other models are kept
    Use {
        /// Embedding provider
        provider: Provider,
        /// Model name
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Server URL
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// Folder of the ONNX model
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
        /// ONNX Runtime library
        #[arg(long, value_name = "FILE")]
        runtime: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Provider {
    /// The built-in models; `--model e5-small` selects the multilingual one, in builds that contain it
    Builtin,
    /// A local ONNX model
    Fastembed,
    /// A model on an Ollama server
    Ollama,
    /// A model behind an OpenAI-compatible API
    Openai,
    /// No model: search uses words only
    None,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    match arguments.action {
        None => read(request, false, output),
        Some(Action::Rebuild) => read(request, true, output),
        Some(Action::Status) => {
            let context = Context::open(request)?;
            output.print(&context, &embed::status(&context)?, text::embed::status)
        }
        Some(Action::Use { provider, model, url, path, runtime }) => {
            let file = |path: PathBuf| request.cwd.join(path).to_string_lossy().into_owned();
            let provider =
                provider.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            let (path, runtime) = (path.map(file), runtime.map(file));
            let change = embed::ModelChange { provider, model, path, url, runtime };
            let outcome = embed::change(request.clone(), &change)?;
            output.print(&Context::open(request)?, &outcome, text::embed::changed)
        }
    }
}

fn read(request: Request, anew: bool, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let display = output.progress("passages");
    let outcome = embed::embed(&context, anew, &mut |progress| display.show(progress, ""));
    drop(display);
    output.print(&context, &outcome?, text::embed::read)
}
