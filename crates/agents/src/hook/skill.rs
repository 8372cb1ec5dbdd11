//! What an agent can be asked to do with the memory: remember, recall, feedback, stash, friction. Written once as
//! skills, and turned into commands for agents that call those.

use serde::Deserialize;
use serde_json::Value;

use super::{Agent, Reach};
use cm_session::Agent as SessionAgent;

/// The skills by name, as they lie in the plugin.
const SKILLS: [(&str, &str); 5] = [
    ("feedback", include_str!("../../../../templates/agent/plugin/skills/feedback/SKILL.md")),
    ("friction", include_str!("../../../../templates/agent/plugin/skills/friction/SKILL.md")),
    ("recall", include_str!("../../../../templates/agent/plugin/skills/recall/SKILL.md")),
    ("remember", include_str!("../../../../templates/agent/plugin/skills/remember/SKILL.md")),
    ("stash", include_str!("../../../../templates/agent/plugin/skills/stash/SKILL.md")),
];

/// The commands of ours that skills name.
pub const VERBS: [&str; 15] = [
    "add", "context", "friction", "get", "init", "mark", "outcome", "playbook", "related", "remember",
    "review", "search", "sessions", "stash", "trauma",
];

/// A file of a skill or command, for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path, from the project's folder or the person's home.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// The head of a skill.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a head is checked whole, and only its description is used")
)]
struct Head {
    name: String,
    description: String,
    license: String,
    compatibility: String,
    metadata: Source,
    allowed_tools: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a head is checked whole, and only its description is used")
)]
struct Source {
    source: String,
}

/// What stands in a skill where the person's words go.
const ARGUMENTS: &str = "$ARGUMENTS";

/// How skills call `cm` in the agent's name; other agents get their own.
const NAMED: &str = "--agent claude-code";

/// The agent as its sessions name it.
pub fn session_agent(agent: Agent) -> SessionAgent {
    match agent {
        Agent::Claude => SessionAgent::ClaudeCode,
        Agent::Codex => SessionAgent::Codex,
        Agent::Cursor => SessionAgent::Cursor,
        Agent::Gemini => SessionAgent::Gemini,
        Agent::Opencode => SessionAgent::Opencode,
    }
}

/// What every file of ours holds, so that it is known again.
const MARK: &str = "source: cm\n";

/// The files that give an agent our skills, in the form that it reads.
#[must_use]
pub fn files(agent: Agent, reach: Reach) -> Vec<SkillFile> {
    SKILLS.iter().filter_map(|(name, text)| file(agent, reach, name, text)).collect()
}

fn file(agent: Agent, reach: Reach, name: &str, text: &str) -> Option<SkillFile> {
    // Every skill of ours has both; a test reads each.
    let text = text.replace(NAMED, &format!("--agent {}", session_agent(agent).name()));
    let (head, body) = split(&text)?;
    let file = match agent {
        Agent::Claude | Agent::Codex | Agent::Cursor => {
            let folder = match agent {
                Agent::Claude => ".claude",
                Agent::Cursor => ".cursor",
                _ => ".agents",
            };
            // Within a plugin a skill's name is its plugin's too; elsewhere it must say whose it is.
            let text = text.replacen(&format!("name: {name}\n"), &format!("name: cm-{name}\n"), 1);
            SkillFile { path: format!("{folder}/skills/cm-{name}/SKILL.md"), text }
        }
        Agent::Gemini => SkillFile {
            path: format!(".gemini/commands/cm/{name}.toml"),
            text: format!(
                "# {MARK}description = {}\nprompt = {}\n",
                Value::from(head.description),
                Value::from(body.replace(ARGUMENTS, "{{args}}"))
            ),
        },
        Agent::Opencode => {
            let folder = match reach {
                Reach::Project => ".opencode",
                Reach::User => ".config/opencode",
            };
            SkillFile {
                path: format!("{folder}/commands/cm-{name}.md"),
                text: format!("---\n# {MARK}description: {}\n---\n\n{body}", Value::from(head.description)),
            }
        }
    };
    Some(file)
}

/// Whether a file is one of ours, of any version, and may be replaced or removed.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    let head: String = text.replace("\r\n", "\n").split_inclusive('\n').take(MARKED_WITHIN).collect();
    head.lines().any(|line| line.trim_start_matches(['#', ' ']) == MARK.trim_end())
}

/// In which of the first lines the mark stands.
const MARKED_WITHIN: usize = 12;

/// Head and body of a skill.
fn split(text: &str) -> Option<(Head, &str)> {
    let (head, body) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some((yaml_serde::from_str(head).ok()?, body.trim_start()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::mcp;
    use super::super::program::Program;
    use super::super::settings;
    use super::*;

    /// The commands that a text names: what stands behind `cm` in code.
    fn verbs(text: &str) -> impl Iterator<Item = &str> {
        let spans = text.split('`').skip(1).step_by(2);
        spans.filter_map(|span| span.strip_prefix("cm ")?.split_whitespace().next())
    }

    #[test]
    fn every_skill_is_read_and_keeps_its_bounds() {
        let mut named = BTreeSet::new();
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
            named.extend(verbs(text));
        }
        // In the head, in prose.
        named.insert("init");
        assert_eq!(named, BTreeSet::from(VERBS), "VERBS are the commands that skills name");
    }

    #[test]
    fn each_agent_gets_each_skill_in_the_form_that_it_reads() {
        for agent in Agent::ALL {
            for reach in [Reach::Project, Reach::User] {
                let files = files(agent, reach);
                assert_eq!(files.len(), SKILLS.len());
                for file in files {
                    let name = session_agent(agent).name();
                    for verb in ["`cm add", "`cm mark", "`cm outcome", "`cm playbook add", "`cm stash"] {
                        let named = format!("{verb} --agent {name}");
                        let calls = file.text.matches(&format!("{verb} ")).count();
                        assert_eq!(file.text.matches(&named).count(), calls, "{}", file.text);
                    }
                    assert!(is_ours(&file.text), "{}", file.text);
                    let crlf = file.text.replace('\n', "\r\n");
                    assert!(is_ours(&crlf));
                    match agent {
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
                        Agent::Claude | Agent::Codex | Agent::Cursor => {
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
        let program = Program::default();
        assert_eq!(hooks, settings::install(Agent::Claude, "", &program).unwrap());
        let plugin = read(include_str!("../../../../templates/agent/plugin/.claude-plugin/plugin.json"));
        assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
        for (key, path) in
            [("skills", "./skills/"), ("hooks", "./hooks/hooks.json"), ("mcpServers", "./.mcp.json")]
        {
            assert_eq!(plugin[key], path);
        }
        let server = include_str!("../../../../templates/agent/plugin/.mcp.json");
        assert_eq!(mcp::install(Agent::Claude, server, &program).as_deref(), Ok(server));
        assert_eq!(mcp::uninstall(Agent::Claude, server, &program).as_deref(), Ok(""));
        let market = read(include_str!("../../../../templates/agent/.claude-plugin/marketplace.json"));
        assert_eq!(
            (&market["plugins"][0]["name"], &market["plugins"][0]["source"]),
            (&plugin["name"], &"./plugin".into())
        );
        assert_eq!(market["plugins"][0]["description"], plugin["description"]);
    }
}
