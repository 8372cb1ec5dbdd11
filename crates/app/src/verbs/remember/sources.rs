//! Collects the sources to remember from, and the existing facts and preferences, from the vault
//! and the project folder.
//!
//! Files of other tools are never written. All texts are redacted before they are used.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use yaml_serde::Value;

use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::logs;
use crate::sessions::session_filter;
use cm_learn::remember::friction_reports::{self, FrictionReports};
use cm_learn::remember::preferences::PreferenceObservation;
use cm_learn::remember::source::{MemorySource, SourceKind};
use cm_learn::remember::{ExistingMemory, episodes, facts, parse, preferences, valid_notes};
use cm_learn::statement::{Statement, StatementContext};
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockedNote;
use cm_note::finding::FindingCode;
use cm_note::frontmatter::parse::{FrontmatterFields, parse, scalar_text};
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_secrets::RedactionRules;
use cm_store::vault::external_folder;
use cm_text::canonical::CanonicalForm;

/// Folders of stashes that other tools wrote, relative to the project folder.
const STASHES: [&str; 1] = [".claude/stash"];
/// Folders of friction analysis results, relative to the project folder.
const FRICTION: [&str; 2] = [".claude/friction", ".aurora/friction"];

/// Minimum probability at which a claim without a heading may be meant to last. It is low, because
/// such claims already read like facts or preferences.
const MIN_LASTING_PROBABILITY: f32 = 0.3;

/// Stashes and friction results in the project's folder, outside the vault.
#[derive(Debug, Default)]
pub struct ProjectSources {
    /// Stashes and friction results that were read.
    pub sources: Vec<MemorySource>,
    /// Notices for the user.
    pub notices: Vec<String>,
}

/// Returns the folder of the project vault's project, else the working directory.
pub fn project(context: &Context) -> PathBuf {
    let open = context.target();
    let own = open.level == VaultLevel::Project && context.request.vault.is_none();
    if own { session_filter::project(open).to_owned() } else { context.request.cwd.clone() }
}

/// Reads stashes and friction results that other tools wrote in the project.
///
/// # Errors
/// Returns an error if a redaction pattern is invalid or a stash folder cannot be read.
pub fn read_project_sources(context: &Context, project: &Path) -> Result<ProjectSources> {
    let open = context.target();
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let name = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut outside = ProjectSources::default();
    for folder in STASHES {
        let Some(real) = within(project, folder, &mut outside) else { continue };
        let read = external_folder::read(&real, open.vault.root())?;
        outside
            .notices
            .extend(read.findings.iter().map(|found| format!("{folder}/{}: {}", found.path, found.message)));
        for file in read.notes {
            let path = format!("{folder}/{}", file.path);
            let Ok(text) = std::str::from_utf8(&file.bytes) else {
                outside.notices.push(format!("{path} is not UTF-8 and was skipped"));
                continue;
            };
            if is_hidden(open, text) {
                outside.notices.push(format!("{path} has hidden characters and was skipped"));
                continue;
            }
            outside.sources.push(parse::of_file(&name, &path, &logs::text(text, &rules), file.modified));
        }
    }
    for folder in FRICTION {
        if let Some(real) = within(project, folder, &mut outside) {
            friction(&real, &name, &rules, context.now(), &mut outside);
        }
    }
    Ok(outside)
}

/// Returns the path of a folder below the project; `None` if it does not exist. A symbolic link out
/// of the project causes a notice and `None`.
fn within(project: &Path, folder: &str, outside: &mut ProjectSources) -> Option<PathBuf> {
    let real = project.join(folder).canonicalize().ok().filter(|real| real.is_dir())?;
    if project.canonicalize().is_ok_and(|project| real.starts_with(project)) {
        return Some(real);
    }
    outside.notices.push(format!("{folder} leads out of the project and was skipped"));
    None
}

/// Returns whether a text contains invisible characters, which can conceal instructions.
fn is_hidden(open: &OpenVault, text: &str) -> bool {
    let Ok(path) = NotePath::parse("stash/read.md") else { return true };
    let reading = open.parse(&path, text.as_bytes());
    reading.note.findings.iter().any(|found| found.code == FindingCode::HiddenCharacter)
}

