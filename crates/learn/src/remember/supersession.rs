//! Finds what an update replaces: another value of the same entry (`timezone: EST`), a change from
//! one thing to another ("switched from npm to pnpm"), and a statement of what is so now.

use super::filter::entry;
use crate::content_words::content_word_count;
use crate::prose::pattern;

/// Maximum number of words in the value of an entry whose values replace each other. Longer values
/// are sentences, and several sentences can hold at once.
const MAX_VALUE_WORDS: usize = 5;
/// Maximum number of words in a statement that a change without a subject replaces.
const MAX_CHOICE_WORDS: usize = 10;

pattern!(
    CHANGED = r"(?i)\b(?:switch(?:ed|ing)?|mov(?:ed|ing)|migrat(?:ed|ing)|chang(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|went|renamed|bumped|transitioned|gewechselt|wechseln|umgestellt|umgestiegen|umgezogen|migriert|cambi\w+|pasa\w+|pasó|migr\w+|pass[ée]\w*|chang[ée]\w*|bascul[ée]\w*)\b"
);
pattern!(
    FROM_TO = r"(?i)\b(?:from|von|vom|de|del|du|depuis)\s+(?:the |port |version |den |der |le |la |el )?(\S+(?:\s\d[\w.]*)?)\s+(?:over )?(?:to|auf|zu|zum|nach|a|al|à|au|vers)\s+(?:the |port |version |den |der |le |la |el )?(\S+(?:\s\d[\w.]*)?)"
);
pattern!(
    REPLACED = r"(?i)\b(?:replaced|replaces|replacing|ersetzt(?:en)?|reemplaz\w+|remplac[ée]\w*)\s+(\S+)\s+(?:with|by|durch|por|par)\s+(\S+)"
);
pattern!(
    INSTEAD = r"(?i)(\S+)\s+(?:instead of|rather than|statt|anstelle von|anstatt|au lieu d[e’']\s*|plutôt que|en lugar de|en vez de)\s*(\S+)"
);
pattern!(
    CHANGED_ZH =
        r"从\s*([\w.@/+#-]+?)\s*(?:换成|换到|改成|改为|改用|迁移到|切换到|升级到)了?\s*([\w.@/+#-]+)"
);
pattern!(
    CHOSEN = r"(?i)\b(?:use[sd]?|using|runs?|running|on|is|are|with|via|by|nutz\w+|verwende\w*|ist|läuft|mit|usa\w*|con|utilis\w+|avec|est)\b|用"
);
pattern!(
    NOW = r"(?i)^(?:now|nowadays|currently|meanwhile|jetzt|nun|inzwischen|mittlerweile|ahora|actualmente|maintenant|désormais)$"
);
/// Words after which a value stands.
const BEFORE_VALUE: [&str; 27] = [
    "has", "have", "takes", "hat", "dauert", "tiene", "dura", "is", "are", "on", "at", "to", "port", "uses",
    "use", "with", "via", "=", "ist", "auf", "mit", "es", "en", "usa", "est", "sur", "utilise",
];

/// Refers to a fact or preference with a note or to a new one, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimRef {
    /// Index in the existing claims that were passed to the comparison.
    Known(usize),
    /// Index in the new claims of the plan.
    New(usize),
}

/// A newer fact or preference that replaces an older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supersession {
    /// The claim that is valid now.
    pub newer: ClaimRef,
    /// The superseded claim; its note remains.
    pub older: ClaimRef,
    /// Reason, for display.
    pub why: String,
}

/// A change from one thing to another.
struct ValueChange {
    from: Vec<String>,
    to: Vec<String>,
}

/// Returns the reason, for display, why the statement `new` replaces the older statement `old`;
/// `None` if it does not.
pub(crate) fn replaced(old: &str, new: &str) -> Option<String> {
    other_value(old, new)
        .or_else(|| reason_of_change(old, new))
        .or_else(|| now_another(old, new))
        .or_else(|| other_version(old, new))
}

/// Whether `part` is the beginning of `whole`, up to the end of a sentence or clause: a fragment of a
/// statement says nothing that the statement does not.
pub(crate) fn is_beginning(part: &str, whole: &str) -> bool {
    let (part, whole) = (part.trim().to_lowercase(), whole.trim().to_lowercase());
    let part = part.trim_end_matches(['.', '!', '?', ';', ',']);
    let rest = whole.strip_prefix(part).filter(|_| part.contains(' '));
    rest.is_some_and(|rest| rest.starts_with(['.', '!', '?', ';', ',', ':', '—', '–']))
}

/// Returns the reason if both are entries with the same label and different short values.
fn other_value(old: &str, new: &str) -> Option<String> {
    let (label, before) = entry(old)?;
    let (same, now) = entry(new)?;
    let is_value = |value: &str| value.split_whitespace().count() <= MAX_VALUE_WORDS;
    let differs = lower_case_words(label) == lower_case_words(same)
        && lower_case_words(before) != lower_case_words(now);
    (differs && is_value(before) && is_value(now))
        .then(|| format!("The value changed: {before} before, {now} now."))
}

