//! Measures search times in a long-lived process: `cargo run --release --example warm_search --
//! VAULT [ROUNDS]`.
//!
//! Each search runs like a server's request: the vault is opened with the caches, searched, and the
//! result formatted as JSON and text. The queries consist of words from the vault's titles and do
//! not repeat. Use a copy of a vault, because searching indexes it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a measurement is at the edge, and is meant to stop at a failure"
)]

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cm_app::context::process_cache::ProcessCache;
use cm_app::verbs::recent;
use cm_app::{CallerIdentity, Context, Request};
use cm_server::operations::tool;
use serde_json::json;

/// The allocator used by `cm`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let vault = arguments.next().expect("the vault's folder is the first argument");
    let rounds: usize = arguments.next().map_or(300, |rounds| rounds.parse().unwrap());
    let warm = Arc::new(ProcessCache::default());
    let begun = Instant::now();
    let queries = queries(&warm.open(request(&vault)).unwrap(), rounds);
    println!("the first call took {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    let opened = timed(&queries, |_| drop(warm.open(request(&vault)).unwrap()));
    let walked = Arc::new(ProcessCache::unwatched());
    for (name, cache) in [("warm", &warm), ("warm, but walking", &walked)] {
        let search = |query: &String| {
            let context = cache.open(request(&vault)).unwrap();
            (tool("memory_search").unwrap().run)(&context, json!({ "query": query })).unwrap();
        };
        search(&queries[0]);
        println!("{name}: {}", timed(&queries, search));
    }
    println!("opening alone: {opened}");
}

/// Returns median and 95th percentile of the time per query, in milliseconds.
fn timed(queries: &[String], work: impl Fn(&String)) -> String {
    let mut times: Vec<f64> = queries
        .iter()
        .map(|query| {
            let begun = Instant::now();
            work(query);
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    format!("median {:.2} ms, 95 % within {:.2} ms", times[times.len() / 2], times[times.len() * 95 / 100])
}

fn queries(context: &Context, rounds: usize) -> Vec<String> {
    let options = recent::Options { limit: rounds, ..recent::Options::default() };
    let notes = recent::recent(context, &options).unwrap().notes;
    notes.iter().map(|note| note.title.split_whitespace().take(4).collect::<Vec<_>>().join(" ")).collect()
}

fn request(vault: &str) -> Request {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    Request {
        cwd: Path::new(vault).to_owned(),
        vault: Some(Path::new(vault).to_owned()),
        home: None,
        global: None,
        variables: std::env::vars().filter(|(name, _)| name.starts_with("CM_")).collect(),
        environment: std::collections::BTreeMap::new(),
        now: chrono::Utc::now().into(),
        now_is_given: false,
        seed: None,
        no_refresh: false,
        for_prompts: false,
        private: None,
        caller: CallerIdentity::default(),
        clock: || u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX),
        threads: 1,
        verb: "warm_search".to_owned(),
        holder: "a measurement".to_owned(),
        watch: Default::default(),
    }
}
