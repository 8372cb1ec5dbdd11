//! `cm search`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::retrieve::RankingStages;
use cm_app::{Request, Context, Result, search};
use cm_render::text;

/// Find notes by their words and fields
///
/// The best come first.
#[derive(Debug, Args)]
#[command(after_help = "\
The query language:
  connection pool            notes with these words, the more of them the better
  \"connection pool\"          the phrase
  'pool -sqlite'             without a word; NOT works too
  pool AND (rust OR go)      both; either
  conn*   retyr~1            words that begin so; words one slip away
  type:fix  tag:rust  path:graph/fixes  title:pool  is:pinned  category:gotcha  priority:critical
  created:>2026-01-01  updated:30d  created:2026-01-01..2026-02-01
  -- --no-verify             behind `--`, words that begin with a dash are words of the query

Examples:
  cm search connection pool type:fix
  cm search connection pool --type fix --tag rust
  cm search 'E0502 OR \"borrow checker\"' --limit 5 --json
  cm search retry --as-of 2026-11-01     # the newest commit of that day
  cm search retry --as-of HEAD~20")]
pub struct Arguments {
    /// The query; several words need no quotes
    #[arg(required_unless_present_any = ["types", "tags"])]
    query: Vec<String>,
    /// Only notes of this type, as `type:` does; several with commas between them
    #[arg(long = "type", value_name = "TYPE")]
    types: Option<String>,
    /// Only notes with this tag, as `tag:` does; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Hits at most [default: the setting search.limit, 10]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Leave out so many hits at the front: `next` of an earlier answer
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: usize,
    /// Tell what the score of each hit is made of
    #[arg(long)]
    explain: bool,
    /// Leave out what the words say
    #[arg(long, help_heading = "Stages of ranking")]
    no_words: bool,
    /// Leave out what models say that it means
    #[arg(long, help_heading = "Stages of ranking")]
    no_vectors: bool,
    /// Leave out what related hits add
    #[arg(long, help_heading = "Stages of ranking")]
    no_graph: bool,
    /// Leave out when a note was last changed
    #[arg(long, help_heading = "Stages of ranking")]
    no_recency: bool,
    /// Leave out feedback and importance
    #[arg(long, help_heading = "Stages of ranking")]
    no_usefulness: bool,
    /// Answer from the vault as it was: at a commit, or at a date or an age, of which a day counts to its end (UTC)
    #[arg(long, value_name = "WHEN")]
    as_of: Option<String>,
}

/// The query with the options that stand for fields of it.
fn query(arguments: &Arguments) -> String {
    let words = arguments.query.join(" ");
    let types = arguments.types.iter().map(|value| field("type", value));
    let mut parts: Vec<String> = types.chain(arguments.tags.iter().map(|tag| field("tag", tag))).collect();
    if parts.is_empty() {
        return words;
    }
    if !words.is_empty() {
        // An OR between the words ends before the fields.
        parts.push(format!("({words})"));
    }
    parts.join(" ")
}

fn field(name: &str, value: &str) -> String {
    if value.contains(char::is_whitespace) {
        format!("{name}:\"{value}\"")
    } else {
        format!("{name}:{value}")
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = search::Options {
        query: query(&arguments),
        limit: arguments.limit,
        offset: arguments.offset,
        stages: RankingStages {
            words: !arguments.no_words,
            coarse: !arguments.no_vectors,
            fine: !arguments.no_vectors,
            graph: !arguments.no_graph,
            recency: !arguments.no_recency,
            usefulness: !arguments.no_usefulness,
        },
        explain: arguments.explain,
        as_of: arguments.as_of,
    };
    let outcome = search::search(&memory, &options)?;
    if !output.json {
        outcome.notices.iter().for_each(|notice| memory.notice(notice));
    }
    output.print(&memory, &outcome, text::search::searched)
}
