//! The settings of a vault, layered from its files, the user's and the environment.

use crate::context::open_vault::VaultLevel;
use crate::context::request::Request;
use crate::error::Result;
use cm_store::config::{SettingOrigin, Settings, SettingsLayer};
use cm_store::vault::{Vault, layout};

/// Loads the settings of a vault, in increasing precedence: defaults, the global vault's file, the
/// vault's file, the user's private files, the environment.
pub(crate) fn settings_of(
    vault: &Vault,
    level: VaultLevel,
    global: Option<&Vault>,
    call: &Request,
) -> Result<Settings> {
    let global = match global.filter(|_| level == VaultLevel::Project) {
        Some(global) => global.read_own(layout::SETTINGS)?,
        None => None,
    };
    layered(global, vault.read_own(layout::SETTINGS)?, vault, call)
}

/// Merges the texts of the global and the vault's settings files with the user's private files and
/// the environment; later sources take precedence.
///
/// # Errors
/// A private file that cannot be read.
pub(crate) fn layered(
    global: Option<String>,
    own: Option<String>,
    vault: &Vault,
    call: &Request,
) -> Result<Settings> {
    let mut layers = Vec::new();
    let mut file = |name: &str, text: Option<String>, origin: SettingOrigin| {
        layers.extend(text.map(|text| (SettingsLayer::parse_toml(name, &text), origin)));
    };
    file(layout::SETTINGS, global, SettingOrigin::Global);
    file(layout::SETTINGS, own, SettingOrigin::Vault);
    if let Ok(private) = vault.private() {
        file("config.toml", private.read(&private.user_settings())?, SettingOrigin::User);
        file("config.toml", private.read(&private.settings())?, SettingOrigin::Private);
    }
    layers.extend(SettingsLayer::of_environment(&call.variables));
    Ok(Settings::of(layers))
}
