//! Quarantine for notes of agents: they stay unverified until they are confirmed, and text that
//! addresses the reader with orders is held for review.

use crate::context::actor::persons_only_error;
use crate::context::open::Context;
use crate::error::Result;
use crate::sessions::evidence::SessionEvidence;
use crate::verbs::add;
use cm_note::note::suspicion::order;
use cm_note::note::{Feedback, FeedbackSignal, Note};
use cm_playbook::curation::history::RuleEvidenceSource as _;

/// Frontmatter keys with power over notes, which agents must not set or remove:
///
/// - trust, score and review: `feedback`, the counts, `half_life_days`, `last_checked`,
///   `last_validated_at`, `maturity`, `pinned`, `pinned_reason`, `promoted_at`, `state`;
/// - origin: `agent`, `author`, `created`, `derived_from`, `session`, `sources`;
/// - relations to other notes: `relations`, `condensed_into`, `supersedes`, and what takes a note out of
///   use: `deprecation_reason`, `replaced_by`, `superseded_by`, `valid_until`;
/// - merges: `merge` has what a merge did not take, and `cm review --take` writes it into the note;
///   the later `updated` wins a merge;
/// - which questions find a note: `aliases` can have the title of another note, which links and questions
///   then lead away from; `scope`, `scopes`, `scope_key` and `workspace` say for which projects it is.
const TRUST_KEYS: [&str; 31] = [
    "agent",
    "aliases",
    "author",
    "condensed_into",
    "created",
    "deprecation_reason",
    "derived_from",
    "feedback",
    "half_life_days",
    "harmful_count",
    "helpful_count",
    "last_checked",
    "last_validated_at",
    "maturity",
    "merge",
    "pinned",
    "pinned_reason",
    "promoted_at",
    "relations",
    "replaced_by",
    "scope",
    "scope_key",
    "scopes",
    "session",
    "sources",
    "state",
    "superseded_by",
    "supersedes",
    "updated",
    "valid_until",
    "workspace",
];

/// Refuses changes to the weight of a confirmed note: another type, priority or confidence, or a lower
/// importance.
///
/// # Errors
/// Returns `persons-only` with the name of the key.
pub fn keeps_weight(
    context: &Context,
    note: &Note,
    set: &[(String, String)],
    remove: &[String],
) -> Result<()> {
    let lowers = |key: &str, value: Option<&str>| match plain(key).as_str() {
        "type" | "priority" | "confidence" => true,
        "importance" => {
            let least = note.importance.unwrap_or(0.5);
            // What is no number is refused as such.
            value.is_none_or(|value| value.trim().parse::<f64>().is_ok_and(|new| new < least))
        }
        _ => false,
    };
    let set = set.iter().map(|(key, value)| (key, Some(value.as_str())));
    match set.chain(remove.iter().map(|key| (key, None))).find(|(key, value)| lowers(key, *value)) {
        Some((key, _)) => context.persons_only(&format!("change or lower `{key}` of a confirmed note")),
        None => Ok(()),
    }
}

/// Normalizes a frontmatter key: removes quotes and whitespace, and converts it to lower case.
fn plain(key: &str) -> String {
    key.trim().trim_matches(['"', '\'']).trim().to_ascii_lowercase()
}

/// Refuses keys that only a person may set or remove, if the caller is not a person.
///
/// # Errors
/// Returns `persons-only` with the name of the key.
pub fn own_keys_only<'k>(context: &Context, mut keys: impl Iterator<Item = &'k str>) -> Result<()> {
    if context.is_person() {
        return Ok(());
    }
    match keys.find(|key| TRUST_KEYS.contains(&plain(key).as_str())) {
        Some(key) => Err(persons_only_error(
            &format!("set or remove `{key}`"),
            "`cm mark` records what helped; ask a person for everything else",
        )),
        None => Ok(()),
    }
}

/// Returns the initial `state` of a new memory: `draft` or `unverified`; `None` if it is active
/// because a person wrote it.
pub fn state(context: &Context, title: &str, options: &add::Options) -> Option<&'static str> {
    if context.is_person() {
        return None;
    }
    let texts = [title, options.body.as_deref().unwrap_or_default()];
    let extra = options.extra.iter().map(|(_, value)| value.as_str());
    let tags = options.tags.iter().map(String::as_str);
    let why = texts.into_iter().chain(extra).chain(tags).find_map(order);
    Some(match why {
        Some(why) => {
            context
                .notice(format!("stored as a draft because {why}; a person can accept it with `cm review`"));
            Note::DRAFT
        }
        None => Note::UNVERIFIED,
    })
}

/// Whether a feedback event confirms an unverified memory: a helpful mark of a person, or of a
/// second, recorded session. Age and usage do not confirm a memory.
pub fn is_confirmed_by(context: &Context, note: &Note, event: &Feedback) -> bool {
    if !note.is_unverified() || event.signal != FeedbackSignal::Helpful || event.weight <= 0.0 {
        return false;
    }
    let is_another = event.author.is_none() || event.author != note.author;
    let is_second =
        is_another && event.session.is_some() && note.session.is_some() && event.session != note.session;
    context.is_person()
        || (is_second && event.session.as_deref().is_some_and(|id| SessionEvidence::of(context).has_seen(id)))
}
