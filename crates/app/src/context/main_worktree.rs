//! The memory of a linked Git work tree: its own files, or those of the main work tree if the user
//! wants one memory for all of them.

use crate::context::layered_settings::SettingsTexts;
use crate::context::request::Request;
use crate::error::Result;
use cm_store::config::keys;
use cm_store::git::Repo;
use cm_store::vault::Vault;

/// Returns the vault at the same place in the main work tree, if `vault` is in a linked one and
/// `vault.worktree` is `main`.
///
/// # Errors
/// The user's settings or the repository cannot be read.
pub(super) fn of_main(vault: &Vault, request: &Request) -> Result<Option<Vault>> {
    let is_linked = vault.root().ancestors().any(|folder| folder.join(".git").is_file());
    if !is_linked {
        return Ok(None);
    }
    let settings = SettingsTexts::with(None, None, vault, request)?.parse();
    if settings.users(keys::VAULT_WORKTREE).and_then(toml::Value::as_str) != Some("main") {
        return Ok(None);
    }
    let Some(repo) = Repo::discover(vault.root())? else { return Ok(None) };
    let Some(main) = repo.main_worktree() else { return Ok(None) };
    let Ok(inside) = vault.root().strip_prefix(repo.workdir()) else { return Ok(None) };
    // A branch without the vault's folder does not hide it: then the work tree keeps its own.
    Ok(Vault::open(&main.join(inside)).ok())
}
