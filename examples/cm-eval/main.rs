//! Measures the quality of search, of duplicate and contradiction detection, of briefings, and of
//! what is learned from sessions, on labelled sets and on recorded sessions.
//!
//! The sets are given by folder or stored in the folder `CM_EVAL`; the project contains none.
//! Queries run on a real vault through the same operations as all surfaces. Nothing is tuned.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for developers: it reads what it is given, and prints"
)]

mod cue;
mod eval_vault;
mod fault;
mod learning_loop;
mod lines;
mod machine;
mod metrics;
mod mode;
mod pairs;
mod replay;
mod retrieval;
mod set;
mod standing;
mod table;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use eval_vault::EvalVault;
use fault::{EvalError, Result};
use set::LabelledSet;
use table::Measured;

#[derive(Parser)]
#[command(name = "cm-eval", about = "Measure answers on labelled sets")]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Search quality: recall, nDCG, MRR and cost per question, for several search modes
    Retrieval(Retrieval),
    /// Duplicate and contradiction detection on pairs of texts: precision, recall and F1
    Pairs {
        /// Folders with a pairs.jsonl, files of JSON lines, or files of label and two texts
        /// separated by tabs [default: those in CM_EVAL]
        sets: Vec<PathBuf>,
        /// List the errors
        #[arg(long)]
        show: bool,
    },
    /// Briefings with standing instructions and preferences saved as rules: how many are shown
    Context {
        /// Folder of the set
        set: PathBuf,
        /// Folder for the vaults, outside of any repository; vaults are reused
        #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir().join("cm-eval"))]
        work: PathBuf,
        /// Search modes to compare with, separated by commas
        #[arg(long, value_name = "A,B", value_delimiter = ',', default_values_t = ["text".to_owned(), "default".to_owned()])]
        modes: Vec<String>,
        /// Token limit of a briefing
        #[arg(long, value_name = "N", default_value_t = 2000)]
        max_tokens: usize,
        /// List the extracted sentences
        #[arg(long)]
        show: bool,
    },
    /// Learning from labelled sessions: lessons learned, and briefings that hold the right one
    Loop(learning_loop::Options),
    /// The sessions of a project in time order: how much of what was learned twice a briefing prevents
    Replay(replay::Options),
}

#[derive(Args)]
struct Retrieval {
    /// Folders of the sets [default: those in CM_EVAL]
    sets: Vec<PathBuf>,
    /// Folder for the vaults, outside of any repository; vaults are reused
    #[arg(long, value_name = "DIR", default_value_os_t = std::env::temp_dir().join("cm-eval"))]
    work: PathBuf,
    /// Search modes, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    modes: Vec<String>,
    /// Also show results by question category
    #[arg(long)]
    by_category: bool,
    /// Maximum number of questions per set, spread evenly
    #[arg(long, value_name = "N")]
    limit_queries: Option<usize>,
    /// Number of hits per question, for MRR, --runs and --dump
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(10..=1000))]
    depth: u16,
    /// Write every result as a line of JSON
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    /// Write every run as SET.MODE.tsv, for other scoring tools
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,
}

fn main() -> ExitCode {
    let everywhere = std::env::var_os("CM_EVAL").map(PathBuf::from);
    let done = match Cli::parse().what {
        What::Retrieval(options) => retrieve(&options, everywhere.as_deref()),
        What::Pairs { sets, show } => set::folders(&sets, everywhere.as_deref(), "pairs.jsonl")
            .and_then(|folders| pairs::report(&folders, show)),
        What::Context { set, work, modes, max_tokens, show } => {
            mode::named(&modes).and_then(|modes| standing::report(&set, &work, &modes, max_tokens, show))
        }
        What::Loop(options) => learning_loop::report(&options),
        What::Replay(options) => replay::report(&options),
    };
    match done.and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("cm-eval: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes()).map_err(EvalError::file(Path::new("standard output")))
}

fn retrieve(options: &Retrieval, everywhere: Option<&Path>) -> Result<String> {
    let modes = mode::named(&options.modes)?;
    let mut measured = Vec::new();
    for folder in set::folders(&options.sets, everywhere, "queries.jsonl")? {
        let mut set = LabelledSet::read(&folder)?;
        if let Some(most) = options.limit_queries {
            set.limit(most);
        }
        eprintln!("{}: {} notes, {} questions", set.name, set.documents.len(), set.questions.len());
        let stand = EvalVault::of(&set, &options.work)?;
        let mut runs = Vec::new();
        for mode in &modes {
            eprintln!("  {}", mode.name);
            let mut run = retrieval::run(&set, &stand, *mode, usize::from(options.depth))?;
            if options.runs.is_none() && options.dump.is_none() {
                run.forget_hits();
            }
            runs.push(run);
        }
        measured.push(Measured { set, runs });
    }
    keep(options, &measured)?;
    let mut text = format!("{}\n{}", table::quality(&measured), table::cost(&measured));
    if options.by_category {
        measured.iter().for_each(|one| text += &format!("\n{}", table::categories(one)));
    }
    Ok(text)
}

/// Writes the requested output files.
fn keep(options: &Retrieval, measured: &[Measured]) -> Result<()> {
    let all = || measured.iter().flat_map(|one| one.runs.iter().map(|run| (&one.set, run)));
    if let Some(folder) = &options.runs {
        std::fs::create_dir_all(folder).map_err(EvalError::file(folder))?;
        for (set, run) in all() {
            let file = folder.join(format!("{}.{}.tsv", set.name, run.mode.name));
            std::fs::write(&file, run.tsv(set)).map_err(EvalError::file(&file))?;
        }
    }
    if let Some(file) = &options.dump {
        let lines: String =
            all().flat_map(|(set, run)| run.dump(set)).map(|line| format!("{line}\n")).collect();
        std::fs::write(file, lines).map_err(EvalError::file(file))?;
    }
    Ok(())
}
