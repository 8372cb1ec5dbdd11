//! The search modes to compare.

use cm_app::context::retrieve::RankingStages;

use crate::fault::{EvalError, Result};

/// A search mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Name in `--modes` and in tables.
    pub name: &'static str,
    pub stages: RankingStages,
    /// Settings as environment variables.
    pub settings: &'static [(&'static str, &'static str)],
    /// Whether questions that count or order get hits that are spread over sessions.
    pub spread: bool,
}

const MODES: &[Mode] = &[
    Mode { name: "text", stages: RankingStages::WORDS, settings: &[], spread: false },
    Mode {
        name: "static",
        stages: RankingStages { coarse: true, words: false, ..RankingStages::WORDS },
        settings: &[],
        spread: false,
    },
    Mode {
        name: "minilm",
        stages: RankingStages { fine: true, words: false, ..RankingStages::WORDS },
        settings: &[],
        spread: false,
    },
    Mode {
        name: "hybrid-static",
        stages: RankingStages { coarse: true, ..RankingStages::WORDS },
        settings: &[],
        spread: false,
    },
    Mode {
        name: "hybrid-minilm",
        stages: RankingStages { coarse: true, fine: true, ..RankingStages::WORDS },
        settings: &[],
        spread: false,
    },
    Mode {
        name: "hybrid-conversation",
        stages: RankingStages {
            coarse: true,
            fine: true,
            conversation: true,
            time: true,
            ..RankingStages::WORDS
        },
        settings: &[],
        spread: false,
    },
    Mode {
        name: "hybrid-graph",
        stages: RankingStages { graph: true, recency: false, usefulness: false, ..RankingStages::ALL },
        settings: &[],
        spread: false,
    },
    Mode { name: "default", stages: RankingStages::ALL, settings: &[], spread: false },
    Mode { name: "spread", stages: RankingStages::ALL, settings: &[], spread: true },
    #[cfg(feature = "multilingual")]
    Mode {
        name: "multilingual",
        stages: RankingStages::ALL,
        settings: &[("CM_EMBEDDINGS_MODEL", "e5-small")],
        spread: false,
    },
];

/// Returns the modes with these names, or all if none are given.
///
/// # Errors
///
/// A name is unknown.
pub fn named(names: &[String]) -> Result<Vec<Mode>> {
    if names.is_empty() {
        return Ok(MODES.to_vec());
    }
    let one =
        |name: &String| MODES.iter().copied().find(|mode| mode.name == name).ok_or_else(|| unknown(name));
    names.iter().map(one).collect()
}

fn unknown(name: &str) -> EvalError {
    let names: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    EvalError::Usage(format!("there is no mode `{name}`; there are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_known_by_name() {
        assert_eq!(named(&["text".to_owned()]).unwrap(), [MODES[0]]);
        assert_eq!(named(&[]).unwrap(), MODES);
        assert!(
            named(&["magic".to_owned()])
                .unwrap_err()
                .to_string()
                .contains("there is no mode `magic`; there are text")
        );
    }
}
