//! The extension `io.modelcontextprotocol/tasks`, which the suite runs without scoring it. `cm`
//! does not declare it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::input::{form, needed};

/// Fixed creation time of all tasks.
const MADE: &str = "2026-07-28T00:00:00Z";

/// Tools, and whether they can respond directly to clients without support for tasks.
pub const TOOLS: [(&str, bool); 7] = [
    ("greet", true),
    ("slow_compute", true),
    ("failing_job", false),
    ("protocol_error_job", false),
    ("confirm_delete", false),
    ("multi_input", false),
    ("test_tool_with_task", false),
];

/// All tasks by id.
#[derive(Clone, Default)]
pub struct Tasks(Arc<Mutex<BTreeMap<String, TaskPayload>>>);

impl Tasks {
    /// Returns the response of a tool, or `None` for other tools.
    pub async fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<CallToolResponse>, ErrorData> {
        let name = request.name.as_ref();
        let Some((_, at_once)) = TOOLS.iter().find(|(task_name, _)| *task_name == name) else {
            return Ok(None);
        };
        let argument = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        let seconds = argument("seconds").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 60.0);
        if name == "greet" {
            let who = argument("name").and_then(Value::as_str).unwrap_or("nobody");
            return Ok(Some(text_result(format!("Hello, {who}!"), false).into()));
        }
        if !context.client_capabilities().is_some_and(|able| able.supports_tasks()) {
            if !at_once {
                let tasks = ClientCapabilities::builder().enable_tasks().build();
                return Err(ErrorData::missing_required_client_capability(tasks));
            }
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            return Ok(Some(text_result("computed".to_owned(), false).into()));
        }
        let sent = request
            .input_responses
            .as_ref()
            .and_then(|inputs| inputs.get("user_name")?.pointer("/content/name"));
        Ok(Some(match name {
            "slow_compute" => self.after(seconds, done(&text_result("computed".to_owned(), false))),
            "failing_job" => self.after(1.0, done(&text_result("it failed".to_owned(), true))),
            "protocol_error_job" => {
                let error = ErrorData::internal_error("broken down", None);
                self.after(0.1, TaskPayload::Failed { error: object(json!(error)) })
            }
            "confirm_delete" => self.made(asks(&["confirm"])),
            "multi_input" => self.made(asks(&["first", "second"])),
            _ => match sent.and_then(Value::as_str) {
                Some(name) => self.after(0.1, done(&text_result(format!("Hello, {name}!"), false))),
                None => {
                    let requests = json!({ "user_name": form("What is your name?", "name", "string") });
                    CallToolResponse::InputRequired(needed(requests, None))
                }
            },
        }))
    }

    /// Returns the current state of a task.
    pub fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        let payload = self.all().get(id).cloned().ok_or_else(|| unknown(id))?;
        Ok(GetTaskResult::new(DetailedTask::new(task(id), payload)))
    }

    /// Accepts input for a task, which is done once nothing is missing.
    pub fn update(&self, id: &str, inputs: &InputResponses) -> Result<(), ErrorData> {
        let mut all = self.all();
        let payload = all.get_mut(id).ok_or_else(|| unknown(id))?;
        if let TaskPayload::InputRequired { input_requests } = payload {
            input_requests.retain(|key, _| !inputs.contains_key(key));
            if input_requests.is_empty() {
                *payload = done(&text_result(format!("heard {}", json!(inputs)), false));
            }
        }
        Ok(())
    }

    /// Cancels a task that is not finished.
    pub fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        let mut all = self.all();
        let payload = all.get_mut(id).ok_or_else(|| unknown(id))?;
        if !payload.status().is_terminal() {
            *payload = TaskPayload::Cancelled;
        }
        Ok(())
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, TaskPayload>> {
        self.0.lock()
    }

    /// Registers a task and returns its id to the client.
    fn made(&self, payload: TaskPayload) -> CallToolResponse {
        let mut all = self.all();
        let id = format!("task-{}", all.len() + 1);
        let mut made = task(&id);
        made.status = payload.status();
        all.insert(id, payload);
        CallToolResponse::Task(CreateTaskResult::new(made))
    }

    /// Creates a task that gets the state `then` after this time.
    fn after(&self, seconds: f64, then: TaskPayload) -> CallToolResponse {
        let made = self.made(TaskPayload::Working);
        if let CallToolResponse::Task(CreateTaskResult { task, .. }) = &made {
            let (tasks, id) = (self.clone(), task.task_id.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                if let Some(payload) = tasks.all().get_mut(&id).filter(|now| **now == TaskPayload::Working) {
                    *payload = then;
                }
            });
        }
        made
    }
}

fn task(id: &str) -> Task {
    Task::new(id, TaskStatus::Working, MADE, MADE).with_ttl_ms(600_000).with_poll_interval_ms(100)
}

fn asks(keys: &[&str]) -> TaskPayload {
    let requests: serde_json::Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), form("Really?", "confirm", "boolean"))).collect();
    TaskPayload::InputRequired { input_requests: serde_json::from_value(json!(requests)).unwrap() }
}

fn text_result(text: String, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

fn done(result: &CallToolResult) -> TaskPayload {
    TaskPayload::Completed { result: object(json!(result)) }
}

fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("no task has the id {id:?}"), None)
}
