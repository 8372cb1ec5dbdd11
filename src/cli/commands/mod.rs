//! The commands, one file each: its doc comment is the help, its struct the interface, `run` a straight line.

macro_rules! commands {
    ($($(#[$about:meta])* $module:ident :: $name:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// A command and its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($(#[$about])* $name($module::Arguments),)*
        }

        impl Command {
            /// Runs it.
            ///
            /// # Errors
            /// Whatever the operation refuses.
            pub fn run(self, call: Call, output: &Output) -> Result<Printed> {
                match self {
                    $(Self::$name(arguments) => $module::run(arguments, call, output),)*
                }
            }
        }
    };
}

use super::answer::{Output, Printed};
use crate::ops::{Call, Result};

commands! {
    /// Make a folder a vault
    init::Init,
    /// Write a new memory
    add::Add,
    /// Write a new memory from its type's template, and open it in the editor
    new::New,
    /// Show a note with what points at it
    get::Get,
    /// Open a note in the editor, check what was saved, and commit it
    edit::Edit,
    /// Change keys, tags or the body of a note
    update::Update,
    /// Remove notes; git keeps what was there
    delete::Delete,
    /// Keep a memory from fading
    pin::Pin,
    /// Let a pinned memory fade again
    unpin::Unpin,
    /// Relate two notes by a typed edge
    relate::Relate,
    /// Take edges between two notes away
    unrelate::Unrelate,
    /// List the notes around a note
    related::Related,
    /// List the tags
    tags::Tags,
    /// List the notes that changed last
    recent::Recent,
    /// Find notes by their words and fields
    search::Search,
    /// Draw the graph of notes
    graph::Graph,
    /// Bring the index up to the folder
    reindex::Reindex,
    /// Show how memories fade
    decay::Decay,
    /// Write CORE.md, what an agent loads into its prompt
    core::Core,
    /// Write REFLECTION.md, what there is to see in the whole
    reflection::Reflection,
    /// Count what is in the vault
    stats::Stats,
    /// Add an entry to the day's log
    episode::Episode,
    /// Check every note, and every link between them
    validate::Validate,
    /// Check the vault around the notes: repository, index, journal
    doctor::Doctor,
    /// Bring in notes of other tools
    import::Import,
    /// Give notes without an id one
    adopt::Adopt,
    /// Write the vault out for other tools
    export::Export,
    /// Commit what was edited by hand
    commit::Commit,
    /// List the curations
    log::Log,
    /// Follow one note through its commits
    history::History,
    /// Say in words what changed between two commits
    diff::Diff,
    /// Take a curation back by a new commit
    undo::Undo,
    /// Bring a note back as it was at a commit
    restore::Restore,
    /// Read and write settings
    config::Config,
    /// Print a completion script for a shell
    completions::Completions,
    /// Write the manual pages
    manpages::Manpages,
    /// See it all at work on a copy of the example vault
    quickstart::Quickstart,
}

/// Text that a flag gives: itself, or standard input where it is `-`.
///
/// # Errors
/// Where standard input is no text.
pub fn text_or_stdin(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| crate::ops::Error::usage(format!("standard input cannot be read as text: {error}")))
}
