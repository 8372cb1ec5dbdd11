//! `cm search`

use std::ffi::OsString;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::ops::retrieve::Stages;
use crate::ops::{Call, Memory, Result, search};
use crate::render::text;

/// Find notes by their words and fields
///
/// The best come first.
#[derive(Debug, Args)]
#[command(after_help = "\
The query language:
  connection pool            notes with these words, the more of them the better
  \"connection pool\"          the phrase
  pool -sqlite               without a word; NOT works too
  pool AND (rust OR go)      both; either
  conn*   retyr~1            words that begin so; words one slip away
  type:fix  tag:rust  path:graph/fixes  title:pool  is:pinned  category:gotcha  priority:critical
  created:>2026-01-01  updated:30d  created:2026-01-01..2026-02-01

Examples:
  cm search connection pool type:fix
  cm search 'E0502 OR \"borrow checker\"' --limit 5 --json
  cm search retry --as-of 2026-11-01     # the newest commit of that day
  cm search retry --as-of HEAD~20")]
pub struct Arguments {
    /// The query; several words need no quotes
    #[arg(required = true)]
    query: Vec<String>,
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

/// The arguments of `cm search` with the query's own words behind `--`, so that `-sqlite` and `--no-verify` are
/// words of the query wherever they stand; only flags that exist, exactly as they are written, are flags.
pub fn set_apart(arguments: Vec<OsString>, cli: &clap::Command) -> Vec<OsString> {
    let Some(search) = cli.find_subcommand("search") else { return arguments };
    let flags: Vec<&clap::Arg> =
        cli.get_arguments().chain(search.get_arguments()).filter(|flag| !flag.is_positional()).collect();
    let named = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        flags.iter().copied().find(|flag| {
            flag.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long))
                || flag
                    .get_short()
                    .is_some_and(|short| name.strip_prefix('-') == Some(short.to_string().as_str()))
        })
    };
    let takes_next =
        |word: &str| !word.contains('=') && named(word).is_some_and(|flag| flag.get_action().takes_values());
    // The command is the first word that is neither a flag nor a flag's value.
    let mut at = 1;
    while let Some(word) =
        arguments.get(at).map(|word| word.to_string_lossy()).filter(|word| word.starts_with('-'))
    {
        at += 1 + usize::from(takes_next(&word));
    }
    if arguments.get(at).is_none_or(|word| word != "search") {
        return arguments;
    }
    let (mut kept, mut words) = (arguments[..=at].to_vec(), Vec::new());
    let mut rest = arguments[at + 1..].iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            words.extend(rest.by_ref().cloned());
        } else if text == "--help" || text == "-h" || text == "--version" {
            kept.push(word.clone());
        } else if text.starts_with('-') && named(&text).is_some() {
            kept.push(word.clone());
            if takes_next(&text) {
                kept.extend(rest.next().cloned());
            }
        } else {
            words.push(word.clone());
        }
    }
    if !words.is_empty() {
        kept.push("--".into());
        kept.extend(words);
    }
    kept
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    let options = search::Options {
        query: arguments.query.join(" "),
        limit: arguments.limit,
        offset: arguments.offset,
        stages: Stages {
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
    for word in arguments.query.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
        memory.notice(format!("`{word}` is no flag of search, and was searched for"));
    }
    let outcome = search::search(&memory, &options)?;
    if !output.json {
        outcome.notices.iter().for_each(|notice| memory.notice(notice));
    }
    output.print(&memory, &outcome, text::search::searched)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn flags_stay_flags_and_everything_else_is_the_query() {
        let apart = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let apart = set_apart(words, &crate::cli::Cli::command());
            apart.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            apart("cm search pool -sqlite --limit 5 --json"),
            "cm search --limit 5 --json -- pool -sqlite"
        );
        assert_eq!(apart("cm search --no-verify -n 3"), "cm search -n 3 -- --no-verify");
        assert_eq!(apart("cm search --limit=2 -- --json"), "cm search --limit=2 -- --json");
        assert_eq!(apart("cm get search --raw"), "cm get search --raw");
        assert_eq!(apart("cm --vault search get a -q"), "cm --vault search get a -q");
        assert_eq!(apart("cm --vault v --json search -a"), "cm --vault v --json search -- -a");
    }
}
