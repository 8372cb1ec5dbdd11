//! Parses the YAML playbook of other tools: `schema_version` 1 or 2, snake_case or camelCase, with
//! or without events.
//!
//! Computed values (scores, negations) are ignored; every key that cannot be represented is
//! reported as a finding.

use yaml_serde::Value;

use super::mapping_reader::MappingReader;
use super::{GENERAL, ImportedDocument, category};
use cm_note::bullet::blocked::{BlockKind, BlockedFields, BlockedNote};
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::id::BulletId;
use cm_note::bullet::{
    Bullet, BulletFields, BulletKind, BulletState, BulletType, DerivedFrom, Incident, Maturity, Scope,
    SessionSource, Verify, VerifyKind, VerifyMode,
};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::parse::{self, FrontmatterField};
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal, name};
use cm_note::path::NotePath;

/// Note of feedback events that were reconstructed from a count.
pub(crate) const COUNTED: &str = "imported count";

/// Maximum number of events that are reconstructed from a count.
const MAX_EVENTS: f64 = 1_000.0;

/// Error for a file that is not a playbook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotAPlaybook {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// Parses a playbook. `file` is its name in findings; `now` is the date of items without one.
///
/// # Errors
/// The text is not YAML, or not a playbook of a supported version.
pub fn read(text: &str, file: &str, now: Instant) -> Result<ImportedDocument, NotAPlaybook> {
    let (wrapped, shift) = wrapped(text);
    let split = Split::of(&wrapped);
    let last = i64::try_from(text.lines().count()).unwrap_or(i64::MAX).max(1);
    let line = |line: u32| u32::try_from((i64::from(line) + shift).clamp(1, last)).unwrap_or(1);
    if let Some(after) = split.body().lines().position(|line| !matches!(line.trim_end(), "" | "---" | "..."))
    {
        let at = line(split.body_line() + u32::try_from(after).unwrap_or(0));
        return Err(no_playbook(at, "a second document starts here", "use one playbook per file"));
    }
    let parsed = parse::parse(&split);
    if let Some(fault) = parsed.faults.into_iter().next() {
        let message = fault.message.replace("the frontmatter", "the playbook");
        return Err(NotAPlaybook { line: line(fault.line), column: fault.column, message, hint: fault.hint });
    }
    let fields: Vec<&FrontmatterField> = parsed.fields.iter().collect();
    let mut keys =
        MappingReader::of(fields.iter().map(|field| (field.key.clone(), &field.value)), "the playbook", 1);
    version(&mut keys)?;
    keys.derived(&["name"]);
    let undated = created_at(&mut keys).unwrap_or(now);
    let mut reader = PlaybookParser { file, undated, document: ImportedDocument::default() };
    let lines = |name: &str, index: usize| {
        let matching = fields.iter().find(|field| field.key.eq_ignore_ascii_case(&name.replace('_', "")));
        let field = fields.iter().find(|field| field.key == name).or(matching);
        line(field.map_or(1, |field| field.item_line(index)))
    };
    for (index, item) in keys.list("bullets").into_iter().enumerate() {
        reader.bullet(item, index, lines("bullets", index));
    }
    for (index, item) in keys.list("deprecated_patterns").into_iter().enumerate() {
        reader.pattern(item, index, lines("deprecated_patterns", index));
    }
    let mut document = reader.document;
    keys.finish(file, &mut document.findings);
    Ok(document)
}

fn no_playbook(line: u32, message: impl Into<String>, hint: &str) -> NotAPlaybook {
    NotAPlaybook { line, column: 1, message: message.into(), hint: hint.to_owned() }
}

/// Checks that the mapping is a playbook of a supported version.
fn version(keys: &mut MappingReader<'_>) -> Result<(), NotAPlaybook> {
    let hint = "a playbook has `schema_version` 1 or 2 and a list `bullets`";
    match keys.text("schema_version").as_deref() {
        Some("1" | "2" | "1.0" | "2.0") => Ok(()),
        Some(other) => {
            Err(no_playbook(1, format!("the playbook's schema_version {other} is not supported"), hint))
        }
        None if keys.has("bullets") || keys.has("deprecated_patterns") => Ok(()),
        None => Err(no_playbook(1, "not a playbook: there is no `bullets` list", hint)),
    }
}

/// Creation date of the playbook. Other metadata is computed or of no use elsewhere.
fn created_at(keys: &mut MappingReader<'_>) -> Option<Instant> {
    let mut metadata = keys.mapping("metadata")?;
    let created = metadata.date("created_at");
    metadata.derived(&["last_reflection", "total_reflections", "total_sessions_processed"]);
    keys.absorb(metadata, "`metadata`");
    created
}

