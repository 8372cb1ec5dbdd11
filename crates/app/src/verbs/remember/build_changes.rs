//! Turns a plan into file changes: new notes, further observations and sources of existing notes,
//! edges, and episode entries.

use std::collections::{BTreeMap, BTreeSet};

use yaml_serde::{Mapping, Value};

use super::{NewEpisode, PreferenceChange, SupersededFact, WrittenFact};
use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::verbs::add::known_type;
use crate::verbs::note_fields::{new_note_path, supersedes_edge};
use cm_learn::diary::note::as_line;
use cm_learn::remember::facts::{FactSource, NewFact};
use cm_learn::remember::preferences::{ChangedPreference, PreferenceObservation, evidence};
use cm_learn::remember::source::{Claim, SourceKind};
use cm_learn::remember::supersession::{ClaimRef, Supersession};
use cm_learn::remember::{ExistingMemory, RememberPlan, SkippedCounts, SourceCounts, preferences};
use cm_note::bullet::BulletState;
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::graph::NoteNames;
use cm_note::id::NoteId;
use cm_note::markdown::escape::wikilink;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::Note;
use cm_note::note::compose::{self, EdgeEnd, EpisodeEntry, MemoryDraft};
use cm_note::path::NotePath;
use cm_text::plural::count;

/// What the planned changes contain, for the result of the run.
#[derive(Debug, Default)]
pub struct RememberReport {
    /// Number of sources that were read, by kind.
    pub taken: SourceCounts,
    /// Number of sentences that were not remembered, by reason.
    pub left_out: SkippedCounts,
    pub facts: Vec<WrittenFact>,
    /// Facts that supersede older facts.
    pub superseded: Vec<SupersededFact>,
    /// New preferences, and preferences with new observations.
    pub preferences: Vec<PreferenceChange>,
    /// Causes of problems that were stored as new notes.
    pub fixes: Vec<WrittenFact>,
    /// Entries that are added to episode files.
    pub episodes: Vec<NewEpisode>,
    /// Whether the plan changes any file.
    pub wrote: bool,
}

/// `importance` of new facts and preferences.
const DEFAULT_IMPORTANCE: f64 = 0.6;
/// `confidence` of new facts.
const DEFAULT_CONFIDENCE: f64 = 0.7;

/// Builds the file changes of a plan and a report of them.
///
/// # Errors
/// Returns an error if the vault lacks a required note type, or if a name is not a valid path.
pub fn changes(
    context: &Context,
    open: &OpenVault,
    existing: &ExistingMemory,
    plan: RememberPlan,
) -> Result<(ChangeSet, RememberReport)> {
    let mut report = RememberReport {
        taken: plan.taken,
        left_out: plan.left_out,
        wrote: !plan.is_empty(),
        ..RememberReport::default()
    };
    let mut making = ChangeBuilder { context, open, changes: Vec::new(), ids: Vec::new() };
    let facts = plan.facts.new.iter().map(|new| making.fact("fact", new)).collect::<Result<Vec<_>>>()?;
    report.fixes = plan.fixes.iter().map(|new| making.fact("fix", new)).collect::<Result<Vec<_>>>()?;
    let fact_end = |fact: ClaimRef| match fact {
        ClaimRef::Known(at) => {
            let fact = &existing.facts[at];
            EdgeEnd::of_file(&fact.id, &fact.title, &fact.path)
        }
        ClaimRef::New(at) => new_end(&facts[at].id, &facts[at].text, &facts[at].path),
    };
    making.supersede(&plan.facts.supersessions, fact_end, &mut report.superseded)?;
    report.facts = facts;
    making.confirm(existing, &plan.facts.confirmed);
    for new in &plan.preferences.new {
        report.preferences.push(making.preference(new)?);
    }
    let preference_end = |preference: ClaimRef| match preference {
        ClaimRef::Known(at) => {
            let preference = &existing.preferences[at];
            EdgeEnd::of_file(&preference.id, &preference.text, &preference.path)
        }
        ClaimRef::New(at) => {
            let preference = &report.preferences[at];
            new_end(&preference.id, &preference.text, &preference.path)
        }
    };
    making.supersede(&plan.preferences.supersessions, preference_end, &mut report.superseded)?;
    for changed in &plan.preferences.changed {
        report.preferences.push(making.observe(&existing.preferences[changed.at], changed));
    }
    report.episodes = making.episodes(&plan.episodes)?;
    let message = making.ids.iter().fold(message(&plan), |message, id| message.id(id.as_str()));
    Ok((ChangeSet { message, changes: making.changes }, report))
}

