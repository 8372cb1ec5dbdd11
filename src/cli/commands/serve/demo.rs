//! The page of the example vault, read-only.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use super::{follow_for_page, page_alone, print_address};
use crate::cli::answer::{Output, Printed};
use crate::cli::commands::quickstart;
use crate::cli::request_factory::RequestFactory;
use cm_app::verbs::{commit, init};
use cm_app::{CallerIdentity, ErrorKind, PrivateHome, Request, Result};
use cm_server::http::{ShutdownResult, serve};
use cm_server::serving::StopSignal;
use cm_server::web::{ChangeFeed, Visitor, WebSetup};

/// Serves a temporary copy of the example vault until a signal.
///
/// # Errors
/// The copy cannot be made, or the address cannot be used.
pub(super) fn run(
    address: SocketAddr,
    hosts: Vec<String>,
    request: Request,
    output: &Output,
) -> Result<Printed> {
    let folder = tempfile::Builder::new().prefix("cm-demo-").tempdir();
    let folder = folder.map_err(|error| quickstart::failed(&std::env::temp_dir(), &error))?;
    let request = example(folder.path(), request)?;
    let caller = request.caller.clone();
    let requests = Arc::new(RequestFactory::like(request).for_people());
    let changes = ChangeFeed::default();
    follow_for_page(&requests, changes.clone())?;
    let web = WebSetup { visitor: Visitor::Everyone { caller }, changes, is_demo: true };
    let setup = page_alone(requests, web, hosts, *output);
    let mut printed = Ok(Printed::default());
    let ShutdownResult { signal, .. } =
        serve(address, setup, |server| printed = print_address(server, false, output))?;
    Ok(printed?.of_kind((signal == Some(StopSignal::Terminate)).then_some(ErrorKind::Terminated)))
}

/// Makes a vault of the example in `folder`, with private files of its own: nothing of the user's is
/// read or written.
fn example(folder: &Path, request: Request) -> Result<Request> {
    let vault = folder.join("example-vault");
    quickstart::copy_example(&vault)?;
    let private = PrivateHome { state: folder.join("state"), config: folder.join("config") };
    let request = Request {
        cwd: vault.clone(),
        vault: Some(vault.clone()),
        home: None,
        global: None,
        private: Some(private),
        caller: CallerIdentity::default(),
        ..request
    };
    let options = init::Options { folder: Some(vault), global: false };
    let (context, _) = init::init(request.clone(), &options)?;
    commit::commit(&context, Some("The example vault"))?;
    Ok(request)
}
