//! What an agent is given when a session begins: a briefing for what is being worked on, and CORE.md.

use super::usable;
use crate::curate::briefing::{LEAST_TOKENS, lines};
use crate::curate::hook::border::{Entry, Part};
use crate::curate::hook::memory_text;
use crate::domain::bullet::BulletType;
use crate::domain::markdown::escape::link_destination;
use crate::git::{LogFilter, Repo};
use crate::ops::context::{self, Briefing, Options, memory_line, passage_line, rule_line};
use crate::ops::error::Result;
use crate::ops::memory::Memory;
use crate::vault::layout;

/// Commits whose subjects say what is being worked on.
const RECENT: usize = 5;
/// Commits that are looked at for those: the memory's own say nothing of the work.
const LOOKED_AT: usize = 30;
/// Branches whose names say nothing.
const TRUNKS: [&str; 5] = ["main", "master", "develop", "dev", "trunk"];
/// The longest task, in characters.
const LONGEST: usize = 500;
/// The share of the budget that the briefing may take.
const BRIEFING: f64 = 0.5;

/// The parts, within about so many tokens, what matters most first.
pub(super) fn parts(memory: &Memory, tokens: usize) -> Result<Vec<Part>> {
    usable(memory)?;
    let core = core(memory)?;
    let most = ((tokens as f64 * BRIEFING) as usize).max(LEAST_TOKENS);
    let options = Options { task: task(memory), max_tokens: Some(most), ..Options::default() };
    let briefing = context::briefing(memory, &options)?;
    let mut parts = briefed(&briefing, &core);
    parts.extend(core);
    Ok(parts)
}

/// CORE.md as it lies in the first vault that has one.
fn core(memory: &Memory) -> Result<Vec<Part>> {
    for open in &memory.vaults {
        if let Some(text) = open.vault.read_own(layout::CORE)? {
            return Ok(memory_text::parts(&text));
        }
    }
    Ok(Vec::new())
}

/// The briefing without what CORE.md says too.
fn briefed(briefing: &Briefing, core: &[Part]) -> Vec<Part> {
    let said = |path: &str| {
        let link = link_destination(path);
        core.iter().flat_map(|part| &part.entries).any(|entry| entry.id.as_ref() == Some(&link))
    };
    let part = |heading: &str, entries: Vec<Entry>| Part { heading: Some(format!("## {heading}")), entries };
    let noted = |id: &str, text: String| Entry { id: Some(id.to_owned()), text };
    let rules = |kind: BulletType| -> Vec<Entry> {
        let all = briefing.rules.iter().chain(&briefing.pitfalls);
        let shown = all.filter(|rule| rule.bullet_type == kind && !said(&rule.path));
        shown.map(|rule| noted(&rule.id, rule_line(rule))).collect()
    };
    let bare = |text: String| Entry { id: None, text };
    let memories = briefing.memories.iter().filter(|memory| !said(&memory.path));
    let unverified = briefing.unverified.iter();
    vec![
        part("Warnings", briefing.warnings.iter().map(|warning| bare(lines::warning(warning))).collect()),
        part("Rules for the work at hand", rules(BulletType::Rule)),
        part("Pitfalls of the work at hand", rules(BulletType::AntiPattern)),
        part("Memories of the work at hand", memories.map(|it| noted(&it.id, memory_line(it))).collect()),
        part(lines::UNVERIFIED, unverified.map(|it| noted(&it.id, memory_line(it))).collect()),
        part("Past sessions on it", briefing.history.iter().map(|it| bare(passage_line(it))).collect()),
    ]
}

/// What is being worked on, as the branch's name and the last commits say; where they say nothing, the project's name.
fn task(memory: &Memory) -> String {
    // A repository that cannot be read keeps nobody from being briefed.
    let recent = Repo::discover(&memory.call.cwd).ok().flatten().map(|repo| recent(&repo));
    let said = recent.unwrap_or_default();
    let said = if said.trim().chars().count() < 3 { format!("work on {}", memory.workspace()) } else { said };
    said.chars().map(|c| if c == '\0' { ' ' } else { c }).take(LONGEST).collect()
}

fn recent(repo: &Repo) -> String {
    let branch = repo.head().ok().and_then(|head| head.branch);
    let branch = branch.filter(|name| !TRUNKS.contains(&name.as_str()));
    let branch = branch.map(|name| name.replace(['-', '_', '/'], " "));
    let filter = LogFilter { limit: Some(LOOKED_AT), ..LogFilter::default() };
    let commits = repo.log(&filter).unwrap_or_default().into_iter();
    let theirs = commits.filter(|commit| commit.message.is_none() && !commit.subject.starts_with("Merge "));
    let said: Vec<String> =
        branch.into_iter().chain(theirs.take(RECENT).map(|commit| commit.subject)).collect();
    said.join(". ")
}
