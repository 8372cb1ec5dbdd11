//! Skills that let an agent use the memory, such as remember and recall. They are written once, and
//! converted to commands for agents without skills.

use serde::Deserialize;

use super::{HookAgent, SettingsScope};

/// Names and sources of the skills in the plugin.
const SKILLS: [(&str, &str); 5] = [
    ("feedback", include_str!("../../../../templates/agent/plugin/skills/feedback/SKILL.md")),
    ("friction", include_str!("../../../../templates/agent/plugin/skills/friction/SKILL.md")),
    ("recall", include_str!("../../../../templates/agent/plugin/skills/recall/SKILL.md")),
    ("remember", include_str!("../../../../templates/agent/plugin/skills/remember/SKILL.md")),
    ("stash", include_str!("../../../../templates/agent/plugin/skills/stash/SKILL.md")),
];

/// Subcommands of cm that the skills use.
pub const VERBS: [&str; 16] = [
    "add", "context", "friction", "get", "init", "mark", "outcome", "playbook", "propose", "related",
    "remember", "review", "search", "sessions", "stash", "trauma",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Path, relative to the project folder or the home folder.
    pub path: String,
    pub text: String,
}

/// YAML front matter of a skill.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a head is checked whole, and only its description is used")
)]
struct SkillFrontMatter {
    name: String,
    description: String,
    license: String,
    compatibility: String,
    metadata: SkillSource,
    allowed_tools: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a head is checked whole, and only its description is used")
)]
struct SkillSource {
    source: String,
}

/// Placeholder for the user's arguments.
pub(crate) const ARGUMENTS: &str = "$ARGUMENTS";

/// Agent option in the skill sources; replaced by that of the target agent.
const AGENT_OPTION: &str = "--agent claude-code";

/// Line that marks files written by cm.
pub(crate) const MARK: &str = "source: cm\n";

/// Returns the files that give an agent the skills, in its format.
#[must_use]
pub fn files(agent: HookAgent, scope: SettingsScope) -> Vec<SkillFile> {
    SKILLS.iter().filter_map(|(name, text)| file(agent, scope, name, text)).collect()
}

/// A skill (instructions that an agent loads when needed) as written for one agent.
#[derive(Debug)]
pub struct Skill<'a> {
    /// Name without prefix, such as `recall`.
    pub name: &'a str,
    pub description: String,
    /// Markdown after the front matter.
    pub body: &'a str,
    /// The complete file: front matter and body.
    source: &'a str,
}

impl Skill<'_> {
    /// Returns the skill as a file below an agent's folder, with the prefix `cm-` in its name.
    pub(crate) fn in_folder(&self, folder: &str) -> SkillFile {
        let name = self.name;
        // Within a plugin a skill's name is its plugin's too; elsewhere it must say whose it is.
        let text = self.source.replacen(&format!("name: {name}\n"), &format!("name: cm-{name}\n"), 1);
        SkillFile { path: format!("{folder}/skills/cm-{name}/SKILL.md"), text }
    }
}

fn file(agent: HookAgent, scope: SettingsScope, name: &str, text: &str) -> Option<SkillFile> {
    let source = text.replace(AGENT_OPTION, &format!("--agent {}", agent.agent()));
    // Every skill of ours has both; a test reads each.
    let (head, body) = split(&source)?;
    Some(agent.skill_file(scope, &Skill { name, description: head.description, body, source: &source }))
}

/// Returns `true` if a file was written by any version of cm, so that it may be replaced or
/// deleted.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    let head: String = text.replace("\r\n", "\n").split_inclusive('\n').take(MAX_MARK_LINES).collect();
    head.lines().any(|line| line.trim_start_matches(['#', ' ']) == MARK.trim_end())
}

/// Number of leading lines that are searched for the mark.
const MAX_MARK_LINES: usize = 12;

