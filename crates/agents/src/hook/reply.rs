//! Formats hook responses for each agent: injected text, a verdict on a command, or nothing.
//!
//! Responses contain documented fields only, and the exit code is always 0.

use serde_json::Value;

use super::event::InjectionTiming;
use super::{HookAgent, HookEvent, HookMessage};
use cm_learn::trauma::{GuardDecision, GuardVerdict};

/// Maximum length of the guard's reason, in characters.
const MAX_REASON_CHARS: usize = 2_000;

/// Response of a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookReply {
    /// No effect; the agent continues.
    Nothing,
    /// Text for the model, as built by [`super::injection::build_injection`].
    Context(String),
    Verdict(GuardDecision),
    /// Text that the agent reads and answers before it stops.
    Request(String),
}

impl HookReply {
    /// Formats the complete stdout. A response that the agent does not accept at this event is
    /// dropped.
    #[must_use]
    pub fn stdout(&self, message: &HookMessage) -> String {
        let agent = message.agent;
        let reply = message.event.and_then(|event| match self {
            Self::Nothing => None,
            Self::Context(text) => context(agent, event, text),
            Self::Verdict(decision) => verdict(message, decision),
            Self::Request(text) if event == HookEvent::Stop => {
                agent.request_at_stop(text).map(|answer| line(&answer))
            }
            Self::Request(_) => None,
        });
        reply.unwrap_or_else(|| agent.empty_reply().to_owned())
    }
}

fn context(agent: HookAgent, event: HookEvent, text: &str) -> Option<String> {
    let now = agent.injection_timing(event) == InjectionTiming::Now;
    now.then(|| line(&agent.context_reply(event, text)))
}

fn verdict(message: &HookMessage, decision: &GuardDecision) -> Option<String> {
    let request = message.guard_request.as_ref().filter(|_| decision.judgement != GuardVerdict::Allow)?;
    let reason = decision.reason.chars().take(MAX_REASON_CHARS).collect();
    let decision = GuardDecision { reason, ..decision.clone() };
    message.agent.verdict_reply(&decision, request.unattended).map(|answer| line(&answer))
}

fn line(answer: &Value) -> String {
    format!("{answer}\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::claude_code::ClaudeCode;
    use crate::agents::hook_agents;
    use cm_session::Agent;

    /// Keys that the agent documents for its responses, including those of `hookSpecificOutput`.
    fn documented(agent: HookAgent) -> &'static [&'static str] {
        match agent.agent() {
            Agent::ClaudeCode | Agent::Codex => &[
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
            Agent::Qwen => documented(&ClaudeCode),
            Agent::CopilotCli => {
                &["additionalContext", "decision", "permissionDecision", "permissionDecisionReason", "reason"]
            }
            Agent::Cline => &["cancel", "contextModification", "errorMessage"],
            Agent::Cursor => {
                &["additional_context", "permission", "user_message", "agent_message", "followup_message"]
            }
            _ => &["context", "deny", "ask", "request"],
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
        let decision = |judgement| GuardDecision {
            judgement,
            reason: "it deletes".to_owned(),
            class: None,
            incident: None,
            instead: None,
        };
        for agent in hook_agents() {
            for event in HookEvent::ALL {
                let stdin = r#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;
                let message = HookMessage::read(stdin, Some(agent), Some(event));
                for reply in [
                    HookReply::Nothing,
                    HookReply::Context("words".to_owned()),
                    HookReply::Verdict(decision(GuardVerdict::Allow)),
                    HookReply::Verdict(decision(GuardVerdict::Warn)),
                    HookReply::Verdict(decision(GuardVerdict::Block)),
                    HookReply::Request("words".to_owned()),
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
        for agent in hook_agents() {
            let message = HookMessage::read("no json", Some(agent), None);
            assert_eq!(HookReply::Context("x".to_owned()).stdout(&message), agent.empty_reply());
        }
    }
}
