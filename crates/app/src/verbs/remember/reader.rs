//! Lets a language model or the calling agent read the sources, and checks what it found.
//!
//! The vault is not locked meanwhile: readings are matched to sources by key and content hash when
//! the changes are planned.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::sources::{self, ProjectSources};
use super::{Answer, Options};
use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::{secrets, write};
use crate::error::{CHANGED_MEANWHILE, Error, Result};
use crate::sessions::logs;
use cm_learn::prose::cut;
use cm_learn::reflect::answer::{
    AgentMemories, MemoriesAnswer, StatedMemory, agent_memories_schema, memories_schema,
};
use cm_learn::reflect::package;
use cm_learn::reflect::verify::Rejection;
use cm_learn::remember::ExistingMemory;
use cm_learn::remember::episodes::{SourceStatus, standing};
use cm_learn::remember::reading::{SourcePackage, SourceReading, name};
use cm_learn::remember::source::MemorySource;
use cm_secrets::RedactionRules;
use cm_text::plural::count;

/// Maximum length of the sources in one request to a model, in characters.
const MAX_REQUEST_CHARS: usize = 50_000;
/// Maximum length of the sources in a work package for an agent, in characters.
const MAX_PACKAGE_CHARS: usize = 20_000;

/// Sources that the calling agent reads in place of a language model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RememberPackage {
    /// Names of the sources, which the answer repeats.
    pub remembers: Vec<String>,
    /// Number of sources for which later calls return packages.
    pub left: usize,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Instructions and sources as one prompt.
    pub prompt: String,
}

/// What a reader found in the sources.
#[derive(Debug, Default)]
pub(super) struct Readings {
    /// Reading of each source, by the source's name; `None` for one that rules read instead.
    by_name: HashMap<String, Option<SourceReading>>,
    /// Name of the model.
    pub model: Option<String>,
    /// Number of memories that quote nothing in the sources.
    pub refused: usize,
}

/// Builds a work package of the oldest sources that were not remembered; writes nothing.
///
/// # Errors
/// Sources that cannot be read, and "nothing done" if all were remembered.
pub fn build_package(context: &Context) -> Result<RememberPackage> {
    let outside = sources::read_project_sources(context, &sources::project(context))?;
    outside.notices.iter().for_each(|notice| context.notice(notice));
    let NewSources { sources, existing, rules } = NewSources::of(context, &outside)?;
    if sources.is_empty() {
        return Err(write::nothing_done("there is nothing new to remember")
            .hint("`cm stash` saves a session or text to remember"));
    }
    let references: Vec<&MemorySource> = sources.iter().collect();
    let package = SourcePackage::of(&references, MAX_PACKAGE_CHARS);
    let prompt = package::remember(&package.texts, &titles(&existing), Some(&package.names));
    Ok(RememberPackage {
        left: sources.len() - package.names.len(),
        remembers: package.names,
        schema: agent_memories_schema().to_value(),
        prompt: logs::text(&prompt, &rules),
    })
}

impl Readings {
    /// Reads the new sources with the answer of the options, else with the configured model; `None`
    /// if there is neither, so that rules read them.
    ///
    /// # Errors
    /// An answer to other sources, and a model that does not answer at all.
    pub(super) fn of(context: &Context, outside: &ProjectSources, options: &Options) -> Result<Option<Self>> {
        if let Some(answer) = &options.answer {
            return NewSources::of(context, outside)?.answered(context, answer).map(Some);
        }
        if options.no_model || crate::context::provider::name(context).is_none() {
            return Ok(None);
        }
        let new = NewSources::of(context, outside)?;
        if new.sources.is_empty() {
            return Ok(None);
        }
        let model = LanguageModel::open(context, &new.rules, &Cancellation::default())?;
        model.map(|model| new.ask(context, &model)).transpose()
    }

    /// Removes the sources that this run does not read, and replaces the claims of the others.
    pub(super) fn apply(&self, sources: &mut Vec<MemorySource>, existing: &ExistingMemory) {
        sources.retain_mut(|source| match self.by_name.get(&name(source)) {
            Some(reading) => {
                reading.iter().for_each(|reading| reading.clone().apply(source));
                true
            }
            None => standing(source, &existing.done) == SourceStatus::Before,
        });
    }

    fn take(
        &mut self,
        context: &Context,
        package: &SourcePackage,
        memories: &[StatedMemory],
        rules: &RedactionRules,
    ) {
        let (readings, refused) = package.read(memories);
        self.refused += refused.len();
        for (number, why) in refused {
            context.notice(logs::text(&refusal(number, &why), rules));
        }
        for (name, mut reading) in readings {
            // Text that is put together from several places can be a secret that no place contained.
            reading.texts_mut().for_each(|text| *text = logs::text(text, rules));
            self.by_name.insert(name, Some(reading));
        }
    }
}