/// Splits a skill into front matter and body.
fn split(text: &str) -> Option<(SkillFrontMatter, &str)> {
    let (head, body) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some((yaml_serde::from_str(head).ok()?, body.trim_start()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::mcp;
    use super::super::program::ProgramPath;
    use super::super::settings;
    use super::*;
    use crate::agents::claude_code::ClaudeCode;
    use crate::agents::hook_agents;
    use cm_session::Agent;

    /// Returns the subcommands in code spans that start with `cm`.
    fn verbs(text: &str) -> impl Iterator<Item = &str> {
        let spans = text.split('`').skip(1).step_by(2);
        spans.filter_map(|span| span.strip_prefix("cm ")?.split_whitespace().next())
    }

    #[test]
    fn every_skill_is_read_and_keeps_its_bounds() {
        let mut commands = BTreeSet::new();
        for (name, text) in SKILLS {
            let (head, body) = split(text).unwrap_or_else(|| panic!("{name} is a skill"));
            assert_eq!((head.name.as_str(), head.metadata.source.as_str()), (name, "cm"));
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && name.len() < 60);
            assert!((60..=500).contains(&head.description.chars().count()), "{name}: {}", head.description);
            assert!(head.compatibility.chars().count() <= 500 && head.allowed_tools == "Bash(cm *)");
            assert_eq!(head.license, "MIT OR Apache-2.0");
            assert!((200..=3_000).contains(&body.chars().count()), "{name}: {}", body.chars().count());
            assert_eq!(body.matches(ARGUMENTS).count(), 1, "{name}");
            assert!(text.is_ascii() || text.chars().all(|c| c.is_ascii() || c == '…'), "{name}");
            commands.extend(verbs(text));
        }
        // In the head, in prose.
        commands.insert("init");
        assert_eq!(commands, BTreeSet::from(VERBS), "VERBS are the commands that skills name");
    }

    #[test]
    fn each_agent_gets_each_skill_in_the_form_that_it_reads() {
        for agent in hook_agents() {
            for reach in [SettingsScope::Project, SettingsScope::User] {
                let files = files(agent, reach);
                assert_eq!(files.len(), SKILLS.len());
                for file in files {
                    let name = agent.agent().name();
                    for verb in ["`cm add", "`cm mark", "`cm outcome", "`cm playbook add", "`cm stash"] {
                        let commands = format!("{verb} --agent {name}");
                        let calls = file.text.matches(&format!("{verb} ")).count();
                        assert_eq!(file.text.matches(&commands).count(), calls, "{}", file.text);
                    }
                    assert!(is_ours(&file.text), "{}", file.text);
                    let crlf = file.text.replace('\n', "\r\n");
                    assert!(is_ours(&crlf));
                    match agent.agent() {
                        Agent::Gemini => {
                            let command: toml::Table = toml::from_str(&file.text).unwrap();
                            assert!(command["prompt"].as_str().unwrap().contains("{{args}}"));
                            assert!(!command["description"].as_str().unwrap().is_empty());
                        }
                        Agent::Opencode => {
                            let head = file.text.split("---\n").nth(1).unwrap();
                            let head: Value = yaml_serde::from_str(head).unwrap();
                            assert!(head["description"].as_str().unwrap().len() > 60);
                            assert!(file.text.contains(ARGUMENTS));
                        }
                        _ => {
                            let (head, _) = split(&file.text).unwrap();
                            assert!(
                                file.path.ends_with(&format!("/{}/SKILL.md", head.name)),
                                "{}",
                                file.path
                            );
                        }
                    }
                }
            }
        }
        assert!(!is_ours("---\nname: mine\n---\nUse cm.\n"));
    }

    #[test]
    fn the_plugin_holds_what_is_installed_without_it() {
        let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let hooks = include_str!("../../../../templates/agent/plugin/hooks/hooks.json");
        let program = ProgramPath::default();
        assert_eq!(hooks, settings::install(&ClaudeCode, "", &program).unwrap());
        let plugin = read(include_str!("../../../../templates/agent/plugin/.claude-plugin/plugin.json"));
        assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
        for (key, path) in
            [("skills", "./skills/"), ("hooks", "./hooks/hooks.json"), ("mcpServers", "./.mcp.json")]
        {
            assert_eq!(plugin[key], path);
        }
        let server = include_str!("../../../../templates/agent/plugin/.mcp.json");
        assert_eq!(mcp::install(&ClaudeCode, server, &program).as_deref(), Ok(server));
        assert_eq!(mcp::uninstall(&ClaudeCode, server, &program).as_deref(), Ok(""));
        let market = read(include_str!("../../../../templates/agent/.claude-plugin/marketplace.json"));
        assert_eq!(
            (&market["plugins"][0]["name"], &market["plugins"][0]["source"]),
            (&plugin["name"], &"./plugin".into())
        );
        assert_eq!(market["plugins"][0]["description"], plugin["description"]);
    }
}
