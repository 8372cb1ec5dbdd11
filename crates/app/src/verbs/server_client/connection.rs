//! Which team server the hooks of a folder call, from the user's own list.
//!
//! A project cannot name a server: its hooks would send sessions to whoever wrote its settings.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::context::request::Request;
use crate::error::{Error, ErrorKind, Result};
use cm_net::{ApiKey, ServerUrl, TrustedCertificate};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_store::config::{SettingOrigin, Settings, SettingsLayer};
use cm_store::git::Repo;
use cm_store::vault::{PrivateFolder, PrivateHome, Vault};

/// Environment variable with the token, for machines where it must not be stored.
pub const TOKEN_VARIABLE: &str = "CM_TOKEN";

/// A server that the hooks of a folder call.
#[derive(Debug, Clone)]
pub struct ServerConnection {
    pub url: ServerUrl,
    /// Root of the project; `None` for all folders without a memory of their own.
    pub folder: Option<PathBuf>,
    /// File with a copy of the server's MEMORY.md, relative to `folder`.
    pub memory_file: Option<String>,
    /// The private files about this server.
    pub private: PrivateFolder,
}

/// A connection as the user's list stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredConnection {
    pub server: String,
    pub folder: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_file: Option<String>,
}

/// Source of the token of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenOrigin {
    /// A private file of this user.
    Stored,
    /// The environment variable `CM_TOKEN`.
    Environment,
    /// There is none.
    None,
}

impl ServerConnection {
    /// Returns the server that the hooks of the request's folder use: the connection of its project, or
    /// the user's for all folders unless the folder has a vault. A named vault excludes both.
    ///
    /// # Errors
    /// A list that cannot be read.
    pub fn of_request(request: &Request) -> Result<Option<Self>> {
        let Some(home) = request.private.as_ref().filter(|_| request.vault.is_none()) else {
            return Ok(None);
        };
        let stored = stored(home)?;
        if stored.is_empty() {
            return Ok(None);
        }
        let holds =
            |one: &&StoredConnection| one.folder.as_ref().is_some_and(|folder| holds(folder, &request.cwd));
        let length = |one: &&StoredConnection| one.folder.as_ref().map(|folder| folder.as_os_str().len());
        let of_project = stored.iter().filter(holds).max_by_key(length);
        let found = match of_project {
            Some(found) => Some(found),
            None if Vault::find_upwards(&request.cwd).is_some() => None,
            None => stored.iter().find(|one| one.folder.is_none()),
        };
        found.map(|found| Self::of_stored(home, found)).transpose()
    }

    /// Returns the connections of a project and of all folders.
    ///
    /// # Errors
    /// A list that cannot be read.
    pub fn all_for(home: &PrivateHome, project: Option<&Path>) -> Result<Vec<Self>> {
        let stored = stored(home)?;
        let applies = |one: &&StoredConnection| one.folder.is_none() || one.folder.as_deref() == project;
        stored.iter().filter(applies).map(|one| Self::of_stored(home, one)).collect()
    }

    /// Opens a stored connection.
    ///
    /// # Errors
    /// An address that is not permitted, because the file was edited.
    pub fn of_stored(home: &PrivateHome, stored: &StoredConnection) -> Result<Self> {
        let url = parse_address(&stored.server)?;
        let private = home.of_server(&url.to_string());
        let (folder, memory_file) = (stored.folder.clone(), stored.memory_file.clone());
        Ok(Self { url, folder, memory_file, private })
    }

    /// Returns the token and where it comes from. A stored token takes precedence, because it belongs
    /// to this server.
    ///
    /// # Errors
    /// A private file that cannot be read.
    pub fn token(&self, request: &Request) -> Result<(Option<ApiKey>, TokenOrigin)> {
        let stored = self.private.read(&self.private.config_file("token"))?;
        if let Some(key) = stored.as_deref().and_then(ApiKey::of) {
            return Ok((Some(key), TokenOrigin::Stored));
        }
        let variable = request.variables.get(TOKEN_VARIABLE).and_then(|typed| ApiKey::of(typed));
        let origin = if variable.is_some() { TokenOrigin::Environment } else { TokenOrigin::None };
        Ok((variable, origin))
    }

    /// Returns the certificate that the user named for this server.
    ///
    /// # Errors
    /// A private file that cannot be read or contains no certificate.
    pub fn certificate(&self) -> Result<Option<TrustedCertificate>> {
        let file = self.private.config_file("pem");
        self.private.read(&file)?.map(|pem| parse_certificate(&pem)).transpose()
    }

