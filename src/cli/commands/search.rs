//! `cm search`

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed, on_terminal};
use cm_app::context::retrieve::RankingStages;
use cm_app::verbs::search;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Search notes by words, fields and meaning
///
/// Best results first.
#[derive(Debug, Args)]
#[command(after_help = "\
The query language:
  connection pool            any of these words; more matches rank higher
  \"connection pool\"          an exact phrase
  'pool -sqlite'             exclude a word; NOT works too
  pool AND (rust OR go)      both; either
  conn*   retyr~1            prefix; one typo allowed
  type:fix  tag:rust  path:graph/fixes  title:pool  is:pinned  category:gotcha  priority:critical
  created:>2026-01-01  updated:30d  created:2026-01-01..2026-02-01  [status:open]
  -- --no-verify             after `--`, a leading dash is part of the query

Examples:
  cm search connection pool type:fix
  cm search connection pool --type fix --tag rust
  cm search 'E0502 OR \"borrow checker\"' --limit 5 --json
  cm search what broke in March --since 1y
  cm search which doctors have I seen --group session --spread
  cm search retry --as-of 2026-11-01     # the newest commit of that day
  cm search retry --as-of HEAD~20")]
pub struct Arguments {
    /// Search query; quotes around several words are optional
    #[arg(required_unless_present_any = ["types", "tags", "since", "until"])]
    query: Vec<String>,
    /// Only notes of this type, like `type:`; separate several by commas
    #[arg(long = "type", value_name = "TYPE")]
    types: Option<String>,
    /// Only notes with this tag, like `tag:`; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only notes created since then: a date or an age such as 2w
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only notes created until then, that day included
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only the best result of each session that notes are from
    #[arg(long, value_enum, value_name = "BY")]
    group: Option<Group>,
    /// Results of several sessions in order of time, for questions that count or order
    #[arg(long, requires = "group")]
    spread: bool,
    /// Maximum number of results [default: search.limit, 10]
    #[arg(long, short = 'n', value_name = "N", value_parser = super::at_least_one)]
    limit: Option<usize>,
    /// Skip the first N results (`next` in the previous output)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
    /// Show how the score of each result is computed
    #[arg(long)]
    explain: bool,
    /// Do not use word matches
    #[arg(long, help_heading = "Stages of ranking")]
    no_words: bool,
    /// Do not use semantic similarity
    #[arg(long, help_heading = "Stages of ranking")]
    no_vectors: bool,
    /// Do not use the turns around a note in a conversation, nor who speaks
    #[arg(long, help_heading = "Stages of ranking")]
    no_conversation: bool,
    /// Do not use the time that the question names
    #[arg(long, help_heading = "Stages of ranking")]
    no_time: bool,
    /// Do not use links between notes
    #[arg(long, help_heading = "Stages of ranking")]
    no_graph: bool,
    /// Do not use the date of the last change
    #[arg(long, help_heading = "Stages of ranking")]
    no_recency: bool,
    /// Do not use feedback and importance
    #[arg(long, help_heading = "Stages of ranking")]
    no_usefulness: bool,
    /// Search the vault as it was at a commit, a date or an age; a date means the end of that day (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Group {
    Session,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = search::Options {
        query: arguments.query.join(" "),
        types: arguments.types,
        tags: arguments.tags,
        limit: arguments.limit,
        offset: arguments.offset,
        stages: RankingStages {
            words: !arguments.no_words,
            coarse: !arguments.no_vectors,
            fine: !arguments.no_vectors,
            conversation: !arguments.no_conversation,
            time: !arguments.no_time,
            graph: !arguments.no_graph,
            recency: !arguments.no_recency,
            usefulness: !arguments.no_usefulness,
        },
        explain: arguments.explain,
        as_of: arguments.as_of,
        since: arguments.since,
        until: arguments.until,
        group: arguments.group.map(|Group::Session| match arguments.spread {
            true => search::SessionGrouping::Spread,
            false => search::SessionGrouping::Best,
        }),
        ..search::Options::default()
    };
    let outcome = search::search(&context, &options)?;
    if !output.json {
        outcome.notices.iter().for_each(|notice| context.notice(notice));
        if outcome.hits.is_empty() {
            context.notice(text::style::empty_page(outcome.total, "hit", "nothing found").trim_end());
            output.notices(&context);
            return Ok(Printed::default());
        }
        if let Some(waiting) = context.embedding_backlog().filter(|_| on_terminal()) {
            context.notice(text::search::backlog(waiting));
        }
    }
    output.print(&context, &outcome, text::search::searched)
}
