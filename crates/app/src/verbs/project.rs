//! Writes the playbook between markers into an agent's rule file. Text outside the markers stays
//! byte for byte, and nothing is committed.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::project_scope::ProjectScope;
use crate::context::write;
use crate::error::Result;
use crate::verbs::playbook;
use crate::verbs::rule_file::RuleFile;
use cm_exchange::project::section::SECTION;
use cm_exchange::project::{self, ProjectionOptions};
use cm_note::path::NotePath;
use cm_note::score::bullet::selection_score;
use cm_text::named_enum;

named_enum! {
    pub enum RuleFileFormat {
        /// AGENTS.md, which many agents read.
        Agents = "agents.md",
        /// CLAUDE.md of Claude Code.
        Claude = "claude.md",
        Cursor = "cursor",
    }
}

impl RuleFileFormat {
    /// Default path, relative to the working directory.
    fn file(self) -> &'static str {
        match self {
            Self::Agents => "AGENTS.md",
            Self::Claude => "CLAUDE.md",
            Self::Cursor => ".cursor/rules/cm.mdc",
        }
    }

    /// Text at the start of a new file: for Cursor the frontmatter that makes it apply the rule,
    /// else empty.
    fn opening(self) -> &'static str {
        match self {
            Self::Cursor => "---\ndescription: Rules that this project has learned\nalwaysApply: true\n---\n",
            Self::Agents | Self::Claude => "",
        }
    }
}

/// Format, contents and destination of an agent's rule file.
#[derive(Debug, Clone)]
pub struct Options {
    pub format: RuleFileFormat,
    /// Path of the file; by default the format's usual path.
    pub file: Option<PathBuf>,
    /// Maximum number of rules per category.
    pub per_category: usize,
    /// Show after each rule how often it was marked helpful and harmful.
    pub counts: bool,
    /// Report the changes without writing them.
    pub dry_run: bool,
}

/// Result of writing rules into an agent's rule file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectionResult {
    pub format: RuleFileFormat,
    /// Path of the file.
    pub path: String,
    /// Whether the file is new.
    pub created: bool,
    /// Whether the file changed.
    pub changed: bool,
    /// Number of listed rules.
    pub rules: usize,
    /// Number of listed pitfalls.
    pub pitfalls: usize,
    /// Number of live bullets that were omitted.
    pub omitted: usize,
    /// Lines that were added to the file.
    pub added: Vec<String>,
    /// Lines that were removed from the file.
    pub removed: Vec<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
}

/// Writes the playbook of all open vaults into an agent's rule file.
///
/// # Errors
/// A file that cannot be read or written, is not UTF-8, has an unpaired marker, or changed during
/// the request; no rules to write if the file does not exist.
pub fn project(context: &Context, options: &Options) -> Result<ProjectionResult> {
    let requested_file = options.file.clone().unwrap_or_else(|| PathBuf::from(options.format.file()));
    let file = context.request.cwd.join(&requested_file);
    let rule_file = RuleFile::read(context, &file)?;
    let before = rule_file.text()?;
    let part = part(context, options, &SECTION.without(before).0)?;
    if !rule_file.exists() && part.rules + part.pitfalls == 0 {
        return Err(write::nothing_done("no rule is in use, and there is no file to clear")
            .hint("`cm playbook list --state all` lists all rules"));
    }
    // Only rules in Cursor's own format begin with frontmatter.
    let is_cursor_rule = requested_file.extension().is_some_and(|ending| ending == "mdc");
    let opening = if is_cursor_rule { options.format.opening() } else { "" };
    let begun = if rule_file.exists() { before } else { opening };
    let mut edit = rule_file.with_section(&SECTION, begun, &part.text)?;
    let outcome = ProjectionResult {
        format: options.format,
        path: rule_file.path.clone(),
        created: !rule_file.exists(),
        changed: edit.changed,
        rules: part.rules,
        pitfalls: part.pitfalls,
        omitted: part.omitted,
        added: std::mem::take(&mut edit.added),
        removed: std::mem::take(&mut edit.removed),
        dry_run: options.dry_run,
    };
    if edit.changed && !options.dry_run {
        rule_file.write(edit, "nothing was written; run the command again")?;
    }
    Ok(outcome)
}