/// Returns the reason if `new` says that what `old` names was replaced.
fn reason_of_change(old: &str, new: &str) -> Option<String> {
    let change = ValueChange::of(new)?;
    let held = lower_case_words(old);
    if !holds(&held, &change.from) || holds(&held, &change.to) {
        return None;
    }
    let is_entry = || entry(old).is_some_and(|(_, value)| lower_case_words(value) == change.from);
    let is_choice = || CHOSEN.is_match(old) && held.len() <= MAX_CHOICE_WORDS;
    let subject = change.subject(new);
    let is_about = if subject.is_empty() {
        is_entry() || is_choice()
    } else {
        subject.iter().any(|word| held.contains(word)) || is_entry()
    };
    let reason = || format!("It changed: {} before, {} now.", change.from.join(" "), change.to.join(" "));
    is_about.then(reason)
}

// "We support iOS 17", "from 4.7 on we require iOS 18".
pattern!(
    REQUIRES_VERSION = r"(?i)\b(?:we|the app|the project|wir|la app|nous|on)\s+(?:now\s+|only\s+|still\s+)?(?:support|require|target|unterstützen|verlangen|soportamos|requerimos|exigimos|supportons|exigeons|exige)\s+(?:jetzt\s+|nur\s+|only\s+|at least\s+|mindestens\s+)?(?P<name>[a-z][\w+#.-]*[a-z+#])\s+v?(?P<version>\d+(?:\.\d+)*)\b"
);
pattern!(
    FROM_THEN_ON = r"(?i)\b(?:now|by now|from now on|from version|from v?\d|as of|since|jetzt|nun|ab|seit|inzwischen|ahora|desde|a partir de|maintenant|désormais|dès|depuis|à partir de)\b|现在"
);

/// Returns the reason if both require the same thing in other versions, and the newer one says from when on.
fn other_version(old: &str, new: &str) -> Option<String> {
    let (before, now) = (REQUIRES_VERSION.captures(old)?, REQUIRES_VERSION.captures(new)?);
    let is_same = before["name"].eq_ignore_ascii_case(&now["name"]);
    let differs = before["version"] != now["version"];
    (is_same && differs && FROM_THEN_ON.is_match(new)).then(|| {
        format!("It changed: {} {} before, {} now.", &before["name"], &before["version"], &now["version"])
    })
}

// "8 GB since yesterday": what stands behind the value says from when on it holds.
pattern!(SINCE = r"(?i)^(?:since|now|seit|jetzt|desde|ahora|depuis|maintenant)$");

/// Returns the reason if both statements are the same but for one value, after "is" and the like or
/// with "now" in the newer one. The newer one may go on and say since when.
fn now_another(old: &str, new: &str) -> Option<String> {
    let (before, after) = (lower_case_words(old), lower_case_words(new));
    let count = after.len();
    let is_now = |word: &String| NOW.is_match(word);
    let says_now = after.iter().any(is_now);
    let drop_now = |words: Vec<String>| words.into_iter().filter(|word| !is_now(word)).collect::<Vec<_>>();
    let goes_on = after.get(before.len()..).is_some_and(|rest| rest.iter().any(|word| SINCE.is_match(word)));
    let (before, mut after) = (drop_now(before), drop_now(after));
    if goes_on {
        after.truncate(before.len());
    }
    let differing: Vec<usize> =
        (0..before.len().min(count)).filter(|at| before.get(*at) != after.get(*at)).collect();
    let [at] = differing[..] else { return None };
    if before.len() != after.len() || at < 2 {
        return None;
    }
    let (one, other) = (&before[at], &after[at]);
    let follows = BEFORE_VALUE.contains(&before[at - 1].as_str());
    let is_value = |word: &str| word.chars().any(|c| c.is_ascii_digit() || matches!(c, '.' | '/' | '_'));
    let is_changed = says_now || follows && is_value(one) && is_value(other);
    is_changed.then(|| format!("It changed: {one} before, {other} now."))
}

impl ValueChange {
    fn of(text: &str) -> Option<Self> {
        let pair = |from: &str, to: &str| {
            let (from, to) = (lower_case_words(from), lower_case_words(to));
            let has_digit = |word: &str| word.chars().any(|c| c.is_ascii_digit());
            let names =
                |words: &[String]| words.iter().any(|word| has_digit(word) || content_word_count(word) > 0);
            (names(&from) && names(&to) && from != to).then_some(Self { from, to })
        };
        let of = |pattern: &regex::Regex, from: usize, to: usize| {
            let found = pattern.captures(text)?;
            pair(found.get(from)?.as_str(), found.get(to)?.as_str())
        };
        let moved = || CHANGED.is_match(text).then(|| of(&FROM_TO, 1, 2)).flatten();
        moved()
            .or_else(|| of(&REPLACED, 1, 2))
            .or_else(|| of(&INSTEAD, 2, 1))
            .or_else(|| of(&CHANGED_ZH, 1, 2))
    }

