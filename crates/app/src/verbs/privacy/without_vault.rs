//! Privacy settings of a machine without a vault, whose hooks call a team server.

use super::{PrivacyStatus, Redaction, waiting};
use crate::context::paths::resolve_with_home;
use crate::context::request::Request;
use crate::context::secrets;
use crate::error::Result;
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::session_upload::is_permitted_agent;
use cm_session::Agent;
use cm_store::config::keys;

/// Reports which sessions may be sent to the server, and what waits for it; `None` if the hooks of this
/// folder call none. No model gets a text, and no session is searched, without a vault.
///
/// # Errors
/// The user's own settings are not valid, and private files that cannot be read.
pub fn without_vault(request: &Request) -> Result<Option<PrivacyStatus>> {
    let Some(connection) = ServerConnection::of_request(request)? else { return Ok(None) };
    let settings = connection.settings(request)?;
    let (agents, denied): (Vec<Agent>, Vec<Agent>) =
        Agent::ALL.into_iter().partition(|agent| is_permitted_agent(&settings, *agent));
    let names = |agents: Vec<Agent>| agents.iter().map(|agent| agent.name().to_owned()).collect();
    let own = settings.texts(keys::SESSIONS_WORKSPACES);
    let own =
        own.iter().map(|typed| resolve_with_home(request.home.as_deref(), &request.cwd, typed)).collect();
    let of_project = connection.folder.iter().map(|folder| folder.display().to_string()).collect();
    let lists: [Vec<String>; 2] = [of_project, own];
    let rules = secrets::rules_for_server(&settings, request)?;
    Ok(Some(PrivacyStatus {
        agents: names(agents),
        denied: names(denied),
        workspaces: lists.into_iter().filter(|list| !list.is_empty()).collect(),
        cross_agent: false,
        redaction: Redaction { enabled: rules.built_in(), own: rules.custom_count() },
        provider: "none".to_owned(),
        server: Some(connection.url.to_string()),
        waiting: waiting(&connection)?,
        cass: false,
        latest: Vec::new(),
    }))
}
