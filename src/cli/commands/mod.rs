//! The commands, one file each. The doc comment of `Arguments` is the help text; `run` calls the operation.

macro_rules! commands {
    ($($module:ident :: $name:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// A command and its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($name($module::Arguments),)*
        }

        impl Command {
            /// Runs the command.
            ///
            /// # Errors
            /// The operation fails or refuses.
            pub fn run(self, call: Request, output: &Output) -> Result<Printed> {
                match self {
                    $(Self::$name(arguments) => $module::run(arguments, call, output),)*
                }
            }
        }
    };
}

use super::answer::{Output, Printed};
use cm_app::{Request, Result};

commands! {
    init::Init,
    add::Add,
    new::New,
    get::Get,
    edit::Edit,
    update::Update,
    delete::Delete,
    pin::Pin,
    unpin::Unpin,
    relate::Relate,
    unrelate::Unrelate,
    related::Related,
    tags::Tags,
    recent::Recent,
    search::Search,
    similar::Similar,
    context::Context,
    graph::Graph,
    sessions::Sessions,
    outcome::Outcome,
    diary::Diary,
    reflect::Reflect,
    playbook::Playbook,
    mark::Mark,
    curate::Curate,
    forget::Forget,
    unforget::Unforget,
    top::Top,
    stale::Stale,
    why::Why,
    review::Review,
    validate_rule::ValidateRule,
    audit::Audit,
    starters::Starters,
    guard::Guard,
    hooks::Hooks,
    hook::Hook,
    friction::Friction,
    trauma::Trauma,
    onboard::Onboard,
    privacy::Privacy,
    stash::Stash,
    remember::Remember,
    project::Project,
    reindex::Reindex,
    embed::Embed,
    core::Core,
    reflection::Reflection,
    decay::Decay,
    stats::Stats,
    usage::Usage,
    episode::Episode,
    validate::Validate,
    doctor::Doctor,
    import::Import,
    adopt::Adopt,
    export::Export,
    commit::Commit,
    log::Log,
    history::History,
    diff::Diff,
    undo::Undo,
    restore::Restore,
    mcp::Mcp,
    config::Config,
    token::Token,
    trust::Trust,
    serve::Serve,
    completions::Completions,
    manpages::Manpages,
    quickstart::Quickstart,
}

/// Returns the text of an option, or standard input if the text is `-`.
///
/// # Errors
/// Standard input is not UTF-8.
pub fn text_or_stdin(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| cm_app::Error::usage(format!("cannot read standard input as text: {error}")))
}
