//! Location of the user's global vault.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::context::paths::expand_home;
use cm_store::config::{SettingsLayer, keys};
use cm_store::vault::PrivateHome;

/// Returns the folder of the global vault: `CM_GLOBAL_VAULT`, else the setting `vault.global` in the
/// user's settings for all vaults, else `default`. `~` in the setting means `home`. `None` if the
/// variable is empty, which turns the global vault off, or if there is no default.
pub fn global_vault(
    variables: &BTreeMap<String, String>,
    private: Option<&PrivateHome>,
    home: Option<&Path>,
    default: Option<PathBuf>,
) -> Option<PathBuf> {
    if let Some(folder) = variables.get("CM_GLOBAL_VAULT") {
        return Some(PathBuf::from(folder)).filter(|path| !path.as_os_str().is_empty());
    }
    let configured = private.and_then(PrivateHome::settings_text).and_then(|text| {
        let layer = SettingsLayer::parse_toml("config.toml", &text);
        layer.values.get(keys::VAULT_GLOBAL.name)?.as_str().map(str::to_owned)
    });
    match configured.filter(|path| !path.is_empty()) {
        Some(path) => Some(expand_home(home, &path)),
        None => default,
    }
}
