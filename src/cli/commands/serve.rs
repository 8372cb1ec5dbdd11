//! `cm serve`

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::domain::instant::Instant;
use crate::domain::note;
use crate::http::{Clock, Ended, Figure, Limits, Opener, Server, Setup, listen, serve};
use crate::operations::TABLE;
use crate::ops::token::Ring;
use crate::ops::warm::Warm;
use crate::ops::{By, Call, Kind, Memory, Result, stats};
use crate::render::json;

/// Serve the vault over HTTP to agents that do not have it on their disk
///
/// It serves one vault, the one that commands write to, and no global one beside it. Requests carry a token of `cm token add`, and each
/// change is a commit in the name of the token's person. On this machine alone nobody needs a token, until there is the first one;
/// where other machines reach the address, it does not begin without. It speaks plain HTTP: let a proxy or a tunnel add TLS.
///
/// /openapi.json is the contract, /health tells that it lives, /metrics has its figures for Prometheus. A line of JSON a request goes to
/// stderr, without what was asked. Ctrl-C and SIGTERM end what runs first.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm serve\n  cm serve --listen 0.0.0.0:7700 --host-name memory.example.org\n  curl 127.0.0.1:7700/search?q=pool   # while cm serve runs"
)]
pub struct Arguments {
    /// The address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    listen: String,
    /// A name that the server is called by, beside localhost and its address; may be given several times
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
}

/// A call's instant that is further than that from the clock, in seconds, was given.
const A_MINUTE: u64 = 60;

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let address = listen::address(&arguments.listen)?;
    let memory = Memory::open(call)?;
    output.notices(&memory);
    let vault = memory.target().vault.clone();
    // One vault and no other: what lies in a person's own vault is not the team's.
    let call = Call { vault: Some(vault.root().to_owned()), ..memory.call };
    let ring = Ring::of(vault);
    let clock = clock(&call);
    let log = *output;
    let setup = Setup {
        table: TABLE,
        opener: opener(call, Arc::clone(&clock)),
        tokens: Arc::new(move || ring.current()),
        mounted: Vec::new(),
        at_end: Vec::new(),
        jobs: Vec::new(),
        limits: Limits::default(),
        hosts: arguments.host_name,
        log: Arc::new(move |entry| log.log(&entry)),
        clock,
        figures: Some(Arc::new(|memory| Ok(vec![notes(stats::kinds(memory)?)]))),
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut said = Ok(Printed::default());
    let Ended { signal, .. } = serve(address, setup, |server| said = tell(server, output))?;
    Ok(said?.of_kind(signal.map(|signal| if signal == 2 { Kind::Interrupted } else { Kind::Terminated })))
}

/// Tells where it listens, and who may ask.
fn tell(server: &Server, output: &Output) -> Result<Printed> {
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

/// The clock; an instant that was given instead of it stands still.
fn clock(call: &Call) -> Clock {
    let now = || Instant::from(chrono::Utc::now()).whole();
    let given = Some(call.now).filter(|given| given.unix().abs_diff(now().unix()) > A_MINUTE);
    Arc::new(move || given.unwrap_or_else(now))
}

/// Opens the vault for each request, with what is kept between them.
fn opener(call: Call, clock: Clock) -> Opener {
    let warm: Arc<Warm> = Arc::default();
    let count = AtomicU64::new(0);
    Arc::new(move |by: By| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        // Two requests of a second must not draw the same ids.
        let seed = call.seed.as_ref().map(|seed| format!("{seed} {number}"));
        let by = By { actor: by.actor.or_else(|| call.by.actor.clone()), ..by };
        warm.open(Call { by, seed, now: clock(), ..call.clone() })
    })
}

/// How many notes there are, as a figure.
fn notes(kinds: BTreeMap<note::Kind, usize>) -> Figure {
    let row = |(kind, count): (note::Kind, usize)| (Some(("kind", kind.name().to_owned())), count as f64);
    Figure {
        name: "cm_notes",
        help: "Notes of the vault by kind.",
        counts: false,
        rows: kinds.into_iter().map(row).collect(),
    }
}
