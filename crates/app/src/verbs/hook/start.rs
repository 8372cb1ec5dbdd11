//! The context injected at the start of a session: a briefing for the current work, and CORE.md.

use std::collections::HashSet;
use std::path::Path;

use super::{check_indexes, recently_learned};
use crate::context::core_listing::unused_references;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::verbs::context::{self, Briefing, BriefingMemory, Options, memory_line, passage_line, rule_line};
use crate::verbs::generate;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
use cm_agents::hook::memory_text;
use cm_note::bullet::BulletType;
use cm_note::note::conflict::conflict_marker;
use cm_note::path::NotePath;
use cm_playbook::briefing::{MIN_TOKENS, lines};
use cm_store::git::{LogFilter, Repo};
use cm_store::vault::layout;

/// Maximum number of recent commit subjects from which the task is derived.
const MAX_SUBJECTS: usize = 5;
/// Maximum number of commits searched for subjects; commits made by cm are skipped.
const MAX_SEARCHED_COMMITS: usize = 30;
/// Main branches, whose names say nothing about the task.
const TRUNKS: [&str; 5] = ["main", "master", "develop", "dev", "trunk"];
/// Minimum length of the derived task, in characters.
const MIN_TASK_CHARS: usize = 3;
/// Maximum length of the derived task, in characters.
const MAX_TASK_CHARS: usize = 500;
/// Share of the token budget that the briefing may use, 0–1.
const BRIEFING_SHARE: f64 = 0.5;

/// Returns the context for the start of a session, most important parts first, in about `tokens`
/// tokens.
pub(super) fn parts(context: &Context, tokens: usize) -> Result<Vec<InjectionPart>> {
    check_indexes(context)?;
    let core = core(context)?;
    let most = ((tokens as f64 * BRIEFING_SHARE) as usize).max(MIN_TOKENS);
    let task = task_of(&context.request.cwd);
    let is_any = task.is_none();
    let options = Options { task, max_tokens: Some(most), ..Options::default() };
    let mut briefing = context::briefing(context, &options)?;
    if is_any {
        // CORE.md has those that apply to any work.
        briefing.memories.clear();
    }
    let headings = if is_any {
        ["Further rules", "Further pitfalls"]
    } else {
        ["Rules for the current work", "Pitfalls of the current work"]
    };
    let mut parts = briefed(&briefing, &core, headings);
    let shown = core.iter().chain(&parts).flat_map(|part| &part.entries).filter_map(|entry| entry.id.clone());
    let learned = recently_learned::part(context, &shown.collect())?;
    parts.push(learned);
    parts.extend(core.into_iter().map(|part| without_titles(part, &briefing)));
    Ok(parts)
}

/// Removes memories that the briefing already shows from a part of CORE.md.
fn without_titles(mut part: InjectionPart, briefing: &Briefing) -> InjectionPart {
    let memories = briefing.memories.iter().filter(|memory| !memory.snippet.is_empty());
    let listings = |memory: &BriefingMemory| {
        Some(memory_text::note_references(&memory.id, &NotePath::parse(&memory.path).ok()?))
    };
    let briefed: HashSet<String> = memories.filter_map(listings).flatten().collect();
    part.entries.retain(|entry| !entry.id.as_ref().is_some_and(|id| briefed.contains(id)));
    part
}

/// Parses CORE.md of the first open vault that has one; a file with merge conflicts is ignored. Before `cm core`
/// was ever run, it is as that command would write it.
fn core(context: &Context) -> Result<Vec<InjectionPart>> {
    for open in &context.vaults {
        // A file that git could not merge is no memory: it holds two versions and the marks between them.
        let text = open.vault.read_own(layout::CORE)?.filter(|text| conflict_marker(text).is_none());
        if let Some(text) = text {
            return without_unused(context, open, memory_text::parts(&text));
        }
    }
    let planned = generate::core(context, true)?;
    let text = planned.text.filter(|_| planned.entries > 0);
    Ok(text.map_or_else(Vec::new, |text| memory_text::parts(&text)))
}

