//! `cm web`

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;

use super::open;
use super::serve::{follow_for_page, page_alone};
use crate::cli::answer::{Output, Printed};
use crate::cli::request_factory::RequestFactory;
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_note::token::AccessRole;
use cm_render::json;
use cm_server::http::{HttpServer, ShutdownResult, serve};
use cm_server::serving::StopSignal;
use cm_server::web::{ChangeFeed, Visitor, WebSetup, random_secret};

/// Look at the memory in the browser
///
/// Starts a server that only this machine can reach, and opens the page with a link that works once. It shows what the
/// memory holds and why, what agents were given, what waits for a decision, and every change with a button to take it
/// back. The page ends with this command.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm web\n  cm web --no-open          # print the link\n  cm web --port 7711"
)]
pub struct Arguments {
    /// Print the link instead of opening a browser
    #[arg(long)]
    no_open: bool,
    /// Port; 0 selects a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    output.notices(&context);
    // An agent's browser reads; a person decides.
    let caller = context.request.caller.clone();
    let role = if caller.is_person() { AccessRole::Admin } else { AccessRole::Reader };
    let requests = Arc::new(RequestFactory::like(context.request.clone()).for_people());
    let changes = ChangeFeed::default();
    follow_for_page(&requests, changes.clone())?;
    let no_randomness =
        |error| Error::new(ErrorKind::Failed, "randomness", format!("no random numbers: {error}"));
    let (secret, host) = (random_secret().map_err(no_randomness)?, random_secret().map_err(no_randomness)?);
    // Cookies are shared by all ports of a host, so that each page has a host of its own.
    let host = format!("cm-{}.localhost", &host[..12]);
    let visitor = Visitor::LoginLink { secret: secret.clone(), caller, role };
    let web = WebSetup { visitor, changes, is_demo: false };
    let setup = page_alone(requests, web, vec![host.clone()], *output);
    let mut printed = Ok(Printed::default());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let ShutdownResult { signal, .. } = serve(address, setup, |server| {
        printed = show_link(server, &host, &secret, !arguments.no_open, output);
    })?;
    // Ctrl-C is how this command ends.
    Ok(printed?.of_kind((signal == Some(StopSignal::Terminate)).then_some(ErrorKind::Terminated)))
}

fn show_link(server: &HttpServer, host: &str, secret: &str, opens: bool, output: &Output) -> Result<Printed> {
    let address = format!("http://{host}:{}", server.address().port());
    let link = format!("{address}/login?once={secret}");
    if output.json {
        return output.plain(&json::document(&serde_json::json!({ "address": address, "link": link })));
    }
    if opens && open::start(&link).is_ok() {
        return output.plain(&format!("the memory is at {address} until Ctrl-C"));
    }
    output.plain(&format!("open this link; it works once, until Ctrl-C\n{link}"))
}