/// Wraps a YAML text in `---` lines for the frontmatter parser; returns the offset of line numbers.
fn wrapped(text: &str) -> (String, i64) {
    let text = text.trim_start_matches('\u{feff}');
    let passed =
        |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#') || line.starts_with('%');
    let before: usize = text.split_inclusive('\n').take_while(passed).map(str::len).sum();
    let marked = text[before..].lines().next().is_some_and(|line| line.trim_end() == "---");
    if marked {
        let lines = i64::try_from(text[..before].lines().count()).unwrap_or(0);
        return (closed(&text[before..]), lines);
    }
    (closed(&format!("---\n{text}")), -1)
}

fn closed(text: &str) -> String {
    let line_break = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{line_break}---\n")
}

/// State of the parser.
struct PlaybookParser<'a> {
    file: &'a str,
    /// Date of items without one.
    undated: Instant,
    document: ImportedDocument,
}

impl PlaybookParser<'_> {
    fn bullet(&mut self, item: &Value, index: usize, line: u32) {
        let subject = format!("bullet {}", index + 1);
        let Some(mut keys) = MappingReader::of_value(item, subject, line) else {
            return self.no_mapping("bullets", index, line);
        };
        let id = id(&mut keys);
        if let Some(id) = &id {
            keys.subject = format!("rule {id}");
        }
        let Some(content) = keys.text("content").map(|content| fold_whitespace(&content)) else {
            keys.report_problem(FindingCode::MissingKey, "it has no `content` and was skipped");
            return keys.finish(self.file, &mut self.document.findings);
        };
        let bullet = self.fields(&mut keys, id, content);
        keys.derived(&["effective_score", "score", "helpful_count", "harmful_count", "is_negative"]);
        keys.finish(self.file, &mut self.document.findings);
        self.document.bullets.extend(bullet);
    }

    fn fields(&self, keys: &mut MappingReader<'_>, id: Option<NoteId>, content: String) -> Option<Bullet> {
        let negative = keys.flag("is_negative").unwrap_or(false);
        let usual = if negative { BulletType::AntiPattern } else { BulletType::Rule };
        let bullet_type = keys.enum_value("type", BulletType::of).unwrap_or(usual);
        let kind = match bullet_type {
            BulletType::Rule => BulletKind::StackPattern,
            BulletType::AntiPattern => BulletKind::AntiPattern,
        };
        let (created, updated) = (keys.date("created_at"), keys.date("updated_at"));
        let deprecated = keys.flag("deprecated").unwrap_or(false);
        let maturity = keys.enum_value("maturity", Maturity::of).unwrap_or_default();
        let maturity = if deprecated { Maturity::Deprecated } else { maturity };
        // Another tool's bullets are in use unless it says otherwise.
        let in_use =
            if maturity == Maturity::Deprecated { BulletState::Retired } else { BulletState::Active };
        let category = category_of(keys);
        let id =
            id.unwrap_or_else(|| derived_bullet_id(created, &category, &content, &self.document.bullets));
        let path = format!("playbook/{category}/{}", name::file_name(&content, &id));
        let feedback = feedback(keys, updated.or(created).unwrap_or(self.undated));
        let (sources, derived_from) = (sources(keys), derived_from(keys));
        Some(Bullet {
            id,
            path: NotePath::parse(&path).ok()?,
            bullet_type,
            category,
            scope: keys.enum_value("scope", Scope::of).unwrap_or_default(),
            workspace: keys.text("workspace"),
            state: keys.enum_value("state", BulletState::of).unwrap_or(in_use),
            maturity,
            pinned: keys.flag("pinned").unwrap_or(false),
            tags: tags(keys),
            feedback,
            created,
            updated,
            last_checked: keys.date("last_checked"),
            fields: BulletFields {
                content,
                why: keys.text("reasoning").or_else(|| keys.text("why")),
                kind: keys.enum_value("kind", BulletKind::of).unwrap_or(kind),
                scope_key: keys.text("scope_key"),
                pinned_reason: keys.text("pinned_reason"),
                half_life_days: half_life(keys),
                sources,
                derived_from,
                search_pointer: keys.text("search_pointer"),
                verify: verify(keys),
                incident: incident(keys),
                supersedes: keys.text("supersedes"),
                replaced_by: keys.text("replaced_by"),
                deprecation_reason: keys.text("deprecation_reason"),
                promoted_at: keys.date("promoted_at"),
                last_validated_at: keys.date("last_validated_at"),
            },
        })
    }

    fn pattern(&mut self, item: &Value, index: usize, line: u32) {
        let subject = format!("deprecated pattern {}", index + 1);
        let Some(mut keys) = MappingReader::of_value(item, subject, line) else {
            return self.no_mapping("deprecated_patterns", index, line);
        };
        let (id, pattern) = (id(&mut keys), keys.text("pattern"));
        if let Some(pattern) = pattern {
            let id = id.unwrap_or_else(|| pattern_id(&pattern));
            let path = format!("blocked/{}", name::file_name(&pattern, &id));
            let fields = BlockedFields {
                pattern: Some(pattern),
                reason: keys.text("reason"),
                replacement: keys.text("replacement"),
                source_bullet: keys.text("source_bullet"),
                ..BlockedFields::default()
            };
            let created = keys.date("deprecated_at");
            let blocked = NotePath::parse(&path).ok().map(|path| BlockedNote {
                id,
                path,
                kind: BlockKind::Deprecated,
                created,
                fields,
            });
            self.document.blocked.extend(blocked);
        } else {
            keys.report_problem(FindingCode::MissingKey, "it has no `pattern` and was skipped");
        }
        keys.finish(self.file, &mut self.document.findings);
    }

    fn no_mapping(&mut self, list: &str, index: usize, line: u32) {
        self.document.findings.push(Finding {
            path: self.file.to_owned(),
            line: Some(line),
            column: None,
            code: FindingCode::InvalidValue,
            severity: Severity::Warning,
            message: format!("item {} of `{list}` is not a mapping and was skipped", index + 1),
            hint: None,
        });
    }
}

