//! The settings of a vault, layered from its files, the user's and the environment.

use std::collections::BTreeMap;

use crate::context::open_vault::VaultLevel;
use crate::context::request::Request;
use crate::error::Result;
use cm_store::config::{SettingOrigin, Settings, SettingsLayer};
use cm_store::vault::{Vault, layout};

/// The texts from which the settings of a vault are read, in increasing precedence. The defaults come
/// before them.
pub(crate) struct SettingsTexts<'a> {
    /// The global vault's file, unless the vault is that one.
    global: Option<String>,
    /// The vault's file.
    own: Option<String>,
    /// The user's private file for all vaults.
    user: Option<String>,
    /// The user's private file for this vault.
    private: Option<String>,
    /// Environment variables; some of them set a setting.
    variables: &'a BTreeMap<String, String>,
}

impl<'a> SettingsTexts<'a> {
    /// Reads the texts of a vault.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn read(
        vault: &Vault,
        level: VaultLevel,
        global: Option<&Vault>,
        request: &'a Request,
    ) -> Result<Self> {
        let global = match global.filter(|_| level == VaultLevel::Project) {
            Some(global) => global.read_own(layout::SETTINGS)?,
            None => None,
        };
        Self::with(global, vault.read_own(layout::SETTINGS)?, vault, request)
    }

    /// Adds the user's private files and the environment to the given texts of the global and the
    /// vault's settings files.
    ///
    /// # Errors
    /// A private file that cannot be read.
    pub(crate) fn with(
        global: Option<String>,
        own: Option<String>,
        vault: &Vault,
        request: &'a Request,
    ) -> Result<Self> {
        let (user, private) = match vault.private() {
            Ok(private) => (private.read(&private.user_settings())?, private.read(&private.settings())?),
            Err(_) => (None, None),
        };
        Ok(Self { global, own, user, private, variables: &request.variables })
    }

    /// Parses the texts and merges their settings.
    pub(crate) fn parse(self) -> Settings {
        let files = [
            (layout::SETTINGS, self.global, SettingOrigin::Global),
            (layout::SETTINGS, self.own, SettingOrigin::Vault),
            ("config.toml", self.user, SettingOrigin::User),
            ("config.toml", self.private, SettingOrigin::Private),
        ];
        let files = files.into_iter();
        let mut layers: Vec<_> = files
            .filter_map(|(name, text, origin)| Some((SettingsLayer::parse_toml(name, &text?), origin)))
            .collect();
        layers.extend(SettingsLayer::of_environment(self.variables));
        Settings::of(layers)
    }

    /// Hash of all texts in hex. They may hold keys, so they are not kept themselves.
    pub(crate) fn version(&self) -> String {
        let Self { global, own, user, private, variables } = self;
        // Serialising to memory cannot fail: there are strings only.
        let texts = serde_json::to_vec(&(global, own, user, private, variables)).unwrap_or_default();
        blake3::hash(&texts).to_hex().to_string()
    }
}
