//! The scoring constants of a vault.

use cm_note::score::Scoring;
use cm_store::config::{Settings, keys};

/// Reads the constants for scores and decay from the `scoring.*` settings.
pub(crate) fn scoring(settings: &Settings) -> Scoring {
    let number = |setting| settings.number(setting);
    Scoring {
        lambda: number(keys::SCORING_LAMBDA),
        half_life_days: number(keys::SCORING_HALF_LIFE_DAYS),
        harmful_multiplier: number(keys::SCORING_HARMFUL_MULTIPLIER),
        prune_harmful_threshold: number(keys::SCORING_PRUNE_HARMFUL_THRESHOLD),
        multipliers: [
            keys::SCORING_CANDIDATE_MULTIPLIER,
            keys::SCORING_ESTABLISHED_MULTIPLIER,
            keys::SCORING_PROVEN_MULTIPLIER,
        ]
        .map(number),
        established_score: number(keys::SCORING_ESTABLISHED_SCORE),
        proven_score: number(keys::SCORING_PROVEN_SCORE),
        proven_ratio: number(keys::SCORING_PROVEN_RATIO),
        deprecated_ratio: number(keys::SCORING_DEPRECATED_RATIO),
        deprecated_events: settings.integer(keys::SCORING_DEPRECATED_EVENTS),
        recent_days: number(keys::SCORING_RECENT_DAYS),
        stale_days: number(keys::SCORING_STALE_DAYS),
        priority_factor: number(keys::SCORING_PRIORITY_FACTOR),
        unused: number(keys::SCORING_UNUSED),
        importance: number(keys::SCORING_IMPORTANCE),
        pinned: number(keys::SCORING_PINNED),
        active: number(keys::SCORING_ACTIVE),
        fading: number(keys::SCORING_FADING),
        dormant: number(keys::SCORING_DORMANT),
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