fn message(plan: &RememberPlan) -> CommitMessage {
    let parts = [
        (plan.facts.new.len(), "fact"),
        (plan.preferences.new.len() + plan.preferences.changed.len(), "preference"),
        (plan.fixes.len(), "fix"),
        (plan.episodes.iter().filter(|entry| !is_record(entry)).count(), "episode"),
    ];
    let counts: Vec<String> =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(*number, noun)).collect();
    let what = if counts.is_empty() { "which sources were read".to_owned() } else { counts.join(", ") };
    CommitMessage::new(CommitOp::Remember, format!("Remember {what}"))
}

/// The end of an edge at a note that this run creates.
fn new_end(id: &str, title: &str, path: &str) -> EdgeEnd {
    EdgeEnd { id: id.to_owned(), title: title.to_owned(), target: file_stem(path).to_owned() }
}

/// Returns `true` if an entry only records which friction reports were read.
fn is_record(entry: &EpisodeEntry) -> bool {
    entry.note_type.as_deref() == Some(SourceKind::Friction.name())
}

struct ChangeBuilder<'m> {
    context: &'m Context,
    open: &'m OpenVault,
    changes: Vec<VaultFileChange>,
    ids: Vec<String>,
}

fn text(value: &str) -> Value {
    Value::String(value.to_owned())
}

fn mapping(entries: Vec<(&str, Option<Value>)>) -> Value {
    let entries = entries.into_iter().filter_map(|(key, value)| Some((text(key), value?)));
    Value::Mapping(entries.collect::<Mapping>())
}

fn source_item(source: &FactSource) -> Value {
    mapping(vec![
        ("from", Some(text(&source.from))),
        ("session", source.session.as_deref().map(text)),
        ("agent", source.agent.as_deref().map(text)),
        ("line", (source.line > 0).then(|| Value::from(source.line))),
    ])
}

fn observation_item(seen: &PreferenceObservation) -> Value {
    mapping(vec![
        ("from", Some(text(&seen.from))),
        ("session", seen.session.as_deref().map(text)),
        ("at", Some(text(&seen.at.truncate_to_second().to_string()))),
        ("against", seen.against.then(|| Value::from(true))),
    ])
}

/// Returns the `state` of a new memory: draft if the claim has a reason for it, unverified if it
/// comes from a single session or a reader and not from the user, else none.
fn state<'s>(claim: &Claim, sessions: impl Iterator<Item = Option<&'s str>>) -> Option<&'static str> {
    let sessions: BTreeSet<&str> = sessions.flatten().collect();
    match (claim.draft, sessions.len()) {
        (Some(_), _) => Some(BulletState::Draft.name()),
        (None, 1) if !claim.is_persons => Some(Note::UNVERIFIED),
        (None, 0) if !claim.is_persons && claim.is_readers => Some(Note::UNVERIFIED),
        (None, _) => None,
    }
}

/// Describes where a memory comes from, with the quotes that support it.
fn body(from: &str, evidence: &[String], notes: &[Note]) -> String {
    let quotes: String = evidence.iter().map(|quote| format!("- {}\n", as_line(quote))).collect();
    let origin = origin(from, notes);
    if quotes.is_empty() { origin } else { format!("{origin}\n\n## Evidence\n\n{}", quotes.trim_end()) }
}

/// Names the source of a memory; sources in the vault become links.
fn origin(from: &str, notes: &[Note]) -> String {
    match from.split_once(':') {
        Some((kind @ ("stash" | "diary"), id)) => {
            let at = notes.iter().position(|note| note.key() == id);
            let link = at.map(|at| wikilink(NoteNames::of(notes).link_target(at), &notes[at].title));
            format!("Remembered from the {kind} {}.", link.unwrap_or_else(|| format!("[[{id}]]")))
        }
        Some(("file", path)) => format!("Remembered from `{}`.", path.replace('`', "'")),
        _ => format!("Remembered from `{}`.", from.replace('`', "'")),
    }
}

fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

impl ChangeBuilder<'_> {
    /// Adds the change that creates a note; returns its id and path.
    fn memory(&mut self, note_type: &str, draft: MemoryDraft) -> Result<(String, NotePath)> {
        let folder = format!("graph/{}", known_type(self.open, note_type)?.folder);
        let path = new_note_path(self.open, &folder, &draft.title, &draft.id)?;
        let id = draft.id.to_string();
        self.changes.push(VaultFileChange::Create { path: path.clone(), text: compose::memory(&draft) });
        self.ids.push(id.clone());
        Ok((id, path))
    }

    /// Adds the note of a fact, or of another type with the same fields.
    fn fact(&mut self, note_type: &str, new: &NewFact) -> Result<WrittenFact> {
        let notes = self.context.notes_of(self.open)?;
        let first = new.places.first();
        let mut extra =
            vec![("sources".to_owned(), Value::Sequence(new.places.iter().map(source_item).collect()))];
        extra.extend(new.workspace.as_deref().map(|workspace| ("workspace".to_owned(), text(workspace))));
        let sessions = new.places.iter().map(|source| source.session.as_deref());
        let state = state(&new.claim, sessions);
        extra.extend(state.map(|state| ("state".to_owned(), text(state))));
        let draft = MemoryDraft {
            id: NoteId::from(self.context.new_uuid()),
            note_type: note_type.to_owned(),
            title: new.claim.text.clone(),
            tags: Vec::new(),
            importance: DEFAULT_IMPORTANCE,
            confidence: Some(DEFAULT_CONFIDENCE),
            created: new.at.truncate_to_second(),
            author: None,
            agent: first.and_then(|source| source.agent.clone()),
            session: first.and_then(|source| source.session.clone()),
            body: first.map(|source| body(&source.from, &new.claim.evidence, &notes)).unwrap_or_default(),
            extra,
        };
        let (id, path) = self.memory(note_type, draft)?;
        Ok(WrittenFact {
            id,
            path: path.into(),
            text: new.claim.text.clone(),
            draft: new.claim.draft.map(str::to_owned),
        })
    }

    /// Adds edges from newer claims to those that they supersede; the older notes are not changed.
    fn supersede(
        &mut self,
        steps: &[Supersession],
        end: impl Fn(ClaimRef) -> EdgeEnd,
        superseded: &mut Vec<SupersededFact>,
    ) -> Result<()> {
        for step in steps {
            let (newer, older) = (end(step.newer), end(step.older));
            let (id, path, text) = supersedes_edge(self.context, self.open, (&newer, &older), &step.why)?;
            self.changes.push(VaultFileChange::Create { path: path.clone(), text });
            self.ids.push(id.into());
            superseded.push(SupersededFact {
                newer: newer.title,
                older: older.title,
                edge: path.into(),
                why: step.why.clone(),
            });
        }
        Ok(())
    }

    fn confirm(&mut self, existing: &ExistingMemory, confirmed: &[(usize, FactSource)]) {
        let mut edits: BTreeMap<usize, Vec<Edit>> = BTreeMap::new();
        for (at, source) in confirmed {
            let push = Edit::Push { key: "sources".to_owned(), item: source_item(source) };
            edits.entry(*at).or_default().push(push);
        }
        for (at, mut edits) in edits {
            let fact = &existing.facts[at];
            let session_sources = fact.sources.iter().flatten().map(String::as_str);
            let more = confirmed.iter().filter(|(of, source)| *of == at && source.session.is_some());
            edits.extend(self.confirmation(
                &fact.path,
                session_sources.chain(more.map(|(_, source)| source.from.as_str())),
            ));
            self.changes.push(VaultFileChange::edit(existing.facts[at].path.clone(), edits));
            self.ids.push(existing.facts[at].id.clone());
        }
    }

    /// Returns the edit that makes an unverified memory active if at least two sessions support it.
    fn confirmation<'s>(&self, path: &NotePath, sessions: impl Iterator<Item = &'s str>) -> Option<Edit> {
        let is_unverified = load(self.open, path).is_ok_and(|found| found.note.is_unverified());
        let is_confirmed = is_unverified && sessions.collect::<BTreeSet<_>>().len() > 1;
        is_confirmed.then(|| Edit::set_text("state", BulletState::Active.name()))
    }

    fn preference(&mut self, new: &preferences::NewPreference) -> Result<PreferenceChange> {
        let notes = self.context.notes_of(self.open)?;
        let evidence = evidence(&new.observations);
        let first = new.observations.first();
        let items = new.observations.iter().map(observation_item).collect();
        let mut extra = vec![("observations".to_owned(), Value::Sequence(items))];
        extra.extend(new.workspace.as_deref().map(|workspace| ("workspace".to_owned(), text(workspace))));
        let sessions = new.observations.iter().map(|seen| seen.session.as_deref());
        let state = state(&new.claim, sessions);
        extra.extend(state.map(|state| ("state".to_owned(), text(state))));
        let draft = MemoryDraft {
            id: NoteId::from(self.context.new_uuid()),
            note_type: "preference".to_owned(),
            title: new.claim.text.clone(),
            tags: Vec::new(),
            importance: DEFAULT_IMPORTANCE,
            confidence: Some(evidence.level.value()),
            created: first.map_or(self.context.now(), |seen| seen.at.truncate_to_second()),
            author: None,
            agent: new.agent.clone(),
            session: first.and_then(|seen| seen.session.clone()),
            body: first.map(|seen| body(&seen.from, &new.claim.evidence, &notes)).unwrap_or_default(),
            extra,
        };
        let (id, path) = self.memory("preference", draft)?;
        Ok(PreferenceChange {
            id,
            path: path.into(),
            text: new.claim.text.clone(),
            level: evidence.level,
            before: None,
            observed: evidence.observed,
            against: evidence.against,
            draft: new.claim.draft.map(str::to_owned),
        })
    }

    fn observe(
        &mut self,
        existing: &preferences::ExistingPreference,
        changed: &ChangedPreference,
    ) -> PreferenceChange {
        // The session that it was first seen in stands in the note only once others come to it.
        let first = existing.observations.iter().filter(|seen| seen.from == format!("note:{}", existing.id));
        let items = first.chain(&changed.added).map(observation_item);
        let mut edits: Vec<Edit> =
            items.map(|item| Edit::Push { key: "observations".to_owned(), item }).collect();
        let mut set = |key: &str, value: Value| edits.push(Edit::Set { key: key.to_owned(), value });
        set("confidence", Value::from(changed.after.level.value()));
        set("updated", text(&self.context.now().to_string()));
        if changed.everywhere {
            edits.push(Edit::Remove { key: "workspace".to_owned() });
        }
        let seen = existing.observations.iter().chain(&changed.added).filter(|seen| !seen.against);
        edits.extend(self.confirmation(&existing.path, seen.filter_map(|seen| seen.session.as_deref())));
        self.changes.push(VaultFileChange::edit(existing.path.clone(), edits));
        self.ids.push(existing.id.clone());
        PreferenceChange {
            id: existing.id.clone(),
            path: existing.path.to_string(),
            text: existing.text.clone(),
            level: changed.after.level,
            before: Some(changed.before.level),
            observed: changed.after.observed,
            against: changed.after.against,
            draft: None,
        }
    }

    /// Adds entries to the episode files, each to that of its day.
    fn episodes(&mut self, entries: &[EpisodeEntry]) -> Result<Vec<NewEpisode>> {
        let mut days: BTreeMap<String, Vec<&EpisodeEntry>> = BTreeMap::new();
        for entry in entries {
            days.entry(compose::episode_path(entry.at)).or_default().push(entry);
        }
        let mut written = Vec::new();
        for (day, entries) in days {
            let path = NotePath::parse(&day)?;
            let there = self.open.vault.file(&path).exists();
            let mut text = String::new();
            for (at, entry) in entries.iter().enumerate() {
                text +=
                    &if at == 0 && !there { compose::episode(entry) } else { compose::episode_entry(entry) };
                if !is_record(entry) {
                    let entry = format!("{} - {}", entry.at.minute(), entry.title);
                    written.push(NewEpisode { path: day.clone(), entry });
                }
            }
            self.changes.push(match there {
                true => VaultFileChange::edit(path, vec![Edit::AppendBody { text }]),
                false => VaultFileChange::Create { path, text },
            });
        }
        Ok(written)
    }
}
