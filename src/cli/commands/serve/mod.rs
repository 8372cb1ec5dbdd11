//! `cm serve`

mod agents;
mod demo;
mod jobs;
mod tls;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::request_factory::RequestFactory;
use cm_app::server_audit::{AuditLog, AuditSink};
use cm_app::verbs::stats;
use cm_app::verbs::token::LiveTokens;
use cm_app::{CallerIdentity, Context, ErrorKind, ProgressWatch, Request, Result, subscriptions};
use cm_note::note;
use cm_render::json;
use cm_server::http::{
    HttpLimits, HttpServer, HttpSetup, LogEntry, Metric, MetricKind, ServerTls, ShutdownResult, VaultOpener,
    listen, serve,
};
use cm_server::operations::TABLE;
use cm_server::serving::StopSignal;
use cm_server::web::{ChangeFeed, Visitor, WebSetup};

/// Serve a vault over HTTP
///
/// Serves one vault, the one that commands write to, without the global vault. Programs use the HTTP API; agents use the Model
/// Context Protocol at /mcp; people open the address in a browser and log in with a token. Requests need a token from `cm token add`, and each change is committed in the name of the
/// token's owner. On a loopback address no token is needed until the first one exists. Without tokens the server refuses to
/// listen on any other address.
///
/// Connections are plain HTTP, for use on this machine or behind a TLS proxy or tunnel. With --tls-cert and --tls-key, or with
/// --tls-self-signed, they are encrypted. --tls-self-signed creates a certificate in your private files at the first start
/// and prints its SHA-256 fingerprint, which clients can compare.
///
/// /openapi.json describes the API, /health is the liveness check, /metrics serves Prometheus metrics. Each request is logged
/// to stderr as a line of JSON, without its content. The private file audit.jsonl records who called which operation, and
/// the result. Ctrl-C and SIGTERM wait for running requests.
///
/// With --jobs the server runs `cm reflect` daily at 03:00 UTC, and at 03:30 UTC it condenses observations that say the same
/// (`curation.condense`). On Sundays at 04:30 UTC it recomputes decay scores like
/// `cm decay` and rewrites CORE.md if it exists. Jobs that were missed while the server was down run at startup.
///
/// With --sync several servers, each with its own clone, share one memory through a Git remote: each runs `cm sync` at the interval.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm serve\n  cm serve --listen 0.0.0.0:7700 --host-name memory.example.org --jobs\n  cm serve --sync 60s\n  curl 127.0.0.1:7700/search?q=pool   # while cm serve runs"
)]
pub struct Arguments {
    /// Address and port; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    listen: String,
    /// Additional accepted host name, besides localhost and the address; may be repeated
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Certificate for HTTPS, a PEM file; certificates that signed it may follow in the file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Use HTTPS with a certificate that cm creates, and print its fingerprint
    #[arg(long, conflicts_with_all = ["tls_cert", "demo"])]
    tls_self_signed: bool,
    /// Run scheduled jobs: learn from sessions and condense observations daily, recompute decay weekly
    #[arg(long)]
    jobs: bool,
    /// Synchronize with the Git remote at this interval, such as 60s or 5m
    #[arg(long, value_name = "INTERVAL", value_parser = interval)]
    sync: Option<u32>,
    /// Do not serve /mcp
    #[arg(long)]
    no_mcp: bool,
    /// Do not serve the page for people
    #[arg(long)]
    no_web: bool,
    /// Serve the page of the example vault, read-only and without login, and nothing else
    #[arg(long, conflicts_with_all = ["jobs", "sync", "no_mcp", "no_web"])]
    demo: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let address = listen::address(&arguments.listen)?;
    if arguments.demo {
        return demo::run(address, arguments.host_name, request, output);
    }
    let context = Context::open(Request { for_prompts: true, ..request })?;
    let vault = context.target().vault.clone();
    let tls = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificate), Some(key)) => Some(tls::from_files(certificate, key)?),
        _ if arguments.tls_self_signed => Some(tls::self_signed(&context, address, &arguments.host_name)?),
        _ => None,
    };
    output.notices(&context);
    // Only the team's vault. The global vault is private to the person.
    let requests = Arc::new(RequestFactory::like(Request {
        vault: Some(vault.root().to_owned()),
        ..context.request.clone()
    }));
    let audit = audit(AuditLog::of(&context)?, Arc::clone(&requests), *output);
    let mut jobs = if arguments.jobs { jobs::all(&requests)? } else { Vec::new() };
    if let Some(seconds) = arguments.sync {
        jobs.push(jobs::sync(&requests, seconds)?);
    }
    let mounted =
        if arguments.no_mcp { Vec::new() } else { vec![agents::mount(&requests, Arc::clone(&audit))?] };
    let (token_store, clock, log) = (LiveTokens::of(vault), Arc::clone(&requests), *output);
    let web = if arguments.no_web { None } else { Some(page(&requests)?) };
    let setup = HttpSetup {
        table: TABLE,
        opener: opener(requests),
        tokens: Arc::new(move || token_store.load()),
        mounted,
        web,
        jobs,
        limits: HttpLimits::default(),
        tls,
        hosts: arguments.host_name,
        log: Arc::new(move |entry| log.log(&entry)),
        audit: Some(audit),
        clock: Arc::new(move || clock.now()),
        vault_metrics: Some(Arc::new(|context| Ok(vec![notes(stats::kinds(context)?)]))),
        version: env!("CARGO_PKG_VERSION"),
    };
    let (mut printed, has_page) = (Ok(Printed::default()), !arguments.no_web);
    let ShutdownResult { signal, .. } =
        serve(address, setup, |server| printed = print_address(server, has_page, output))?;
    Ok(printed?.of_kind(signal.map(kind_of)))
}

