//! Connects the hooks of a folder to a team server, and disconnects them.
//!
//! Address and token are stored in the user's private files, never in the settings of a project.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::HookScope;
use crate::context::actor;
use crate::context::request::Request;
use crate::error::{Error, Result};
use crate::verbs::server_client::api::ServerApi;
use crate::verbs::server_client::connection::{
    self, ServerConnection, StoredConnection, TOKEN_VARIABLE, parse_address, parse_certificate,
};
use crate::verbs::server_client::memory_copy;
use crate::verbs::server_client::outbox::Outbox;
use crate::verbs::server_client::reachability;
use cm_net::ApiKey;
use cm_note::path::NotePath;
use cm_store::vault::{PrivateHome, Vault, external_folder};

pub use crate::verbs::server_client::connection::TokenOrigin;

/// Timeout of the request that checks the token.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum length of a token in bytes.
const MAX_TOKEN_BYTES: usize = 4_096;

/// The server that the hooks shall call.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// Address, as typed.
    pub url: String,
    /// Token to store; without it the stored one stays, else `CM_TOKEN` counts.
    pub token: Option<String>,
    /// PEM text of the only certificate to trust.
    pub certificate: Option<String>,
    /// File in the project that shall be a copy of the server's MEMORY.md.
    pub memory_file: Option<String>,
    /// Whether the server is not asked, because nothing is written.
    pub dry_run: bool,
}

impl std::fmt::Debug for ServerOptions {
    // Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerOptions").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Change of the connection of a folder to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionAction {
    /// The hooks call the server from now on.
    Connect,
    /// The hooks no longer call the server.
    Disconnect,
    /// The hooks call the server as before.
    Keep,
}

/// A change of the server that the hooks of a folder call.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionChange {
    pub action: ConnectionAction,
    /// Address of the server.
    pub url: String,
    /// Root of the project; null for all folders.
    pub folder: Option<String>,
    /// Source of the token.
    pub token: TokenOrigin,
    /// Whether the token may upload sessions and feedback; null if the server was not asked or did not
    /// answer.
    pub may_write: Option<bool>,
    #[serde(skip)]
    stored: StoredConnection,
    /// Token that is to be stored.
    #[serde(skip)]
    new_token: Option<String>,
    #[serde(skip)]
    new_certificate: Option<String>,
}

impl std::fmt::Debug for ConnectionChange {
    // Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionChange")
            .field("action", &self.action)
            .field("stored", &self.stored)
            .finish()
    }
}

/// Whether the user must be asked for the token of a server: none is stored or in the environment.
///
/// # Errors
/// An address that is not permitted, and private files that cannot be read.
pub fn asks_for_token(request: &Request, url: &str) -> Result<bool> {
    let stored =
        StoredConnection { server: parse_address(url)?.to_string(), folder: None, memory_file: None };
    let open = ServerConnection::of_stored(private_home(request)?, &stored)?;
    Ok(open.token(request)?.1 == TokenOrigin::None)
}