/// Sources that were not remembered, oldest first, with what their readers need.
struct NewSources {
    sources: Vec<MemorySource>,
    existing: ExistingMemory,
    rules: RedactionRules,
}

impl NewSources {
    fn of(context: &Context, outside: &ProjectSources) -> Result<Self> {
        let open = context.target();
        let (rules, _) = secrets::rules_of_logs(context, open)?;
        let existing = sources::existing(context, open)?;
        let mut sources = sources::read_vault_sources(context, open)?;
        sources.extend(outside.sources.iter().cloned());
        sources.retain(|source| standing(source, &existing.done) != SourceStatus::Before);
        sources.sort_by(|a, b| (a.at, &a.key).cmp(&(b.at, &b.key)));
        Ok(Self { sources, existing, rules })
    }

    /// Checks an agent's answer against the sources that it names.
    fn answered(&self, context: &Context, answer: &Answer) -> Result<Readings> {
        let AgentMemories { remembers, memories } = serde_json::from_str(&answer.text).map_err(|error| {
            let place = (u32::try_from(error.line()).ok(), u32::try_from(error.column()).ok());
            Error::usage(format!("this is not an answer to `cm remember --emit`: {error}"))
                .at(&answer.name, place.0, place.1)
                .hint("`cm remember --emit --json` prints its schema")
        })?;
        let of_name = |source_name: &String| self.sources.iter().find(|source| name(source) == *source_name);
        let sources: Option<Vec<&MemorySource>> = remembers.iter().map(of_name).collect();
        let sources = sources.filter(|sources| !sources.is_empty()).ok_or_else(|| {
            Error::refused(CHANGED_MEANWHILE, "the sources of this answer were remembered or changed since")
                .hint("run `cm remember --emit` again and answer that package")
        })?;
        let mut readings = Readings::default();
        readings.take(context, &SourcePackage::of(&sources, usize::MAX), &memories, &self.rules);
        Ok(readings)
    }

    /// Lets a model read the sources. Those that it cannot answer about are read by rules, those that
    /// it did not receive remain for the next run.
    fn ask(&self, context: &Context, model: &LanguageModel) -> Result<Readings> {
        let mut readings = Readings { model: Some(model.name()), ..Readings::default() };
        let titles = titles(&self.existing);
        let mut rest: Vec<&MemorySource> = self.sources.iter().collect();
        while !rest.is_empty() {
            let package = SourcePackage::of(&rest, MAX_REQUEST_CHARS);
            rest.drain(..package.names.len());
            let founded = |answer: &MemoriesAnswer| {
                let (_, refused) = package.read(&answer.memories);
                if !refused.is_empty() && refused.len() == answer.memories.len() {
                    return Err(refused.iter().map(|(number, why)| refusal(*number, why)).collect());
                }
                Ok(())
            };
            let prompt = package::remember(&package.texts, &titles, None);
            match model.ask(&prompt, ("memories", memories_schema()), founded) {
                Ok(answer) => readings.take(context, &package, &answer.value.memories, &self.rules),
                Err(ModelFailure::Useless(why)) => {
                    let why = logs::text(&cut(&why, 200), &self.rules);
                    context.notice(format!("{} read by rules: {why}", count(package.names.len(), "source")));
                    readings.by_name.extend(package.names.iter().map(|name| (name.clone(), None)));
                }
                Err(ModelFailure::Silent { error, .. }) if !readings.by_name.is_empty() => {
                    let left = rest.len() + package.names.len();
                    context.notice(format!(
                        "left for the next run: {}: {}",
                        count(left, "source"),
                        error.message
                    ));
                    break;
                }
                Err(silent) => return Err(silent.into_error()),
            }
        }
        Ok(readings)
    }
}

fn refusal(number: usize, why: &Rejection) -> String {
    match why {
        Rejection::NoSuchQuote(quote) => format!("memory {number} was refused: no source contains `{quote}`"),
        why => format!("memory {number} was refused: {why}"),
    }
}

/// Titles of the facts, preferences and fixes that are valid.
fn titles(existing: &ExistingMemory) -> Vec<&str> {
    let facts = existing.facts.iter().chain(&existing.fixes).filter(|fact| fact.live);
    let preferences = existing.preferences.iter().filter(|preference| preference.live);
    facts.map(|fact| fact.text.as_str()).chain(preferences.map(|one| one.text.as_str())).collect()
}
