//! Completion of ids of notes, categories of the playbook, and types of memories.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{CompletionKind, resources};
use cm_app::verbs::playbook;
use cm_app::{Context, Result};

/// The values with this prefix, ignoring case: ids of recently changed notes first, categories with
/// the most rules first, types in the order of the settings.
///
/// # Errors
/// The notes cannot be read.
pub(super) fn complete(context: &Context, what: CompletionKind, typed: &str) -> Result<Vec<String>> {
    let mut all = match what {
        CompletionKind::Id => resources::newest(context)?
            .into_iter()
            .filter(|note| note.id != note.path)
            .map(|note| note.id)
            .collect(),
        CompletionKind::Category => categories(context)?,
        CompletionKind::Type => context.target().settings.types.iter().map(|one| one.name.clone()).collect(),
    };
    let typed = typed.to_lowercase();
    all.retain(|value| value.to_lowercase().starts_with(&typed));
    Ok(all)
}

fn categories(context: &Context) -> Result<Vec<String>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for shelved in playbook::merged(context)?.bullets {
        *counts.entry(shelved.bullet.category).or_default() += 1;
    }
    let mut sorted: Vec<(String, usize)> = counts.into_iter().collect();
    sorted.sort_by_key(|(_, count)| Reverse(*count));
    Ok(sorted.into_iter().map(|(category, _)| category).collect())
}