fn friction(
    folder: &Path,
    project: &str,
    rules: &RedactionRules,
    now: Instant,
    outside: &mut ProjectSources,
) {
    let text = |name: &str| {
        let bytes = external_folder::file(&folder.join(name)).ok()?;
        String::from_utf8(bytes).ok()
    };
    let json = |name: &str| {
        let text = text(name)?;
        let Ok(mut value) = serde_json::from_str::<Json>(&text) else { return Some(text) };
        logs::value(&mut value, rules);
        Some(value.to_string())
    };
    let left = FrictionReports {
        project: project.to_owned(),
        candidates: json("antigen_candidates.json"),
        clusters: json("antigen_clusters.json"),
        review: text("antigen_review.md").map(|text| logs::text(&text, rules)),
    };
    let (sources, notices) = friction_reports::sources(&left, now);
    outside.notices.extend(notices);
    for source in sources {
        if outside.sources.iter().all(|there| there.key != source.key) {
            outside.sources.push(source);
        }
    }
}

/// Returns the stashes and diaries of a vault as redacted sources. Notes with invisible characters
/// are skipped with a notice.
///
/// # Errors
/// Returns an error if the notes cannot be read or a redaction pattern is invalid.
pub fn read_vault_sources(context: &Context, open: &OpenVault) -> Result<Vec<MemorySource>> {
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let mut sources = Vec::new();
    for note in context.notes_of(open)?.iter() {
        let origin = match note.kind {
            NoteKind::Stash => SourceKind::Stash,
            NoteKind::Diary => SourceKind::Diary,
            _ => continue,
        };
        if note.findings.iter().any(|found| found.code == FindingCode::HiddenCharacter) {
            context.notice(format!(
                "{} has hidden characters and was skipped: `cm validate` shows them",
                note.path
            ));
            continue;
        }
        // What cannot be read is told by its finding.
        let Ok(bytes) = open.read(&note.path) else { continue };
        let text = logs::text(&String::from_utf8_lossy(&bytes), &rules);
        sources.push(parse::of_note(note, origin, &text));
    }
    Ok(sources)
}

/// Returns the facts and preferences of a vault, and the sources from which its episodes were made.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn existing(context: &Context, open: &OpenVault) -> Result<ExistingMemory> {
    let notes = context.notes_of(open)?;
    let mut existing_memory = ExistingMemory::default();
    let mut days = Vec::new();
    for (note, live) in notes.iter().zip(valid_notes(&notes)) {
        let is_memory = note.kind == NoteKind::Episode
            || ["fact", "preference", "fix"].iter().any(|note_type| is_a(note, note_type));
        let Some(text) = is_memory.then(|| open.read(&note.path).ok()).flatten() else { continue };
        let text = String::from_utf8_lossy(&text);
        let split = Split::of(&text);
        if note.kind == NoteKind::Episode {
            days.extend(episodes::parse(note.path.stem(), split.body()));
            continue;
        }
        let fields = parse(&split).fields;
        if is_a(note, "fact") {
            existing_memory.facts.push(fact(note, &fields, live));
        } else if is_a(note, "fix") {
            existing_memory.fixes.push(fact(note, &fields, live));
        } else {
            existing_memory.preferences.push(preference(note, &fields, live));
        }
    }
    existing_memory.done = episodes::done(&days);
    Ok(existing_memory)
}

/// Minimum number of words of a statement that is a part of another.
const MIN_PART_WORDS: usize = 4;
/// Maximum number of words that a claim has besides the statement that it repeats, such as "from now on".
const MAX_WORDS_BESIDES: usize = 4;

/// Removes the claims that a rule, decision or blocked pattern of the vault makes already. What a person rejected,
/// retired or forgot is among them, so that it does not come back as a preference.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn retain_new(context: &Context, open: &OpenVault, sources: &mut [MemorySource]) -> Result<()> {
    let notes = context.notes_of(open)?;
    let statements: Vec<CanonicalForm> =
        notes.iter().filter_map(statement).map(|text| CanonicalForm::of(&text)).collect();
    let is_new = |text: &str| {
        let claim = CanonicalForm::of(text);
        let is_part = |part: &CanonicalForm, whole: &CanonicalForm| {
            part.words().len() >= MIN_PART_WORDS
                && whole.as_str().contains(part.as_str())
                && part.negations() == whole.negations()
                && part.numbers() == whole.numbers()
        };
        let repeats = |statement: &CanonicalForm| {
            let is_little_more = claim.words().len() <= statement.words().len() + MAX_WORDS_BESIDES;
            claim == *statement || is_part(&claim, statement) || is_little_more && is_part(statement, &claim)
        };
        !statements.iter().any(repeats)
    };
    for source in sources {
        for claims in [&mut source.facts, &mut source.preferences] {
            let before = claims.len();
            claims.retain(|claim| is_new(&claim.text));
            source.skipped.existing += before - claims.len();
        }
    }
    Ok(())
}