/// Kind of the end that a signal causes; it sets the exit code.
pub(super) fn kind_of(signal: StopSignal) -> ErrorKind {
    match signal {
        StopSignal::Interrupt => ErrorKind::Interrupted,
        StopSignal::Terminate => ErrorKind::Terminated,
    }
}

/// Parses an interval such as `60`, `60s`, `5m` or `1h`, in seconds.
fn interval(text: &str) -> std::result::Result<u32, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err("use a number with s, m or h, such as 60s".to_owned()),
    };
    let seconds = number.parse().ok().and_then(|number: u32| number.checked_mul(factor));
    seconds.filter(|seconds| (1..=604_800).contains(seconds)).ok_or_else(|| "use 1s to 168h".to_owned())
}

/// The page of a server, for whoever has a token.
fn page(requests: &Arc<RequestFactory>) -> Result<WebSetup> {
    let changes = ChangeFeed::default();
    follow_for_page(requests, changes.clone())?;
    Ok(WebSetup { visitor: Visitor::TokenHolder, changes, is_demo: false })
}

/// A server of the page alone, without endpoints and tokens. It logs with `--verbose` only.
pub(super) fn page_alone(
    requests: Arc<RequestFactory>,
    web: WebSetup,
    hosts: Vec<String>,
    output: Output,
) -> HttpSetup {
    let clock = Arc::clone(&requests);
    HttpSetup {
        table: &[],
        opener: opener(requests),
        tokens: Arc::new(|| Ok(Arc::default())),
        mounted: Vec::new(),
        web: Some(web),
        jobs: Vec::new(),
        limits: HttpLimits::default(),
        tls: None,
        hosts,
        log: Arc::new(move |entry| output.log_if_verbose(&entry)),
        audit: None,
        clock: Arc::new(move || clock.now()),
        vault_metrics: None,
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// Reports changed files of the vaults to open pages.
///
/// # Errors
/// The vault cannot be opened.
pub(super) fn follow_for_page(requests: &RequestFactory, changes: ChangeFeed) -> Result<()> {
    subscriptions::follow(&requests.cache, &requests.first, (), move |touched| {
        changes.publish(touched.into_iter().map(|one| one.path).collect());
    })
}

/// Prints the address and whether requests need a token.
fn print_address(server: &HttpServer, has_page: bool, output: &Output) -> Result<Printed> {
    let fingerprint = server.tls().map(ServerTls::fingerprint);
    let scheme = if fingerprint.is_some() { "https" } else { "http" };
    let address = format!("{scheme}://{}", server.address());
    if output.json {
        let mut document = serde_json::json!({ "address": address, "open": server.is_open() });
        if let Some(fingerprint) = fingerprint {
            document["fingerprint"] = fingerprint.into();
        }
        return output.plain(&json::document(&document));
    }
    let who = match (server.is_open(), has_page) {
        (true, true) => {
            "every process on this machine has access; run `cm token add NAME` to require tokens\n\
             the page only reads and adds notes; to decide and edit there, run `cm web`, or log in with a token from \
             `cm token add NAME --kind person`"
        }
        (true, false) => {
            "every process on this machine has access; run `cm token add NAME` to require tokens"
        }
        (false, _) => "requests need a token",
    };
    let certificate = fingerprint.map(|hash| format!("\nSHA-256 of the certificate: {hash}"));
    output.plain(&format!("listening on {address}\n{who}{}", certificate.unwrap_or_default()))
}

/// Returns a function that opens the vault for each request.
fn opener(requests: Arc<RequestFactory>) -> VaultOpener {
    Arc::new(move |caller: CallerIdentity| open(&requests, caller, ProgressWatch::default()))
}

/// Opens the vault for the owner of the token, or without tokens for the user that runs the server.
fn open(requests: &RequestFactory, caller: CallerIdentity, watch: ProgressWatch) -> Result<Context> {
    let actor = caller.actor.clone().or_else(|| requests.first.caller.actor.clone());
    let caller = CallerIdentity { actor, ..caller };
    let conceal = |error| Request { caller: caller.clone(), ..requests.first.clone() }.conceal(error);
    requests.open(caller.clone(), watch).map_err(conceal)
}

/// Writes audit entries. If writing fails, the server log gets an entry.
fn audit(log: AuditLog, requests: Arc<RequestFactory>, output: Output) -> AuditSink {
    Arc::new(move |attempt, outcome| {
        let at = requests.now();
        if let Err(error) = log.append(at, attempt, outcome) {
            output.log(&LogEntry::Notice { at, name: "audit", message: error.to_string() });
        }
    })
}

/// The number of notes as a metric.
fn notes(kinds: BTreeMap<note::NoteKind, usize>) -> Metric {
    let row = |(kind, count): (note::NoteKind, usize)| (Some(("kind", kind.name().to_owned())), count as f64);
    Metric {
        name: "cm_notes",
        help: "Number of notes by kind.",
        kind: MetricKind::Gauge,
        rows: kinds.into_iter().map(row).collect(),
    }
}