    /// Returns the words that say what changed: those of the text before the change, without verbs
    /// and fillers.
    fn subject(&self, text: &str) -> Vec<String> {
        let start = [&*FROM_TO, &*REPLACED, &*INSTEAD]
            .iter()
            .filter_map(|pattern| pattern.find(text))
            .map(|found| found.start())
            .min();
        let before = start.and_then(|at| text.get(..at)).unwrap_or_default();
        // Of several sentences, the one with the change.
        let before = before.rsplit(['.', ';', '!', '?']).next().unwrap_or_default();
        let is_filler = |word: &String| {
            CHANGED.is_match(word)
                || NOW.is_match(word)
                || content_word_count(word) == 0
                || word.chars().count() < 3
                || FILLERS.contains(&word.as_str())
        };
        lower_case_words(before).into_iter().filter(|word| !is_filler(word)).collect()
    }
}

/// Words before a change that do not say what changed.
#[rustfmt::skip]
const FILLERS: [&str; 38] = [
    "the", "our", "you", "they", "has", "have", "had", "was", "were", "been", "use", "using", "always", "please", "everything",
    "project", "repo", "team", "just", "recently", "finally", "from", "haben", "wir", "hat", "ist", "wurde", "sind", "nutze",
    "hemos", "hay", "que", "usar", "nous", "avons", "est", "utilise", "utiliser",
];

/// Returns the words of a text in lower case, without punctuation at their ends.
fn lower_case_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let split =
        lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '`' | '"' | '：'));
    let bare = split.map(|word| word.trim_matches(['.', ':', '!', '?', '*', '\'']));
    bare.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns `true` if a list of words contains another one in sequence.
fn holds(words: &[String], wanted: &[String]) -> bool {
    words.windows(wanted.len().max(1)).any(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_replaces_nothing() {
        let new = "For this purpose there is FakeCloud, and every test of the sync is to use that instead of a real container.";
        let old =
            "I have thought about this: we draw a chart with Swift Charts, and take no further packages";
        assert_eq!(replaced(old, new), None);
        assert_eq!(
            replaced(
                "We use a build cache",
                "The old test moved from the cache folder to a new one. Use npm."
            ),
            None
        );
    }

    #[test]
    fn an_update_replaces_what_it_changes() {
        for (old, new) in [
            ("timezone: EST", "timezone: PST"),
            ("Node version: 18", "node version = 22"),
            ("package manager: npm", "switched from npm to pnpm"),
            ("We use npm for everything", "We switched from npm to pnpm last week"),
            ("Die API läuft mit npm", "Wir haben von npm auf pnpm umgestellt"),
            ("usa npm", "hemos cambiado de npm a pnpm"),
            ("le projet utilise npm", "on est passé de npm à pnpm"),
            ("我们用 npm", "从 npm 换成了 pnpm"),
            ("The API runs on port 8080", "The API moved from port 8080 to 9090"),
            ("We use Redis for the cache", "Replaced Redis with Valkey"),
            ("Use npm", "Use pnpm instead of npm"),
            ("The staging server is stage1.example.com", "The staging server is now stage2.example.com"),
            ("The reviewer of the cart is Jonas", "The reviewer of the cart is now Ana"),
            ("The staging server is stage1.example.com", "The staging server is stage2.example.com"),
            ("Staging has 2 GB", "Staging has 8 GB of RAM since yesterday"),
            ("We support iOS 17 and upwards", "From version 4.7 we require iOS 18"),
        ] {
            assert!(replaced(old, new).is_some(), "{old} / {new}");
        }
    }

    #[test]
    fn what_is_about_something_else_is_not_replaced() {
        for (old, new) in [
            ("timezone: EST", "locale: en_US"),
            (
                "root cause: the pool leaked a connection on each health check",
                "root cause: the clock of the host was wrong by an hour",
            ),
            (
                "npm audit reports 12 problems in the old lock file that nobody has looked into yet",
                "switched from npm to pnpm",
            ),
            ("The API runs on port 8080", "The worker moved from port 9000 to 9090"),
            ("The metrics run on port 8080", "The API moved from port 8080 to 9090"),
            ("We use pnpm, not npm", "switched from npm to pnpm"),
            ("The reviewer of the cart is Jonas", "The reviewer of the search is Ana"),
            ("The queue keeps jobs for a day", "The cache keeps jobs for a day"),
            ("The database listens on 5432", "The database listens on 5433 in tests"),
        ] {
            assert_eq!(replaced(old, new), None, "{old} / {new}");
        }
    }
}