/// Plans to connect a folder, and checks the token with the server. Returns the change and notices.
///
/// # Errors
/// An agent that calls this, an address that is not permitted, a missing or refused token, and a file
/// for MEMORY.md that cm must not write.
pub(super) fn connect(
    request: &Request,
    scope: HookScope,
    root: &Path,
    options: &ServerOptions,
) -> Result<(ConnectionChange, Vec<String>)> {
    if !request.caller.is_person() {
        return Err(actor::persons_only_error(
            "choose the server that receives sessions",
            "run `cm hooks install --server URL` in your own terminal",
        ));
    }
    let home = private_home(request)?;
    let url = parse_address(&options.url)?;
    options.certificate.as_deref().map(parse_certificate).transpose()?;
    let folder = folder_of(scope, root);
    if folder.as_ref().is_some_and(|folder| folder.to_str().is_none()) {
        return Err(Error::usage(format!("the path {} is not valid UTF-8", root.display()))
            .hint("rename the folder, or connect all folders with `--user`"));
    }
    let before = of_scope(request, scope, root)?.map(|open| open.stored());
    let of_before = before.filter(|one| one.server == url.to_string()).and_then(|one| one.memory_file);
    let memory_file = options.memory_file.clone().or(of_before);
    check_memory_file(folder.as_deref(), memory_file.as_deref())?;
    let stored = StoredConnection { server: url.to_string(), folder, memory_file };
    let open = ServerConnection::of_stored(home, &stored)?;
    let new_token = options.token.as_deref().map(str::trim);
    new_token.map(check_token).transpose()?;
    let origin = if new_token.is_some() { TokenOrigin::Stored } else { open.token(request)?.1 };
    if origin == TokenOrigin::None && !url.is_loopback() {
        return Err(Error::usage(format!("there is no token for {url}"))
            .hint(format!("pass `--token-file FILE`, or set {TOKEN_VARIABLE}; whoever runs the server creates tokens with `cm token add NAME`")));
    }
    let mut change = ConnectionChange {
        action: ConnectionAction::Connect,
        url: url.to_string(),
        folder: stored.folder.as_ref().map(|folder| folder.display().to_string()),
        token: origin,
        may_write: None,
        new_token: new_token.map(str::to_owned),
        new_certificate: options.certificate.clone(),
        stored,
    };
    let mut notices = Vec::new();
    if !options.dry_run {
        change.may_write = check(request, &open, &change, &mut notices)?;
    }
    if origin == TokenOrigin::Environment {
        notices.push(format!("the token comes from {TOKEN_VARIABLE}: start the agents with it"));
    }
    let vault = Vault::find_upwards(root).filter(|_| scope == HookScope::Project);
    if let Some(vault) = vault {
        let path = vault.root().display();
        let verb = if options.dry_run { "would no longer use" } else { "no longer use" };
        notices.push(format!(
            "hooks {verb} the vault {path} in this project; `cm hooks uninstall` changes that back"
        ));
    }
    Ok((change, notices))
}

/// Asks the server whether it accepts the token. `None` if it does not answer.
fn check(
    request: &Request,
    open: &ServerConnection,
    change: &ConnectionChange,
    notices: &mut Vec<String>,
) -> Result<Option<bool>> {
    let key = change.new_token.as_deref().and_then(ApiKey::of);
    let certificate = change.new_certificate.as_deref().map(parse_certificate).transpose()?;
    let api = ServerApi::with(open, request, key, certificate)?;
    let may_write = api.may_write(CHECK_TIMEOUT);
    if may_write.is_ok() && api.is_persons_token(CHECK_TIMEOUT) == Some(true) {
        notices.push(
            "this is the token of a person, so what agents send with it counts as the person's word; agents get \
             one of their own with `cm token add NAME`"
                .to_owned(),
        );
    }
    match may_write {
        Ok(true) => Ok(Some(true)),
        Ok(false) => {
            notices.push(
                "the token can only read: briefings arrive, and sessions and feedback wait on this machine"
                    .to_owned(),
            );
            Ok(Some(false))
        }
        Err(failure) if failure.is_unauthorized() => {
            Err(Error::refused("token-refused", format!("{} does not accept the token", open.url)).hint(
                "pass another one with `--token-file FILE`; whoever runs the server creates tokens with `cm token add NAME`",
            ))
        }
        Err(failure) if failure.is_final => Err(Error::refused(
            "no-server",
            format!("{} is not a memory server: {}", open.url, failure.cause),
        )
        .hint("pass the address that `cm serve` prints, as it is reached from this machine")),
        Err(failure) => {
            notices.push(format!("the server could not be asked: {}", failure.cause));
            Ok(None)
        }
    }
}

/// Returns the connection of exactly this scope; `None` if there is none.
pub(super) fn of_scope(request: &Request, scope: HookScope, root: &Path) -> Result<Option<ServerConnection>> {
    let Some(home) = &request.private else { return Ok(None) };
    let folder = folder_of(scope, root);
    let stored = connection::stored(home)?;
    let found = stored.iter().find(|one| one.folder == folder);
    found.map(|one| ServerConnection::of_stored(home, one)).transpose()
}

/// Describes a connection that stays, or is to be removed.
///
/// # Errors
/// Private files that cannot be read.
pub(super) fn change_of(
    request: &Request,
    open: &ServerConnection,
    action: ConnectionAction,
) -> Result<ConnectionChange> {
    Ok(ConnectionChange {
        action,
        url: open.url.to_string(),
        folder: open.folder.as_ref().map(|folder| folder.display().to_string()),
        token: open.token(request)?.1,
        may_write: None,
        stored: open.stored(),
        new_token: None,
        new_certificate: None,
    })
}

