//! Recorded messages of each agent and the exact responses:
//! `tests/golden/hooks/AGENT/EVENT.in.json` with `.out.json` (text is returned), `.quiet.json` (no
//! text) or `.warn.json` (the guard warns). `CM_BLESS=1 cargo test` rewrites the responses.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cm_agents::hook::border::{Entry, LONGEST, Part, injected};
use cm_agents::hook::event::When;
use cm_agents::hook::settings::entries;
use cm_agents::hook::{Agent, Event, Message, Reply};
use cm_learn::trauma::{Decision, Judgement};

/// Session id in all recorded messages.
const SESSION: &str = "0b9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a11";
const FOLDER: &str = "/home/dev/shop";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hooks")
}

/// Returns agent, event and text of every recorded message.
fn recorded() -> Vec<(Agent, Event, String)> {
    let mut found = Vec::new();
    for agent in Agent::ALL {
        for event in Event::ALL {
            let file = golden().join(agent.name()).join(format!("{event}.in.json"));
            if let Ok(text) = fs::read_to_string(file) {
                found.push((agent, event, text));
            }
        }
    }
    found
}

fn context() -> Reply {
    let entry = |id: &str, text: &str| Entry { id: Some(id.to_owned()), text: text.to_owned() };
    let rules = Part {
        heading: Some("## Rules".to_owned()),
        entries: vec![
            entry(
                "b-mt2ssunl-jq6d8j",
                "- Give the upload test its own port: `bind(\"127.0.0.1:0\")`. (b-mt2ssunl, proven)",
            ),
            entry("b-mnq4ancz-0a0a0a", "- <!-- cm:end --> „Grüße“ \u{202e}😀 (b-mnq4ancz)"),
        ],
    };
    Reply::Context(injected(&[rules], "cm context", LONGEST).unwrap().text)
}

fn verdict(judgement: Judgement) -> Reply {
    let reason = "`git push --force` overwrites what others pushed to main".to_owned();
    Reply::Verdict(Decision { judgement, reason, class: None, incident: None })
}

#[test]
fn every_recorded_message_is_answered_as_its_agent_documents() {
    let bless = std::env::var_os("CM_BLESS").is_some();
    let mut wrong = Vec::new();
    for (agent, event, text) in recorded() {
        let said = if event == Event::PreTool { verdict(Judgement::Block) } else { context() };
        let mut answers = vec![("out", said), ("quiet", Reply::Nothing)];
        if event == Event::PreTool {
            answers.push(("warn", verdict(Judgement::Warn)));
        }
        let message = Message::read(&text, Some(agent), Some(event));
        for (name, reply) in answers {
            let file = golden().join(agent.name()).join(format!("{event}.{name}.json"));
            let stdout = reply.stdout(&message);
            if bless {
                fs::write(&file, &stdout).unwrap();
            }
            if fs::read_to_string(&file).ok().as_ref() != Some(&stdout) {
                wrong.push(format!("{}: {stdout:?}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not what is recorded:\n{}", wrong.join("\n"));
}

#[test]
fn every_recorded_message_is_understood_and_its_agent_known_without_being_named() {
    for (agent, event, text) in recorded() {
        let message = Message::read(&text, None, None);
        assert_eq!((message.agent, message.event), (agent, Some(event)), "{text}");
        assert_eq!(message.session.as_deref(), Some(SESSION), "{agent} {event}");
        assert_eq!(message.cwd.as_deref(), Some(FOLDER), "{agent} {event}");
        let prompt = message.prompt.as_deref() == Some("the upload test is flaky again, please fix it");
        assert_eq!(
            prompt,
            event == Event::Prompt || (agent, event) == (Agent::Gemini, Event::Stop),
            "{agent} {event}"
        );
        let line = message.asked.as_ref().and_then(|asked| asked.command.as_deref());
        let pushed = line.is_some_and(|line| line.contains("git push --force origin main"));
        assert_eq!(pushed, event == Event::PreTool, "{agent} {event}: {line:?}");
        if event == Event::ToolFailure {
            let question = message.question().unwrap();
            assert!(
                question.starts_with("cargo test upload\n") && question.contains("upload_retries"),
                "{question}"
            );
        }
    }
}

#[test]
fn every_event_that_is_installed_has_a_recorded_message() {
    let recorded: BTreeSet<(Agent, Event)> =
        recorded().iter().map(|(agent, event, _)| (*agent, *event)).collect();
    for agent in Agent::ALL {
        for event in entries::events(agent) {
            assert!(recorded.contains(&(agent, *event)), "{agent} {event}");
        }
    }
}

#[test]
fn what_is_said_reaches_the_model_where_the_agent_takes_words_and_nothing_is_printed_elsewhere() {
    for (agent, event, text) in recorded() {
        let message = Message::read(&text, Some(agent), Some(event));
        let (said, quiet) = (context().stdout(&message), Reply::Nothing.stdout(&message));
        assert_eq!(said != quiet, event.when_told(agent) == When::Now, "{agent} {event}");
        assert!(matches!(quiet.as_str(), "" | "{}\n"), "{agent} {event}");
    }
}

#[test]
fn a_message_that_is_cut_anywhere_or_grown_is_still_answered() {
    for (agent, event, text) in recorded() {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let message = Message::read(&text[..at], Some(agent), Some(event));
            let stdout = context().stdout(&message);
            assert!(stdout.is_empty() || stdout.ends_with("}\n"));
        }
        let grown = text.replacen('{', "{\"new_field\": {\"deep\": [1, null]},", 1);
        let (one, other) = (Message::read(&text, None, None), Message::read(&grown, None, None));
        assert_eq!(one, other);
    }
}

#[test]
fn skills_name_commands_that_there_are() {
    let help = crate::support::Sandbox::new().cm(&["help"]).ok().stdout;
    for verb in cm_agents::hook::skill::VERBS {
        assert!(help.lines().any(|line| line.starts_with(&format!("  {verb} "))), "{verb}");
    }
}
