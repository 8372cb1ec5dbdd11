//! Server for the official MCP conformance suite, with our transport, limits and checks: run
//! `mcp_conformance [PORT]`, then the suite with `http://127.0.0.1:PORT/mcp`. The fixtures request
//! sampling, roots and input from clients, which `cm` never does.

#![expect(deprecated, reason = "the suite asks for what older revisions had: logging, sampling and roots")]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used, reason = "an example may")]

#[path = "mcp_conformance/asking.rs"]
mod asking;
#[path = "mcp_conformance/content.rs"]
mod content;
#[path = "mcp_conformance/input.rs"]
mod input;
#[path = "mcp_conformance/tasks.rs"]
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use cm_server::mcp::{McpLimits, OriginPolicy, guarded};
use cm_server::serving::ConcurrencyLimit;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// The list that changed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turned {
    Tools,
    Prompts,
}

/// The server. All sessions share its concurrency limit and its notifications.
#[derive(Clone)]
struct Fixtures {
    calls: Arc<ConcurrencyLimit>,
    turned: broadcast::Sender<Turned>,
    tasks: tasks::Tasks,
}

/// Names of tools with their input schemas; the tools of `input` take no arguments.
fn tools() -> Vec<(&'static str, Value)> {
    let none = || json!({ "type": "object", "properties": {} });
    let string = json!({ "type": "string" });
    let text = |name: &str| json!({ "type": "object", "properties": { name: string }, "required": [name] });
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_logging",
        "test_logging_tool",
        "test_tool_with_progress",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let later = tasks::TOOLS.map(|(name, _)| name);
    let plain = plain.into_iter().chain(input::TOOLS).chain(later);
    let mut tools: Vec<_> = plain.map(|name| (name, none())).collect();
    tools.push(("test_sampling", text("prompt")));
    tools.push(("test_elicitation", text("message")));
    tools.push(("json_schema_2020_12_tool", content::dialect()));
    tools.push(("test_custom_headers", content::headers()));
    tools
}

fn tool(name: &'static str, schema: Value) -> Tool {
    Tool::new(name, format!("The suite's {name}"), schema.as_object().unwrap().clone())
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("cm-conformance", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools().into_iter().map(|(name, schema)| tool(name, schema)).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(1000).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|(tool_name, _)| *tool_name == name).map(|(name, schema)| tool(name, schema))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _pass =
            self.calls.acquire("").await.map_err(|full| ErrorData::internal_error(full.to_string(), None))?;
        if let Some(response) = input::call(&request, &context)? {
            return Ok(response);
        }
        if let Some(response) = self.tasks.call(&request, &context).await? {
            return Ok(response);
        }
        if let Some(content) = content::of(&request.name) {
            return Ok(CallToolResult::success(content).into());
        }
        let arguments = request.arguments.unwrap_or_default();
        match request.name.as_ref() {
            "test_error_handling" => {
                let words = "This tool intentionally returns an error for testing";
                return Ok(CallToolResult::error(vec![ContentBlock::text(words)]).into());
            }
            "test_trigger_tool_change" => drop(self.turned.send(Turned::Tools)),
            "test_trigger_prompt_change" => drop(self.turned.send(Turned::Prompts)),
            "test_tool_with_progress" => progress(&context).await?,
            "test_tool_with_logging" => asking::log(&context, true).await?,
            "test_logging_tool" => asking::log(&context, context.meta.log_level().is_some()).await?,
            name => {
                let answer = asking::answer(name, &arguments, &context).await?;
                let unknown = || ErrorData::invalid_params(format!("no tool has the name {name:?}"), None);
                let text = answer.ok_or_else(unknown)?;
                return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
            }
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |uri: &str, mime: &str| {
            Resource::new(uri, uri).with_description("A resource of the suite").with_mime_type(mime)
        };
        Ok(ListResourcesResult::with_all_items(vec![
            resource("test://static-text", "text/plain"),
            resource("test://static-binary", "image/png"),
            resource("test://watched-resource", "text/plain"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template =
            ResourceTemplate::new("test://template/{id}/data", "template").with_description("By id");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = content::read(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found("no such resource", Some(json!({ "uri": request.uri })))
        })?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = content::PROMPTS.iter().map(|(name, arguments)| {
            let arguments =
                arguments.iter().map(|name| PromptArgument::new(*name).with_required(true)).collect();
            Prompt::new(*name, Some("A prompt of the suite"), Some(arguments))
        });
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(response) = input::prompt(&request) {
            return Ok(response);
        }
        let arguments = request.arguments.unwrap_or_default();
        let messages = content::prompt(&request.name, &arguments)
            .ok_or_else(|| ErrorData::invalid_params(format!("no prompt {:?}", request.name), None))?;
        Ok(GetPromptResult::new(messages).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value;
        let values = ["paris", "park", "party"].map(str::to_owned);
        let values = values.into_iter().filter(|value| value.starts_with(&typed)).collect();
        let completion = CompletionInfo::with_all_values(values);
        Ok(CompleteResult::new(completion.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut turned = self.turned.subscribe();
        let accepted = context.accepted().clone();
        let telling = async {
            while let Ok(turned) = turned.recv().await {
                let notified = match turned {
                    Turned::Tools if accepted.tools_list_changed == Some(true) => {
                        context.sink().notify_tool_list_changed().await
                    }
                    Turned::Prompts if accepted.prompts_list_changed == Some(true) => {
                        context.sink().notify_prompt_list_changed().await
                    }
                    Turned::Tools | Turned::Prompts => Ok(()),
                };
                if notified.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = telling => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.get(&request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update(&request.task_id, &request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel(&request.task_id)
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {}
}

async fn progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            let notified = context.peer.notify_progress(progress).await;
            notified.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).unwrap_or_else(|| "0".to_owned());
    let limits = McpLimits::default();
    let fixtures = Fixtures {
        calls: Arc::new(ConcurrencyLimit::new(limits.running, limits.waiting, limits.queue_timeout)),
        turned: broadcast::Sender::new(16),
        tasks: Default::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let closing = CancellationToken::new();
        let mcp = guarded(move || fixtures.clone(), OriginPolicy::default(), &limits, &closing);
        let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        axum::serve(listener, axum::Router::new().nest("/mcp", mcp)).await
    })
}