    /// Returns the user's own settings: those for all vaults, and the environment. Settings that are
    /// only partly known may lack what keeps a text on this machine, so that nothing may be sent.
    ///
    /// # Errors
    /// A file that exists and cannot be read, and values that are not valid.
    pub fn settings(&self, request: &Request) -> Result<Settings> {
        let invalid = |cause: &str, file: &Path| {
            let message = format!("nothing is sent until your own settings are valid: {cause}");
            Error::refused("invalid-setting", message).at(file.display(), None, None)
        };
        let mut layers = Vec::new();
        if let Some(home) = &request.private {
            let file = home.settings();
            let text = self.private.read(&file).map_err(|error| invalid(&error.to_string(), &file))?;
            if text.is_none() && file.is_symlink() {
                return Err(invalid(&format!("{} leads to no file", file.display()), &file));
            }
            let own = text.map(|text| SettingsLayer::parse_toml("config.toml", &text));
            layers.extend(own.map(|own| (own, SettingOrigin::User)));
        }
        layers.extend(SettingsLayer::of_environment(&request.variables));
        let settings = Settings::of(layers);
        let is_broken =
            |found: &&Finding| found.severity == Severity::Error || found.code == FindingCode::InvalidSetting;
        match settings.findings.iter().find(is_broken) {
            None => Ok(settings),
            Some(found) => {
                let line = found.line.map_or_else(String::new, |line| format!(" line {line}"));
                Err(invalid(&format!("{}{line}: {}", found.path, found.message), Path::new(&found.path)))
            }
        }
    }

    /// The connection as the user's list stores it.
    pub fn stored(&self) -> StoredConnection {
        StoredConnection {
            server: self.url.to_string(),
            folder: self.folder.clone(),
            memory_file: self.memory_file.clone(),
        }
    }
}

/// Whether a path belongs to the project with this root: it is in the work tree or in a linked one, or
/// below the folder of a project without a repository. A repository below the root is another project,
/// also one that cannot be opened. A path that does not exist belongs to none.
#[must_use]
pub fn holds(folder: &Path, path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let Ok(found) = Repo::discover(&path) else { return false };
    let root = found.as_ref().map_or(folder, Repo::workdir);
    // Git passes over a `.git` that is no repository and finds the one around it.
    let is_other = |inner: &Path| inner.join(".git").symlink_metadata().is_ok();
    if path.ancestors().take_while(|inner| *inner != root).any(is_other) {
        return false;
    }
    match found {
        Some(repo) => repo.workdir() == folder || repo.main_worktree().as_deref() == Some(folder),
        None => path.starts_with(folder),
    }
}

/// Parses the address of a server. Unencrypted addresses are permitted on this machine only.
///
/// # Errors
/// A text that is not an address, or an unencrypted address of another machine.
pub fn parse_address(typed: &str) -> Result<ServerUrl> {
    let url = ServerUrl::parse(typed).map_err(|error| {
        Error::usage(format!("this is not the address of a server: {error}"))
            .hint("for example: https://memory.example.org, or http://127.0.0.1:7700")
    })?;
    if url.is_encrypted() || url.is_loopback() {
        return Ok(url);
    }
    Err(Error::refused("unencrypted", "over http:// others could read the token and the sessions")
        .hint("use https://; the server offers it with `--tls-cert` or `--tls-self-signed`"))
}

/// Parses a PEM text.
///
/// # Errors
/// A text without a certificate.
pub fn parse_certificate(pem: &str) -> Result<TrustedCertificate> {
    TrustedCertificate::parse(pem).ok_or_else(|| {
        Error::usage("the file contains no certificate in PEM format")
            .hint("copy `tls-cert.pem` from the private files of the server, or pass that of your authority")
    })
}

/// Reads the user's list; empty if there is none.
///
/// # Errors
/// A list that cannot be read.
pub fn stored(home: &PrivateHome) -> Result<Vec<StoredConnection>> {
    let file = home.servers();
    let Some(text) = home.of_server("").read(&file)? else { return Ok(Vec::new()) };
    serde_json::from_str(&text).map_err(|error| {
        Error::new(
            ErrorKind::Failed,
            "unreadable-servers",
            format!("cannot read the list of servers: {error}"),
        )
        .at(file.display(), None, None)
        .hint("fix the file, or remove it and run `cm hooks install --server URL` again")
    })
}

/// Replaces the user's list.
///
/// # Errors
/// A file that cannot be written.
pub fn store(home: &PrivateHome, connections: &[StoredConnection]) -> Result<()> {
    let (file, private) = (home.servers(), home.of_server(""));
    if connections.is_empty() {
        return Ok(private.remove(&file)?);
    }
    let text = serde_json::to_string_pretty(connections).map_err(|error| {
        Error::usage(format!("the list of servers cannot be written: {error}")).at(file.display(), None, None)
    })?;
    Ok(private.write(&file, format!("{text}\n").as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unencrypted_address_is_taken_on_this_machine_only() {
        for typed in ["http://127.0.0.1:7700", "http://localhost:7700/", "https://memory.example.org"] {
            assert!(parse_address(typed).is_ok(), "{typed}");
        }
        for typed in ["http://memory.example.org", "http://10.0.0.1:7700", "http://localhost.evil.example"] {
            assert_eq!(parse_address(typed).unwrap_err().code, "unencrypted", "{typed}");
        }
        assert_eq!(parse_address("https://ada:secret@memory.example.org").unwrap_err().code, "usage");
    }
}