fn id(keys: &mut MappingReader<'_>) -> Option<NoteId> {
    let text = keys.text("id")?;
    let id = NoteId::parse(&text);
    if id.is_err() {
        keys.report_problem(FindingCode::InvalidValue, "its ID is not valid; it gets a new one");
    }
    id.ok()
}

/// The id of a bullet that has none, derived from its creation date, category, text and occurrence
/// number.
fn derived_bullet_id(created: Option<Instant>, category: &str, content: &str, before: &[Bullet]) -> NoteId {
    let at = created.unwrap_or(Instant::from_unix(0));
    let alike =
        before.iter().filter(|bullet| bullet.content() == content && bullet.category == category).count();
    let mut entropy = [0; 16];
    let text = format!("cm bullet\0{category}\0{content}\0{alike}");
    entropy.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    BulletId::generate(at, &entropy).into()
}

/// The id of a pattern, derived from its text, because the format has no ids for patterns.
fn pattern_id(pattern: &str) -> NoteId {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(format!("cm pattern\0{pattern}").as_bytes()).as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(half).into_uuid().into()
}

fn category_of(keys: &mut MappingReader<'_>) -> String {
    let Some(written) = keys.text("category") else { return GENERAL.to_owned() };
    let folded = category(&written);
    if folded != written {
        keys.report_problem(
            FindingCode::InvalidValue,
            format!("the category `{written}` was renamed to `{folded}`"),
        );
    }
    folded
}

