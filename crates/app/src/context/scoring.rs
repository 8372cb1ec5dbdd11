//! The scoring constants of a vault.

use cm_note::score::Scoring;
use cm_store::config::Settings;

/// Reads the scoring constants from the settings.
pub(crate) fn scoring(settings: &Settings) -> Scoring {
    let number = |name: &str| settings.number(&format!("scoring.{name}"));
    Scoring {
        lambda: number("lambda"),
        half_life_days: number("half_life_days"),
        harmful_multiplier: number("harmful_multiplier"),
        prune_harmful_threshold: number("prune_harmful_threshold"),
        multipliers: ["candidate_multiplier", "established_multiplier", "proven_multiplier"].map(number),
        established_score: number("established_score"),
        proven_score: number("proven_score"),
        proven_ratio: number("proven_ratio"),
        deprecated_ratio: number("deprecated_ratio"),
        deprecated_events: settings.integer("scoring.deprecated_events"),
        recent_days: number("recent_days"),
        stale_days: number("stale_days"),
        priority_factor: number("priority_factor"),
        unused: number("unused"),
        importance: number("importance"),
        pinned: number("pinned"),
        active: number("active"),
        fading: number("fading"),
        dormant: number("dormant"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_store::config::{SettingOrigin, SettingsLayer};

    #[test]
    fn settings_that_nobody_made_are_the_constants_of_the_domain() {
        assert_eq!(scoring(&Settings::of(Vec::new())), Scoring::default());
    }

    #[test]
    fn every_constant_can_be_set() {
        let fields = serde_json::to_value(Scoring::default()).unwrap();
        let mut names: Vec<&str> = fields.as_object().unwrap().keys().map(String::as_str).collect();
        names.retain(|name| *name != "multipliers");
        names.extend(["candidate_multiplier", "established_multiplier", "proven_multiplier"]);
        for name in names {
            let value = match name {
                "deprecated_events" => "7",
                "pinned" => "700.0",
                _ => "0.7",
            };
            let layer = SettingsLayer::parse_toml("cm.toml", &format!("[scoring]\n{name} = {value}\n"));
            let settings = Settings::of(vec![(layer, SettingOrigin::Vault)]);
            assert_ne!(scoring(&settings), Scoring::default(), "{name}");
        }
    }
}