/// Notice about uploads that a disconnected server did not get; `None` if there are none.
pub(super) fn undelivered(open: &ServerConnection) -> Option<String> {
    let outbox = Outbox::of(&open.private).size().unwrap_or_default();
    (outbox.items > 0).then(|| {
        let folder = open.private.state().join("outbox");
        let uploads = if outbox.items == 1 { "upload was" } else { "uploads were" };
        format!("{} {uploads} not delivered and stay in {}", outbox.items, folder.display())
    })
}

/// Notice about uploads that wait for a server in whose place another one is called now; `None` if there
/// are none.
pub(super) fn undelivered_to_former(open: &ServerConnection) -> Option<String> {
    let notice = undelivered(open)?;
    Some(format!(
        "{notice}; `cm hooks deliver --from {}` sends what waits there to the new server",
        open.private.key()
    ))
}

impl ConnectionChange {
    /// Whether the change stores a token.
    #[must_use]
    pub fn stores_token(&self) -> bool {
        self.new_token.is_some()
    }

    /// Writes the change to the user's private files.
    ///
    /// # Errors
    /// Private files that cannot be read or written.
    pub(super) fn apply(&self, request: &Request) -> Result<()> {
        if self.action == ConnectionAction::Keep {
            return Ok(());
        }
        let home = private_home(request)?;
        let private = home.of_server(&self.url);
        let _lock = private.lock(&home.servers().with_extension("lock"))?;
        let before = connection::stored(home)?;
        let mut all = before.clone();
        all.retain(|one| one.folder != self.stored.folder);
        if self.action == ConnectionAction::Connect {
            let new = [("token", &self.new_token), ("pem", &self.new_certificate)];
            for (ending, text) in new.into_iter().filter_map(|(ending, text)| Some((ending, text.as_ref()?)))
            {
                private.write(&private.config_file(ending), text.as_bytes())?;
            }
            all.push(self.stored.clone());
        }
        connection::store(home, &all)?;
        self.record_check(home)?;
        // Nothing calls these servers any more.
        for disconnected in before.iter().filter(|one| all.iter().all(|other| other.server != one.server)) {
            let private = home.of_server(&disconnected.server);
            for ending in ["token", "pem"] {
                private.remove(&private.config_file(ending))?;
            }
        }
        Ok(())
    }

    /// Ends the outage of a server that was asked and accepts the token.
    fn record_check(&self, home: &PrivateHome) -> Result<()> {
        let open = ServerConnection::of_stored(home, &self.stored)?;
        match self.may_write {
            Some(true) => reachability::record_upload(&open),
            Some(false) => reachability::record_answer(&open),
            None => {}
        }
        Ok(())
    }
}

/// A token must be a word of visible ASCII characters.
fn check_token(token: &str) -> Result<()> {
    let problem = match token {
        "" => "the token is empty",
        _ if token.len() > MAX_TOKEN_BYTES || !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            "this is not a token: it has spaces, line breaks or other characters that no token has"
        }
        _ => return Ok(()),
    };
    Err(Error::usage(problem).hint("pass the word that `cm token add NAME` printed, alone in the file"))
}

/// The file for MEMORY.md must be in the project, and must not contain what others wrote.
fn check_memory_file(folder: Option<&Path>, file: Option<&str>) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let Some(folder) = folder else {
        return Err(Error::usage("a copy of MEMORY.md belongs to a project").hint("add `--project`"));
    };
    let path = NotePath::parse(file).map_err(|error| {
        Error::usage(error.to_string()).hint("pass a path below the project's folder, such as MEMORY.md")
    })?;
    match external_folder::below(folder, &path)? {
        Some(bytes) if !memory_copy::is_ours(&bytes) => {
            Err(Error::refused("not-ours", format!("{file} was not written by cm"))
                .at(file, None, None)
                .hint("choose another file, or move it away"))
        }
        _ => Ok(()),
    }
}

fn folder_of(scope: HookScope, root: &Path) -> Option<PathBuf> {
    (scope == HookScope::Project).then(|| root.canonicalize().unwrap_or_else(|_| root.to_owned()))
}

fn private_home(request: &Request) -> Result<&PrivateHome> {
    request
        .private
        .as_ref()
        .ok_or_else(|| Error::usage("there is no home directory to keep the connection in").hint("set HOME"))
}
