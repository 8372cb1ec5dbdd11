//! `cm serve`

mod agents;
mod jobs;

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::calls::Calls;
use cm_note::note;
use cm_server::http::{ShutdownResult, LogEntry, Metric, HttpLimits, VaultOpener, HttpServer, HttpSetup, listen, serve};
use cm_server::operations::TABLE;
use cm_app::server_audit::{AuditLog, AuditSink};
use cm_app::token::LiveTokens;
use cm_app::{CallerIdentity, Request, ErrorKind, Context, Result, ProgressWatch, stats};
use cm_render::json;

/// Serve the vault over HTTP to agents that do not have it on their disk
///
/// It serves one vault, the one that commands write to, and no global one beside it: endpoints for programs, and for agents the
/// Model Context Protocol under /mcp. Requests carry a token of `cm token add`, and each change is a commit in the name of the token's
/// person. On this machine alone nobody needs a token, until there is the first one; where other machines reach the address, it does
/// not begin without. It speaks plain HTTP: let a proxy or a tunnel add TLS.
///
/// /openapi.json is the contract, /health tells that it lives, /metrics has its figures for Prometheus. A line of JSON a request goes to
/// stderr, without what was asked; the private file audit.jsonl says who asked for which operation, and its outcome. Ctrl-C and SIGTERM end what runs first.
///
/// With --jobs it learns from sessions each day at 03:00 UTC as `cm reflect` does, and on Sundays at 04:30 scores how memories fade as
/// `cm decay` does and, where there is a CORE.md, writes it anew. What was missed while no server ran is done once it runs.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm serve\n  cm serve --listen 0.0.0.0:7700 --host-name memory.example.org --jobs\n  curl 127.0.0.1:7700/search?q=pool   # while cm serve runs"
)]
pub struct Arguments {
    /// The address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    listen: String,
    /// A name that the server is called by, beside localhost and its address; may be given several times
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Learn from sessions each day, and see each week what faded
    #[arg(long)]
    jobs: bool,
    /// Serve the endpoints alone, without /mcp
    #[arg(long)]
    no_mcp: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let address = listen::address(&arguments.listen)?;
    let memory = Context::open(Request { for_prompts: true, ..call })?;
    output.notices(&memory);
    let vault = memory.target().vault.clone();
    // One vault and no other: what lies in a person's own vault is not the team's.
    let calls = Arc::new(Calls::like(Request { vault: Some(vault.root().to_owned()), ..memory.call.clone() }));
    let audit = audit(AuditLog::of(&memory)?, Arc::clone(&calls), *output);
    let jobs = if arguments.jobs { jobs::all(&calls)? } else { Vec::new() };
    let mounted =
        if arguments.no_mcp { Vec::new() } else { vec![agents::mount(&calls, Arc::clone(&audit))?] };
    let (ring, clock, log) = (LiveTokens::of(vault), Arc::clone(&calls), *output);
    let setup = HttpSetup {
        table: TABLE,
        opener: opener(calls),
        tokens: Arc::new(move || ring.load()),
        mounted,
        jobs,
        limits: HttpLimits::default(),
        hosts: arguments.host_name,
        log: Arc::new(move |entry| log.log(&entry)),
        audit: Some(audit),
        clock: Arc::new(move || clock.now()),
        figures: Some(Arc::new(|memory| Ok(vec![notes(stats::kinds(memory)?)]))),
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut said = Ok(Printed::default());
    let ShutdownResult { signal, .. } = serve(address, setup, |server| said = tell(server, output))?;
    Ok(said?.of_kind(signal.map(|signal| if signal == 2 { ErrorKind::Interrupted } else { ErrorKind::Terminated })))
}

/// Tells where it listens, and who may ask.
fn tell(server: &HttpServer, output: &Output) -> Result<Printed> {
    let address = format!("http://{}", server.address());
    if output.json {
        return output
            .plain(&json::document(&serde_json::json!({ "address": address, "open": server.is_open() })));
    }
    let who = if server.is_open() {
        "whoever is on this machine may ask; `cm token add NAME` makes the first token"
    } else {
        "who has a token may ask"
    };
    output.plain(&format!("listening on {address}\n{who}"))
}

/// Opens the vault for each request of an endpoint.
fn opener(calls: Arc<Calls>) -> VaultOpener {
    Arc::new(move |by: CallerIdentity| open(&calls, by, ProgressWatch::default()))
}

/// Opens the vault for who asks: the token's person, and without one whoever runs the server.
fn open(calls: &Calls, by: CallerIdentity, watch: ProgressWatch) -> Result<Context> {
    let actor = by.actor.clone().or_else(|| calls.first.by.actor.clone());
    let by = CallerIdentity { actor, ..by };
    let conceal = |error| Request { by: by.clone(), ..calls.first.clone() }.conceal(error);
    calls.open(by.clone(), watch).map_err(conceal)
}

/// Writes the audit log; a line that cannot be written is an entry of the server's log.
fn audit(log: AuditLog, calls: Arc<Calls>, output: Output) -> AuditSink {
    Arc::new(move |attempt, outcome| {
        let at = calls.now();
        if let Err(error) = log.append(at, attempt, outcome) {
            output.log(&LogEntry::Notice { at, name: "audit", message: error.to_string() });
        }
    })
}

/// How many notes there are, as a figure.
fn notes(kinds: BTreeMap<note::NoteKind, usize>) -> Metric {
    let row = |(kind, count): (note::NoteKind, usize)| (Some(("kind", kind.name().to_owned())), count as f64);
    Metric {
        name: "cm_notes",
        help: "Notes of the vault by kind.",
        counts: false,
        rows: kinds.into_iter().map(row).collect(),
    }
}