/// Default of [`Options::per_category`].
pub const PER_CATEGORY: usize = 10;

/// Writes the section of a file in the vault anew, from the rules of this vault alone, if the file has
/// one. Returns whether the file changed.
///
/// # Errors
/// The errors of [`project`].
pub(crate) fn rewrite_section(context: &Context, path: &NotePath) -> Result<bool> {
    let open = context.target();
    let Ok(bytes) = open.vault.read(path) else { return Ok(false) };
    if !std::str::from_utf8(&bytes).is_ok_and(|text| matches!(SECTION.find(text), Ok(Some(_)))) {
        return Ok(false);
    }
    let options = Options {
        format: RuleFileFormat::Agents,
        file: Some(open.vault.file(path)),
        per_category: PER_CATEGORY,
        counts: false,
        dry_run: false,
    };
    Ok(project(&context.for_vault(open)?, &options)?.changed)
}

/// Renders the section without rules that the `remaining_text` of the file has in the same words, such as
/// those that were imported from it.
fn part(context: &Context, options: &Options, remaining_text: &str) -> Result<project::RenderedSection> {
    let mut notes = Vec::new();
    for open in &context.vaults {
        notes.push((open.level, context.playbook_notes(open)?));
    }
    let notes: Vec<_> = notes.iter().map(|(level, notes)| (*level, &notes[..])).collect();
    let (mut bullets, notice) = playbook::showable(playbook::merged(context)?.bullets, &notes);
    notice.into_iter().for_each(|notice| context.notice(notice));
    let scope = ProjectScope::of(context, None);
    bullets.retain(|vault_bullet| scope.includes(&vault_bullet.bullet, vault_bullet.level));
    let remaining_words = padded_words(remaining_text);
    bullets.retain(|vault_bullet| !remaining_words.contains(&padded_words(vault_bullet.bullet.content())));
    let standings: Vec<_> = bullets
        .iter()
        .map(|vault_bullet| {
            let constants = playbook::constants(context, vault_bullet.level);
            (&vault_bullet.bullet, selection_score(&vault_bullet.bullet, context.now(), &constants))
        })
        .collect();
    Ok(project::plan(
        &standings,
        &ProjectionOptions { per_category: options.per_category, counts: options.counts },
    ))
}

/// Returns the words of a text in lower case, each between two spaces, without marks and punctuation.
fn padded_words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |joined, word| joined + &word.to_lowercase() + " ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the test reads a file")]

    use super::*;
    use crate::fixture_vault::FixtureVault;

    #[test]
    fn what_the_file_says_itself_is_not_repeated_in_the_section() {
        let rule = |id: &str, text: &str| {
            format!("---\nid: {id}\ncategory: code\nstate: active\ncreated: 2026-01-01\n---\n\n{text}\n")
        };
        let vault = FixtureVault::new();
        vault
            .put("playbook/code/a.md", &rule("b-mt2ssunl-000001", "Use `Decimal` for money, never `float`."));
        vault.put("playbook/code/b.md", &rule("b-mt2ssunl-000002", "Run all tests before a push."));
        vault.put("AGENTS.md", "# Rules\n\n- Use **Decimal** for money,\n  never `float`\n");
        let options = Options {
            format: RuleFileFormat::Agents,
            file: None,
            per_category: PER_CATEGORY,
            counts: false,
            dry_run: false,
        };
        for _ in 0..2 {
            let done = project(&vault.at("2026-01-02"), &options).unwrap();
            assert_eq!((done.rules, done.omitted), (1, 0));
        }
        let text = std::fs::read_to_string(vault.file("AGENTS.md")).unwrap();
        assert!(text.contains("Run all tests") && text.matches("Decimal").count() == 1, "{text}");
    }
}