/// Returns the text of a rule, blocked pattern, or memory that is not made of claims.
fn statement(note: &Note) -> Option<String> {
    if let Some(bullet) = Bullet::of(note) {
        return Some(bullet.content().to_owned());
    }
    if let Some(blocked) = BlockedNote::of(note) {
        return blocked.fields.pattern.or(blocked.fields.content);
    }
    let is_of_claims = ["fact", "preference", "fix"].iter().any(|note_type| is_a(note, note_type));
    (note.kind == NoteKind::Memory && !is_of_claims).then(|| note.title.clone())
}

/// Removes the claims that no heading declares and that are only about their session's task, as the
/// classifier of statements judges.
pub fn retain_lasting(open: &OpenVault, sources: &mut [MemorySource]) {
    let claims = sources.iter().flat_map(|source| source.facts.iter().chain(&source.preferences));
    let statements: Vec<Statement> = claims
        .filter(|claim| !claim.is_explicit)
        .map(|claim| Statement {
            text: claim.text.clone(),
            line: claim.line,
            place: 0,
            context: StatementContext::Plain,
            answers: None,
            is_pasted: false,
        })
        .collect();
    let judged = judge_statements(open, &statements);
    let mut lasts = judged.iter().map(|judged| judged.lasting() >= MIN_LASTING_PROBABILITY);
    for source in sources {
        let before = source.facts.len() + source.preferences.len();
        for claims in [&mut source.facts, &mut source.preferences] {
            claims.retain(|claim| claim.is_explicit || lasts.next().unwrap_or(true));
        }
        source.skipped.passing += before - source.facts.len() - source.preferences.len();
    }
}

/// Returns whether a note is a memory of this type.
pub fn is_a(note: &Note, note_type: &str) -> bool {
    note.kind == NoteKind::Memory && note.note_type.as_deref() == Some(note_type)
}

fn fact(note: &Note, fields: &FrontmatterFields, live: bool) -> facts::ExistingFact {
    let items = fields.get("sources").and_then(|field| field.value.as_sequence());
    facts::ExistingFact {
        id: note.key().to_owned(),
        title: note.title.clone(),
        path: note.path.clone(),
        text: note.title.clone(),
        workspace: note.workspace.clone(),
        at: note.created,
        pinned: note.pinned,
        live,
        // Another tool's list has entries of another form, and stays as it is.
        sources: items.and_then(|items| items.iter().map(|item| text_field(item, "from")).collect()),
    }
}

/// Builds a preference with its observations; a note without a list counts as one observation of
/// the session that created it.
pub fn preference(note: &Note, fields: &FrontmatterFields, live: bool) -> preferences::ExistingPreference {
    let stored_observations = observations(fields);
    let from_session = note.session.is_some() || note.agent.is_some();
    let first = PreferenceObservation {
        from: format!("note:{}", note.key()),
        session: note.session.clone(),
        at: note.created.unwrap_or(Instant::from_unix(0)),
        against: false,
    };
    let is_word = stored_observations.is_none() && !from_session || note.pinned;
    preferences::ExistingPreference {
        id: note.key().to_owned(),
        path: note.path.clone(),
        text: note.title.clone(),
        workspace: note.workspace.clone(),
        observations: stored_observations.unwrap_or_else(|| if is_word { Vec::new() } else { vec![first] }),
        is_manual: is_word,
        live,
    }
}

/// Returns the `observations` of a frontmatter; `None` if the key is missing.
pub fn observations(fields: &FrontmatterFields) -> Option<Vec<PreferenceObservation>> {
    let items = fields.get("observations")?.value.as_sequence()?;
    let one = |item: &Value| {
        Some(PreferenceObservation {
            from: text_field(item, "from")?,
            session: text_field(item, "session"),
            at: Instant::parse(&text_field(item, "at")?).ok()?,
            against: item.get("against").and_then(Value::as_bool).unwrap_or(false),
        })
    };
    Some(items.iter().filter_map(one).collect())
}

fn text_field(item: &Value, key: &str) -> Option<String> {
    item.get(key).and_then(scalar_text)
}