/// Removes the entries of notes that went out of use after CORE.md was written, such as by hand.
fn without_unused(
    context: &Context,
    open: &OpenVault,
    mut parts: Vec<InjectionPart>,
) -> Result<Vec<InjectionPart>> {
    let references = parts.iter().flat_map(|part| &part.entries).filter_map(|entry| entry.id.clone());
    let unused = unused_references(context, open, references)?;
    for part in &mut parts {
        part.entries.retain(|entry| !entry.id.as_ref().is_some_and(|id| unused.contains(id)));
    }
    parts.retain(|part| !part.entries.is_empty());
    Ok(parts)
}

/// Formats the briefing for injection, without entries that CORE.md lists.
fn briefed(
    briefing: &Briefing,
    core: &[InjectionPart],
    [of_rules, of_pitfalls]: [&str; 2],
) -> Vec<InjectionPart> {
    let listed: HashSet<&str> =
        core.iter().flat_map(|part| &part.entries).filter_map(|entry| entry.id.as_deref()).collect();
    let is_in_core = |id: &str, path: &str| {
        let names = NotePath::parse(path).map(|path| memory_text::note_references(id, &path));
        names.is_ok_and(|names| names.iter().any(|name| listed.contains(name.as_str())))
    };
    let part = |heading: &str, entries: Vec<InjectionEntry>| InjectionPart {
        kind: PartKind::Briefing,
        heading: Some(format!("## {heading}")),
        entries,
    };
    let noted = |id: &str, text: String| InjectionEntry { id: Some(id.to_owned()), text, relevance: None };
    let rules = |kind: BulletType| -> Vec<InjectionEntry> {
        let all = briefing.rules.iter().chain(&briefing.pitfalls);
        let shown = all.filter(|rule| rule.bullet_type == kind && !is_in_core(&rule.id, &rule.path));
        shown.map(|rule| noted(&rule.id, rule_line(rule))).collect()
    };
    let bare = |text: String| InjectionEntry { text, ..Default::default() };
    // A title alone is not what a memory says: it may still be given.
    let memory = |memory: &BriefingMemory| InjectionEntry {
        id: Some(memory.id.clone()).filter(|_| !memory.snippet.is_empty()),
        text: memory_line(memory),
        relevance: None,
    };
    let is_new =
        |memory: &&BriefingMemory| !memory.snippet.is_empty() || !is_in_core(&memory.id, &memory.path);
    let memories = briefing.memories.iter().filter(is_new);
    let unverified = briefing.unverified.iter();
    vec![
        part("Warnings", briefing.warnings.iter().map(|warning| bare(lines::warning(warning))).collect()),
        part(of_rules, rules(BulletType::Rule)),
        part(of_pitfalls, rules(BulletType::AntiPattern)),
        part("Memories of the current work", memories.map(memory).collect()),
        part(lines::UNVERIFIED, unverified.map(memory).collect()),
        part("Past sessions about it", briefing.history.iter().map(|it| bare(passage_line(it))).collect()),
    ]
}

/// Derives the current task from the branch name and recent commits of the repository at `cwd`; `None` if
/// they name none.
pub(super) fn task_of(cwd: &Path) -> Option<String> {
    // A repository that cannot be read keeps nobody from being briefed.
    let recent = Repo::discover(cwd).ok().flatten().map(|repo| recent(&repo));
    let recent_work = recent.unwrap_or_default();
    let task = recent_work.chars().map(|c| if c == '\0' { ' ' } else { c }).take(MAX_TASK_CHARS);
    Some(task.collect::<String>()).filter(|task| task.trim().chars().count() >= MIN_TASK_CHARS)
}

fn recent(repo: &Repo) -> String {
    let branch = repo.head().ok().and_then(|head| head.branch);
    let branch = branch.filter(|name| !TRUNKS.contains(&name.as_str()));
    let branch = branch.map(|name| name.replace(['-', '_', '/'], " "));
    let filter = LogFilter { limit: Some(MAX_SEARCHED_COMMITS), ..LogFilter::default() };
    let commits = repo.log(&filter).unwrap_or_default().into_iter();
    let theirs = commits.filter(|commit| commit.message.is_none() && !commit.subject.starts_with("Merge "));
    let subjects: Vec<String> =
        branch.into_iter().chain(theirs.take(MAX_SUBJECTS).map(|commit| commit.subject)).collect();
    subjects.join(". ")
}
