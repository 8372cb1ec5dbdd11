//! Tool calls that a person refused, with what they typed about it.

use std::collections::HashMap;

use super::read::{Answered, object_of};
use cm_session::event::{EventKind, SessionEvent};

/// A tool call that a person refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedCall {
    /// Line of the refusal, from 1.
    pub line: u64,
    /// Command or file of the call.
    pub call: Answered,
    /// What the person typed next, before the agent did anything else; `None` if nothing.
    pub words: Option<String>,
}

/// Returns the refused calls of commands and files, in order. Calls of sub-agents are left out.
pub fn refused_calls(events: &[SessionEvent]) -> Vec<RefusedCall> {
    let mut refused: Vec<RefusedCall> = Vec::new();
    let mut calls: HashMap<&str, Answered> = HashMap::new();
    let mut last = None;
    let mut waits = false;
    for event in events.iter().filter(|event| !event.side) {
        match &event.kind {
            EventKind::ToolCall { id, input, .. } => {
                waits = false;
                last = object_of(input);
                if let (Some(id), Some(object)) = (id, &last) {
                    calls.insert(id.as_str(), object.clone());
                }
            }
            EventKind::ToolRejected { id, .. } => {
                let own = id.as_ref().map_or_else(|| last.clone(), |id| calls.get(id.as_str()).cloned());
                waits = own.is_some();
                refused.extend(own.map(|call| RefusedCall { line: event.line, call, words: None }));
            }
            EventKind::UserPrompt { text } if waits => {
                waits = false;
                if let Some(one) = refused.last_mut() {
                    one.words = Some(text.clone());
                }
            }
            EventKind::UserPrompt { .. } => waits = false,
            _ => {}
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::outcome::test_events::{call, log_of, person};

    #[test]
    fn the_words_of_a_refusal_come_before_the_next_call() {
        let refused = |id: &str| EventKind::ToolRejected { id: Some(id.into()), text: "no".into() };
        let events = log_of(vec![
            call("1", "Bash", json!({"command": "grep -r x ."})),
            refused("1"),
            person("use rg"),
            call("2", "Edit", json!({"file_path": "src/gen/a.rs"})),
            refused("2"),
            call("3", "Bash", json!({"command": "ls"})),
            person("go on"),
            call("4", "Bash", json!({"command": "make gen"})),
            refused("4"),
        ]);
        let found: Vec<_> = refused_calls(&events).into_iter().map(|one| (one.call, one.words)).collect();
        assert_eq!(
            found,
            [
                (Answered::Command("grep -r x .".into()), Some("use rg".into())),
                (Answered::File("src/gen/a.rs".into()), None),
                (Answered::Command("make gen".into()), None),
            ]
        );
    }
}
