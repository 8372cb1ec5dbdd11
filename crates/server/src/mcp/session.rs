//! The session of one client; answers each request from the server's catalog.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::call::CallWork;
use super::resources::{CACHE_LIFETIME_MS, MAX_URI_BYTES};
use super::subscriptions::{self, Subscriptions};
use super::{McpServer, apps, call, complete, failure, prompts, resources, tools};
use crate::operations::OperationResult;
use cm_app::Error;
use cm_app::context::receipts;

/// Instructions sent to agents on connection.
const INSTRUCTIONS: &str = include_str!("../../../../templates/mcp/instructions.md");

/// The session of one client.
#[derive(Debug)]
pub struct McpSession {
    server: McpServer,
    subscriptions: Arc<Subscriptions>,
    /// Cancelled when the transport closes or the session is dropped; ends its tasks.
    ended: CancellationToken,
    _end: DropGuard,
}

impl McpSession {
    pub(super) fn new(server: McpServer) -> Self {
        let ended = server.closing().child_token();
        let subscriptions = Arc::new(Subscriptions::new(server.limits().subscriptions));
        Self { server, subscriptions, _end: ended.clone().drop_guard(), ended }
    }

    /// The token to cancel when the client is gone.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    async fn answer(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        request_context: &RequestContext<RoleServer>,
    ) -> Result<cm_app::Result<OperationResult>, ErrorData> {
        let Some((operation, _)) = self.server.tools().find(name) else {
            let shown: String = name.chars().take(100).collect();
            let hint = format!("available: {}", self.server.tools().names());
            return Err(failure::of_params(format!("unknown tool {shown:?}"), hint));
        };
        let input = Value::Object(arguments.unwrap_or_default());
        let role = operation.effect.role();
        let session = input.get("session").and_then(Value::as_str).map(str::to_owned);
        let run = move |context: &cm_app::Context| {
            let answer = (operation.run)(context, input)?;
            // Clients pass the structured content to the model where there is some.
            let length = match operation.text_only {
                true => answer.text.chars().count(),
                false => answer.json.to_string().chars().count(),
            };
            receipts::record_tool(context, operation.name, session, length);
            Ok(answer)
        };
        let work = CallWork { name: operation.name, role, run, audited: json_of };
        Ok(call::run(&self.server, request_context, work).await?)
    }
}

fn json_of(answer: &OperationResult) -> Option<&Value> {
    Some(&answer.json)
}

