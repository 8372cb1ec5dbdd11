//! The search modes to compare.

use cm_app::retrieve::Stages;

use crate::fault::{Fault, Result};

/// A search mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Name in `--modes` and in tables.
    pub name: &'static str,
    /// Ranking stages.
    pub stages: Stages,
    /// Settings as environment variables.
    pub settings: &'static [(&'static str, &'static str)],
}

/// All modes.
const MODES: [Mode; 7] = [
    Mode { name: "text", stages: Stages::WORDS, settings: &[] },
    Mode { name: "static", stages: Stages { coarse: true, words: false, ..Stages::WORDS }, settings: &[] },
    Mode { name: "minilm", stages: Stages { fine: true, words: false, ..Stages::WORDS }, settings: &[] },
    Mode { name: "hybrid-static", stages: Stages { coarse: true, ..Stages::WORDS }, settings: &[] },
    Mode {
        name: "hybrid-minilm",
        stages: Stages { coarse: true, fine: true, ..Stages::WORDS },
        settings: &[],
    },
    Mode {
        name: "hybrid-graph",
        stages: Stages { coarse: true, fine: true, graph: true, ..Stages::WORDS },
        settings: &[],
    },
    Mode { name: "default", stages: Stages::ALL, settings: &[] },
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

fn unknown(name: &str) -> Fault {
    let known: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    Fault::Usage(format!("there is no mode `{name}`; there are {}", known.join(", ")))
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
