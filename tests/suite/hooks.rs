//! Recorded messages of each agent and the exact responses:
//! `tests/golden/hooks/AGENT/EVENT.in.json` with `.out.json` (text is returned), `.quiet.json` (no
//! text), `.warn.json` (the guard warns) or `.request.json` (the agent is asked before it stops). `CM_BLESS=1 cargo test` rewrites the responses.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cm_agents::hook::event::InjectionTiming;
use cm_agents::hook::injection::{
    InjectionEntry, InjectionPart, MAX_INJECTION_UNITS, PartKind, build_injection,
};
use cm_agents::hook::{HookAgent, HookEvent, HookMessage, HookReply, hook_agents};
use cm_learn::trauma::{GuardDecision, GuardVerdict};

/// Session id in all recorded messages.
const SESSION: &str = "0b9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a11";
const FOLDER: &str = "/home/dev/shop";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hooks")
}

/// Returns agent, event and text of every recorded message.
fn recorded() -> Vec<(HookAgent, HookEvent, String)> {
    let mut found = Vec::new();
    for agent in hook_agents() {
        for event in HookEvent::ALL {
            let file = golden().join(agent.name()).join(format!("{event}.in.json"));
            if let Ok(text) = fs::read_to_string(file) {
                found.push((agent, event, text));
            }
        }
    }
    found
}

fn context() -> HookReply {
    let entry = |id: &str, text: &str| InjectionEntry {
        id: Some(id.to_owned()),
        text: text.to_owned(),
        relevance: None,
    };
    let rules = InjectionPart {
        kind: PartKind::Notes,
        heading: Some("## Rules".to_owned()),
        entries: vec![
            entry(
                "b-mt2ssunl-jq6d8j",
                "- Give the upload test its own port: `bind(\"127.0.0.1:0\")`. (b-mt2ssunl, proven)",
            ),
            entry("b-mnq4ancz-0a0a0a", "- <!-- cm:end --> „Grüße“ \u{202e}😀 (b-mnq4ancz)"),
        ],
    };
    HookReply::Context(build_injection(&[rules], "cm context", MAX_INJECTION_UNITS).unwrap().text)
}

fn verdict(judgement: GuardVerdict) -> HookReply {
    let reason = "`git push --force` overwrites what others pushed to main".to_owned();
    HookReply::Verdict(GuardDecision { judgement, reason, class: None, incident: None, instead: None })
}

#[test]
fn every_recorded_message_is_answered_as_its_agent_documents() {
    let bless = std::env::var_os("CM_BLESS").is_some();
    let mut wrong = Vec::new();
    for (agent, event, text) in recorded() {
        let said = if event == HookEvent::PreTool { verdict(GuardVerdict::Block) } else { context() };
        let mut answers = vec![("out", said), ("quiet", HookReply::Nothing)];
        if event == HookEvent::PreTool {
            answers.push(("warn", verdict(GuardVerdict::Warn)));
        }
        if event == HookEvent::Stop {
            answers.push(("request", HookReply::Request("Record it, or just finish.".to_owned())));
        }
        let message = HookMessage::read(&text, Some(agent), Some(event));
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
        let message = HookMessage::read(&text, None, None);
        assert_eq!((message.agent, message.event), (agent, Some(event)), "{text}");
        assert_eq!(message.session.as_deref(), Some(SESSION), "{agent} {event}");
        assert_eq!(message.cwd.as_deref(), Some(FOLDER), "{agent} {event}");
        let prompt = message.prompt.as_deref() == Some("the upload test is flaky again, please fix it");
        assert_eq!(
            prompt,
            event == HookEvent::Prompt || (agent.name(), event) == ("gemini", HookEvent::Stop),
            "{agent} {event}"
        );
        let line = message.guard_request.as_ref().and_then(|asked| asked.command.as_deref());
        let pushed = line.is_some_and(|line| line.contains("git push --force origin main"));
        assert_eq!(pushed, event == HookEvent::PreTool, "{agent} {event}: {line:?}");
        if event == HookEvent::ToolFailure {
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
    let recorded: BTreeSet<(&str, HookEvent)> =
        recorded().iter().map(|(agent, event, _)| (agent.name(), *event)).collect();
    for agent in hook_agents() {
        for event in agent.installed_events() {
            assert!(recorded.contains(&(agent.name(), *event)), "{agent} {event}");
        }
    }
}

#[test]
fn what_is_said_reaches_the_model_where_the_agent_takes_words_and_nothing_is_printed_elsewhere() {
    for (agent, event, text) in recorded() {
        let message = HookMessage::read(&text, Some(agent), Some(event));
        let (said, quiet) = (context().stdout(&message), HookReply::Nothing.stdout(&message));
        assert_eq!(said != quiet, agent.injection_timing(event) == InjectionTiming::Now, "{agent} {event}");
        assert!(matches!(quiet.as_str(), "" | "{}\n"), "{agent} {event}");
    }
}

#[test]
fn a_message_that_is_cut_anywhere_or_grown_is_still_answered() {
    for (agent, event, text) in recorded() {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let message = HookMessage::read(&text[..at], Some(agent), Some(event));
            let stdout = context().stdout(&message);
            assert!(stdout.is_empty() || stdout.ends_with("}\n"));
        }
        let grown = text.replacen('{', "{\"new_field\": {\"deep\": [1, null]},", 1);
        let (one, other) = (HookMessage::read(&text, None, None), HookMessage::read(&grown, None, None));
        assert_eq!(one, other);
    }
}

#[test]
fn skills_name_commands_that_there_are() {
    let help = crate::support::Sandbox::new().cm(&["help", "--all"]).ok().stdout;
    for verb in cm_agents::hook::skill::VERBS {
        assert!(help.lines().any(|line| line.starts_with(&format!("  {verb} "))), "{verb}");
    }
}