impl ServerHandler for McpSession {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .build();
        let cm = Implementation::new("cm", env!("CARGO_PKG_VERSION")).with_title("cm memory");
        ServerConfig::new(capabilities).with_server_info(cm).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        request_context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(request)?;
        let mut tools = self.server.tools().listed().to_vec();
        let (_, shows_apps) = self.server.pages(&request_context);
        if shows_apps {
            tools.iter_mut().for_each(apps::link);
        }
        // What a client that shows apps gets is not for all.
        let scope = if shows_apps { CacheScope::Private } else { CacheScope::Public };
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(CACHE_LIFETIME_MS).with_cache_scope(scope))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.tools().find(name).map(|(_, tool)| tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answer(&request.name, request.arguments, &request_context).await?;
        let text_only = self.server.tools().find(&request.name).is_some_and(|(tool, _)| tool.text_only);
        let result =
            answer.map_or_else(|error| failure::of_tool(&error), |answer| tools::result(answer, text_only));
        Ok(CallToolResponse::Complete(result))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        request_context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(request)?;
        let recent = self.server.catalog().recent;
        let work = CallWork::read("resources/list", recent);
        let recent = call::run(&self.server, &request_context, work).await?;
        let recent = recent.map_err(|error| failure::of_request(&error))?;
        let mut listed = resources::listed(self.server.catalog(), recent);
        let (_, shows_apps) = self.server.pages(&request_context);
        if shows_apps {
            listed.resources.extend(apps::listed());
        }
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        first_page(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let refused = |error: &Error| resources::refusal(&uri, error);
        if let (Some(pages), _) = self.server.pages(&request_context) {
            if let Some(app) = apps::app(&uri) {
                return Ok(ReadResourceResponse::Complete(app));
            }
            if let Some(address) = apps::page_address(&uri) {
                let read = move |context: &cm_app::Context| pages(context, &address);
                let work = CallWork::read("resources/read", read);
                let page = call::run(&self.server, &request_context, work).await?;
                let page = page.map_err(|error| refused(&error))?;
                return Ok(ReadResourceResponse::Complete(apps::page(page, uri)));
            }
        }
        let catalog = *self.server.catalog();
        let target = resources::target(&uri, &catalog).map_err(|error| refused(&error))?;
        let read = move |context: &cm_app::Context| resources::read(context, &target, &catalog);
        let work = CallWork::read("resources/read", read);
        let contents = call::run(&self.server, &request_context, work).await?;
        let contents = contents.map_err(|error| refused(&error))?;
        Ok(ReadResourceResponse::Complete(resources::result(uri, contents)))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(request)?;
        Ok(prompts::listed())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = prompts::find(&request.name)?;
        let arguments = request.arguments.unwrap_or_default();
        prompt.check(&arguments)?;
        let material = match prompt.material {
            Some(material) => {
                let input = material.given(&arguments);
                let answer = self.answer(material.tool, Some(input), &request_context).await?;
                Some(answer.map_err(|error| failure::of_request(&error))?.text)
            }
            None => None,
        };
        Ok(GetPromptResponse::Complete(prompt.result(&arguments, material)))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        request_context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Some(completion) = complete::wanted(&request.r#ref, &request.argument)? else {
            return Ok(complete::result(Vec::new()));
        };
        let suggest = self.server.catalog().complete;
        let typed = request.argument.value;
        let values = move |context: &cm_app::Context| suggest(context, completion, &typed);
        let work = CallWork::read("completion/complete", values);
        let values = call::run(&self.server, &request_context, work).await?;
        Ok(complete::result(values.map_err(|error| failure::of_request(&error))?))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.supported_by(&self.get_info().capabilities);
        if let Some(uris) = accepted.resource_subscriptions.as_mut() {
            uris.retain(|uri| self.is_resource(uri));
            uris.truncate(self.server.limits().subscriptions);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        subscriptions::listen(&self.server, &self.ended, context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        resources::target(&uri, self.server.catalog()).map_err(|error| resources::refusal(&uri, &error))?;
        self.subscriptions.add(uri).map_err(|error| failure::of_request(&error))?;
        self.server.feed().watcher_started().await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // Sessions exist in older revisions only; in the current one who wants news asks for it with a request.
        if self.subscriptions.begin() {
            let news = self.server.feed().listen();
            let subscriptions = Arc::clone(&self.subscriptions);
            let catalog = *self.server.catalog();
            let ended = self.ended.clone();
            tokio::spawn(subscriptions::forward(context.peer, news, subscriptions, catalog, ended));
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method comes here when its parameters are none of its own.
        const METHODS: [&str; 13] = [
            "completion/complete",
            "initialize",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/read",
            "resources/subscribe",
            "resources/templates/list",
            "resources/unsubscribe",
            "server/discover",
            "subscriptions/listen",
            "tools/call",
            "tools/list",
        ];
        let method = request.method;
        if METHODS.contains(&method.as_str()) {
            let hint = "see the protocol's description of the method";
            return Err(failure::of_params(format!("invalid params for {method}"), hint));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method {method:?}"), None))
    }
}

impl McpSession {
    fn is_resource(&self, uri: &str) -> bool {
        uri.len() <= MAX_URI_BYTES && resources::target(uri, self.server.catalog()).is_ok()
    }
}

/// Rejects cursors, because lists are not paginated.
fn first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(failure::of_params("unknown cursor", "lists have one page: call without a cursor")),
        None => Ok(()),
    }
}
