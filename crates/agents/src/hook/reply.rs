//! Formats hook responses for each agent: injected text, a verdict on a command, or nothing.
//!
//! Responses contain documented fields only, and the exit code is always 0.

use serde_json::{Value, json};

use super::event::When;
use super::{Agent, Event, Message};
use cm_learn::trauma::hook::{self, Hook};
use cm_learn::trauma::{Decision, Judgement};

/// Response of a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// No effect; the agent continues.
    Nothing,
    /// Text for the model, as built by [`super::border::injected`].
    Context(String),
    /// Decision of the guard.
    Verdict(Decision),
}

impl Reply {
    /// Formats the complete stdout. A response that the agent does not accept at this event is
    /// dropped.
    #[must_use]
    pub fn stdout(&self, message: &Message) -> String {
        let agent = message.agent;
        let said = message.event.and_then(|event| match self {
            Self::Nothing => None,
            Self::Context(text) => context(agent, event, text),
            Self::Verdict(decision) => verdict(message, decision),
        });
        said.unwrap_or_else(|| nothing(agent).to_owned())
    }
}

/// Returns the response that leaves every decision to the agent.
#[must_use]
pub fn nothing(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude | Agent::Codex => "",
        Agent::Cursor | Agent::Gemini | Agent::Opencode => "{}\n",
    }
}

fn context(agent: Agent, event: Event, text: &str) -> Option<String> {
    if event.when_told(agent) != When::Now {
        return None;
    }
    let answer = match agent {
        Agent::Claude | Agent::Codex => json!({
            "hookSpecificOutput": { "hookEventName": event.called_by(agent), "additionalContext": text }
        }),
        Agent::Gemini => json!({ "hookSpecificOutput": { "additionalContext": text } }),
        Agent::Cursor => json!({ "additional_context": text }),
        Agent::Opencode => json!({ "context": text }),
    };
    Some(line(&answer))
}

fn verdict(message: &Message, decision: &Decision) -> Option<String> {
    if decision.judgement == Judgement::Allow || message.event != Some(Event::PreTool) {
        return None;
    }
    let asked = message.asked.as_ref()?;
    if message.agent == Agent::Opencode {
        // Its plugin can stop a command, and cannot ask.
        let blocks = decision.judgement == Judgement::Block;
        return blocks.then(|| line(&json!({ "deny": decision.reason })));
    }
    debug_assert!(message.agent != Agent::Cursor || asked.hook == Hook::Cursor);
    Some(hook::answer(asked, decision))
}

fn line(answer: &Value) -> String {
    format!("{answer}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that the agent documents for its responses, including those of `hookSpecificOutput`.
    fn documented(agent: Agent) -> &'static [&'static str] {
        match agent {
            Agent::Claude | Agent::Codex => &[
                "continue",
                "stopReason",
                "suppressOutput",
                "systemMessage",
                "decision",
                "reason",
                "hookSpecificOutput",
                "hookEventName",
                "additionalContext",
                "permissionDecision",
                "permissionDecisionReason",
            ],
            Agent::Gemini => &[
                "continue",
                "stopReason",
                "suppressOutput",
                "systemMessage",
                "decision",
                "reason",
                "hookSpecificOutput",
                "additionalContext",
            ],
            Agent::Cursor => &["additional_context", "permission", "user_message", "agent_message"],
            Agent::Opencode => &["context", "deny"],
        }
    }

    fn keys(value: &Value, found: &mut Vec<String>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            found.push(key.clone());
            keys(value, found);
        }
    }

    #[test]
    fn every_answer_of_every_agent_holds_documented_keys_only() {
        let decision =
            |judgement| Decision { judgement, reason: "it deletes".to_owned(), class: None, incident: None };
        for agent in Agent::ALL {
            for event in Event::ALL {
                let stdin = r#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;
                let message = Message::read(stdin, Some(agent), Some(event));
                for reply in [
                    Reply::Nothing,
                    Reply::Context("words".to_owned()),
                    Reply::Verdict(decision(Judgement::Allow)),
                    Reply::Verdict(decision(Judgement::Warn)),
                    Reply::Verdict(decision(Judgement::Block)),
                ] {
                    let stdout = reply.stdout(&message);
                    let value =
                        if stdout.is_empty() { json!({}) } else { serde_json::from_str(&stdout).unwrap() };
                    let mut found = Vec::new();
                    keys(&value, &mut found);
                    for key in found {
                        assert!(documented(agent).contains(&key.as_str()), "{agent} {event} {key}");
                    }
                    let pure = stdout.is_empty() || (stdout.starts_with('{') && stdout.ends_with("}\n"));
                    assert!(pure, "{agent} {event} {stdout}");
                }
            }
        }
    }

    #[test]
    fn a_message_without_an_event_is_answered_with_nothing() {
        for agent in Agent::ALL {
            let message = Message::read("no json", Some(agent), None);
            assert_eq!(Reply::Context("x".to_owned()).stdout(&message), nothing(agent));
        }
    }
}
