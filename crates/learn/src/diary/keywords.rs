//! Derives the tags and search keywords of a session.

use std::collections::{BTreeMap, BTreeSet};

use super::DiaryItem;
use super::changed_files::base_name;
use crate::outcome::shell::CommandKind;
use crate::outcome::steps::SessionStep;
use crate::prose::pattern;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// Maximum number of tags of a diary.
const MAX_TAGS: usize = 6;
/// Maximum number of search keywords of each kind: error codes, identifiers and file names.
const MAX_ANCHORS_PER_KIND: usize = 4;
/// Maximum number of error codes read in one text.
const MAX_CODES_PER_TEXT: usize = 50;

const LANGUAGES: [(&str, &str); 32] = [
    ("rs", "rust"),
    ("py", "python"),
    ("go", "go"),
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("mjs", "javascript"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("swift", "swift"),
    ("rb", "ruby"),
    ("php", "php"),
    ("c", "c"),
    ("h", "c"),
    ("cpp", "cpp"),
    ("hpp", "cpp"),
    ("cc", "cpp"),
    ("cs", "csharp"),
    ("sql", "sql"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("css", "css"),
    ("scss", "css"),
    ("html", "html"),
    ("vue", "vue"),
    ("svelte", "svelte"),
    ("tf", "terraform"),
    ("ex", "elixir"),
    ("scala", "scala"),
    ("lua", "lua"),
    ("zig", "zig"),
];

const TOOLS: [&str; 16] = [
    "docker",
    "kubectl",
    "terraform",
    "helm",
    "psql",
    "redis-cli",
    "gradle",
    "mvn",
    "cmake",
    "ansible",
    "aws",
    "gcloud",
    "gh",
    "supabase",
    "prisma",
    "bazel",
];

/// Returns the tags of a diary: languages of the changed files, programs that were run, and
/// `testing` if tests were run.
pub(super) fn tags(files: &[DiaryItem], steps: &[SessionStep]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let ending = base_name(&file.text).rsplit_once('.').map_or("", |(_, ending)| ending);
        if let Some((_, language)) = LANGUAGES.iter().find(|(other, _)| *other == ending) {
            *counts.entry(language).or_default() += 3;
        }
    }
    for part in steps.iter().flat_map(SessionStep::parts) {
        if let Some(tool) = TOOLS.iter().find(|tool| **tool == part.program()) {
            *counts.entry(tool).or_default() += 1;
        }
    }
    let mut tags: Vec<(&str, usize)> = counts.into_iter().collect();
    tags.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let ran =
        |wanted: CommandKind| steps.iter().any(|step| step.find_command(|work| work == wanted).is_some());
    let work = ran(CommandKind::Test).then_some("testing");
    tags.into_iter().map(|(tag, _)| tag).take(MAX_TAGS - 1).chain(work).map(str::to_owned).collect()
}

pattern!(
    CODE = r"\b(?:E\d{4}|TS\d{4}|E(?:ACCES|NOENT|CONN(?:REFUSED|RESET)|ADDRINUSE|PERM|EXIST|TIMEDOUT|NOTFOUND|MFILE|PIPE|BUSY|INVAL|ISDIR|NOTDIR|NOTEMPTY|RESOLVE|HOSTUNREACH)|[A-Z][A-Za-z]{2,30}(?:Error|Exception))\b"
);
pattern!(NAMED = r"`([A-Za-z_][\w.:/-]{3,39})(?:\(\))?`");

/// Returns keywords that help to find the session: error codes, identifiers, and names of changed
/// files.
pub(super) fn anchors(events: &[SessionEvent], steps: &[SessionStep], files: &[DiaryItem]) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut add = |found: Vec<String>| {
        for word in found.into_iter().take(MAX_ANCHORS_PER_KIND) {
            if !anchors.contains(&word) {
                anchors.push(word);
            }
        }
    };
    add(error_codes(events, steps));
    add(repeated_names(events));
    add(files.iter().map(|file| base_name(&file.text).to_owned()).collect());
    anchors
}

/// Returns the error codes and exception names, such as `ENOENT`, in the output of failed commands, checks
/// first, and in what the person wrote. The rest of the output is never quoted.
fn error_codes(events: &[SessionEvent], steps: &[SessionStep]) -> Vec<String> {
    let failed = |is_check: bool| {
        let failed = steps.iter().filter(|step| step.outcome == ToolOutcome::Error);
        let wanted = failed.filter(move |step| step.check().is_some() == is_check);
        wanted.filter_map(|step| events.get(step.done_at)?.kind.text())
    };
    let prompts = events.iter().filter(|event| !event.side).filter_map(|event| match &event.kind {
        EventKind::UserPrompt { text } => Some(text.as_str()),
        _ => None,
    });
    let mut found: Vec<String> = Vec::new();
    for text in failed(true).chain(failed(false)).chain(prompts) {
        for code in CODE.find_iter(text).take(MAX_CODES_PER_TEXT) {
            if !found.iter().any(|other| other == code.as_str()) {
                found.push(code.as_str().to_owned());
            }
        }
    }
    found
}

/// Returns the identifiers in backticks that occur in at least two messages, most frequent first.
fn repeated_names(events: &[SessionEvent]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in events.iter().filter(|event| !event.side) {
        let (EventKind::UserPrompt { text } | EventKind::AssistantText { text }) = &event.kind else {
            continue;
        };
        let inline: String = text.split("```").step_by(2).collect();
        let capitalized = NAMED.captures_iter(&inline).filter_map(|found| Some(found.get(1)?.as_str()));
        let here: BTreeSet<&str> = capitalized.filter(|name| has_shape(name)).collect();
        for name in here {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    let mut names: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    names.into_iter().map(|(name, _)| name).collect()
}

/// Returns `true` if a name is clearly an identifier, such as `loadTheme`, `a_b` or `x.go`.
fn has_shape(name: &str) -> bool {
    let inner =
        |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '.' | '/' | ':' | '-');
    name.char_indices().any(|(at, c)| at > 0 && inner(c)) && name.chars().any(|c| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;

    #[test]
    fn tags_and_anchors_place_a_session() {
        let mut kinds = vec![person("`loadTheme` is wrong"), agent("See `loadTheme` and `once`.")];
        kinds.extend(edited("1", "src/theme.ts"));
        kinds.extend(ran("2", "npx tsc", ToolOutcome::Error, "src/theme.ts(3,1): error TS2345: no"));
        kinds.extend(ran("3", "npm test", ToolOutcome::Ok, "TypeError in a passing test"));
        kinds.extend(ran("4", "./seed", ToolOutcome::Error, "connect ECONNREFUSED"));
        kinds.push(person("and what about the KeyError from staging?"));
        let events = log_of(kinds);
        let steps = steps(&events);
        let files = super::super::changed_files::files(&steps, None);
        assert_eq!(tags(&files, &steps), ["typescript", "testing"]);
        assert_eq!(
            anchors(&events, &steps, &files),
            ["TS2345", "ECONNREFUSED", "KeyError", "loadTheme", "theme.ts"]
        );
    }
}