fn tags(keys: &mut MappingReader<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in keys.texts("tags") {
        let tag = fold_whitespace(tag.trim_start_matches('#'));
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

fn half_life(keys: &mut MappingReader<'_>) -> Option<f64> {
    let ours = keys.number("half_life_days");
    keys.number("confidence_decay_half_life_days").or(ours)
}

/// The feedback events, plus events reconstructed from counts that exceed them.
fn feedback(keys: &mut MappingReader<'_>, at: Instant) -> Vec<Feedback> {
    let mut events = Vec::new();
    for (index, item) in keys.list("feedback_events").into_iter().enumerate() {
        let name = format!("event {}", index + 1);
        match MappingReader::of_value(item, "", 0) {
            Some(mut event) => {
                events.extend(feedback_event(&mut event, at));
                keys.absorb(event, &name);
            }
            None => keys.report_problem(
                FindingCode::InvalidValue,
                format!("{name} is not a mapping and was skipped"),
            ),
        }
    }
    for (name, signal) in
        [("helpful_count", FeedbackSignal::Helpful), ("harmful_count", FeedbackSignal::Harmful)]
    {
        let recorded = events.iter().filter(|event: &&Feedback| event.signal == signal).count();
        let count = keys.number(name).unwrap_or(0.0);
        if count > MAX_EVENTS {
            keys.report_problem(
                FindingCode::OutOfRange,
                format!("`{name}` is {count}; it was limited to {MAX_EVENTS}"),
            );
        }
        let missing = (count.clamp(0.0, MAX_EVENTS) as usize).saturating_sub(recorded);
        let counted = Feedback { note: Some(COUNTED.to_owned()), ..Feedback::new(at, signal) };
        events.extend(std::iter::repeat_n(counted, missing));
    }
    events
}

fn feedback_event(keys: &mut MappingReader<'_>, undated: Instant) -> Option<Feedback> {
    let signal = keys.enum_value("type", FeedbackSignal::of);
    if signal.is_none() {
        keys.report_problem(
            FindingCode::MissingKey,
            "its `type` is neither helpful nor harmful; it was skipped",
        );
    }
    let weight = keys.number("weight").unwrap_or(1.0);
    if !(0.0..=1.0).contains(&weight) {
        keys.report_problem(
            FindingCode::OutOfRange,
            format!("`weight` is {weight}; it must be between 0 and 1"),
        );
    }
    keys.derived(&["decayed_value"]);
    Some(Feedback {
        at: keys.date("timestamp").unwrap_or(undated),
        signal: signal?,
        weight: weight.clamp(0.0, 1.0),
        session: keys.text("session_path").or_else(|| keys.text("session")),
        agent: keys.text("agent"),
        author: keys.text("author"),
        reason: keys.text("reason"),
        note: keys.text("context"),
        invert: false,
    })
}

/// The sessions with their agents: from `sources`, else by pairing `source_sessions` and
/// `source_agents`.
fn sources(keys: &mut MappingReader<'_>) -> Vec<SessionSource> {
    let (sessions, agents) = (keys.texts("source_sessions"), keys.texts("source_agents"));
    let stated: Vec<SessionSource> =
        keys.list("sources").into_iter().filter_map(|item| source(keys, item)).collect();
    if !stated.is_empty() {
        return stated;
    }
    let agent_of = |index: usize| match agents.as_slice() {
        [one] => Some(one.clone()),
        several if several.len() == sessions.len() => several.get(index).cloned(),
        _ => None,
    };
    let unclear = !agents.is_empty() && (0..sessions.len()).all(|index| agent_of(index).is_none());
    if unclear {
        let agents = agents.join(", ");
        keys.report_problem(
            FindingCode::InvalidValue,
            format!("it is unknown which of its sessions belong to {agents}"),
        );
    }
    let of = |(index, session): (usize, &String)| SessionSource {
        session: session.clone(),
        agent: agent_of(index),
        line: None,
    };
    sessions.iter().enumerate().map(of).collect()
}

fn source(keys: &mut MappingReader<'_>, value: &Value) -> Option<SessionSource> {
    let stated = MappingReader::of_value(value, "", 0).map(|mut source| {
        let line = source.text("line").and_then(|line| line.parse().ok());
        let (session, agent) = (source.text("session"), source.text("agent"));
        keys.absorb(source, "`sources`");
        session.map(|session| SessionSource { session, agent, line })
    });
    if !matches!(stated, Some(Some(_))) {
        keys.report_problem(
            FindingCode::InvalidValue,
            "an item of `sources` has no `session` and was skipped",
        );
    }
    stated.flatten()
}

fn derived_from(keys: &mut MappingReader<'_>) -> DerivedFrom {
    let Some(mut derived) = keys.mapping("derived_from") else { return DerivedFrom::default() };
    let read = DerivedFrom { diaries: derived.texts("diaries"), evidence: derived.texts("evidence") };
    keys.absorb(derived, "`derived_from`");
    read
}

fn verify(keys: &mut MappingReader<'_>) -> Option<Verify> {
    let mut verify = keys.mapping("verify")?;
    let kind = verify.text("kind").and_then(|kind| VerifyKind::of(&kind));
    let mode = verify.text("mode").and_then(|mode| VerifyMode::of(&mode)).unwrap_or_default();
    let read = kind.zip(verify.text("pattern")).map(|(kind, pattern)| Verify { kind, pattern, mode });
    keys.absorb(verify, "`verify`");
    if read.is_none() {
        keys.report_problem(
            FindingCode::InvalidValue,
            "`verify` needs a known `kind` and a `pattern`; it was skipped",
        );
    }
    read
}

fn incident(keys: &mut MappingReader<'_>) -> Option<Incident> {
    let mut incident = keys.mapping("incident")?;
    let stated = incident.text("class").zip(incident.text("shape"));
    let (session, date) = (incident.text("session"), incident.text("date"));
    let read = stated.map(|(class, shape)| Incident { class, shape, session, date });
    keys.absorb(incident, "`incident`");
    if read.is_none() {
        keys.report_problem(
            FindingCode::InvalidValue,
            "`incident` needs a `class` and a `shape`; it was skipped",
        );
    }
    read
}

#[cfg(test)]
mod tests;
