//! Builds the router from the table of operations, and runs operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State as Given;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter};
use axum::{Router, middleware};
use serde_json::Value;
use tower::ServiceExt as _;

use super::authentication::header_name;
use super::headers::IDEMPOTENCY_KEY;
use super::health;
use super::operation_runner::{OperationRunner, RunError};
use super::problem::{Problem, answer};
use super::shape::InputSchema;
use super::state::ServerState;
use super::{body, query};
use crate::operations::{AccessRole, Caller, Effect, Endpoint, Method, OperationResult, OperationSpec};
use crate::web;
use cm_app::idempotency::KeyedRequest;
use cm_app::server_audit::{AuditRecord, Surface};

/// The router with all endpoints and the middleware.
pub fn router(state: &Arc<ServerState>) -> Router {
    let mut router = Router::new();
    for (path, operations) in by_path(state.setup.table) {
        router = router.route(path, of_operations(&operations));
    }
    router = router
        .route("/health", only_get(|state, caller| async move { health_response(&state, caller).await }))
        .route("/metrics", only_get(|state, caller| async move { metrics_response(&state, caller).await }))
        .route("/openapi.json", only_get(|state, _| async move { openapi_response(&state) }));
    let mut router = router.fallback(unknown_endpoint).with_state(Arc::clone(state));
    for service in &state.setup.mounted {
        router = router.nest(service.path, service.router.clone());
    }
    if state.web.is_some() {
        let pages = (Arc::clone(state), web::router(state));
        router = router.layer(middleware::from_fn_with_state(pages, page_or_endpoint));
    }
    router.layer(middleware::from_fn_with_state(Arc::clone(state), super::middleware::middleware))
}

/// Passes requests for the page to its router.
async fn page_or_endpoint(
    Given((state, pages)): Given<(Arc<ServerState>, Router)>,
    request: Request<Body>,
    next: Next,
) -> Response {
    if !state.is_page(request.uri().path(), request.headers()) {
        return next.run(request).await;
    }
    match pages.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// The operations with an endpoint, by path.
fn by_path(
    table: &'static [OperationSpec],
) -> BTreeMap<&'static str, Vec<(Endpoint, &'static OperationSpec)>> {
    let mut paths: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for operation in table {
        if let Some(endpoint) = operation.endpoint {
            paths.entry(endpoint.path).or_default().push((endpoint, operation));
        }
    }
    paths
}

fn of_operations(operations: &[(Endpoint, &'static OperationSpec)]) -> MethodRouter<Arc<ServerState>> {
    let mut methods = MethodRouter::new();
    let mut allowed = Vec::new();
    let of_each = operations.iter().flat_map(|(endpoint, operation)| {
        endpoint.methods.iter().map(move |method| (*endpoint, *method, *operation))
    });
    for (endpoint, method, operation) in of_each {
        let (filter, name) = match method {
            Method::Get => (MethodFilter::GET, "GET, HEAD"),
            Method::Post => (MethodFilter::POST, "POST"),
        };
        allowed.push(name);
        let run = move |Given(state): Given<Arc<ServerState>>, request: Request<Body>| async move {
            let done = run(&state, (endpoint, method), operation, request).await;
            done.unwrap_or_else(|problem| error_response(&state, operation, problem))
        };
        methods = methods.on(filter, run);
    }
    let allowed = allowed.join(", ");
    methods.fallback(move || std::future::ready(other_method(&allowed)))
}

/// A route for `GET` that is not an operation.
fn only_get<F, A>(handler: F) -> MethodRouter<Arc<ServerState>>
where
    F: Fn(Arc<ServerState>, Option<Caller>) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    let run = move |Given(state): Given<Arc<ServerState>>, request: Request<Body>| {
        let answer = handler(state, request.extensions().get().cloned());
        async move { answer.await.unwrap_or_else(IntoResponse::into_response) }
    };
    MethodRouter::new().on(MethodFilter::GET, run).fallback(|| std::future::ready(other_method("GET, HEAD")))
}

/// Runs an operation for an authenticated request.
async fn run(
    state: &Arc<ServerState>,
    (endpoint, method): (Endpoint, Method),
    operation: &'static OperationSpec,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let (parts, incoming) = request.into_parts();
    let caller = caller(parts.extensions.get())?;
    let (audit, attempt) = (state.setup.audit.clone(), caller.attempt(Surface::Http, operation.name));
    if let Err(refused) = caller.require_permission(operation) {
        return AuditRecord::begin(audit, attempt).end(Err(refused)).map_err(Problem::from);
    }
    let runner = if operation.effect == Effect::Reads { &state.reads } else { &state.writes };
    let (opener, identity) = (Arc::clone(&state.setup.opener), caller.identity.clone());
    let key = caller.token.as_deref().unwrap_or_default();
    let idempotency_key = match operation.effect {
        Effect::Reads => None,
        Effect::Adds | Effect::Changes => header_name(&parts.headers, &IDEMPOTENCY_KEY)?,
    };
    let (requests, token) = (Arc::clone(state), key.to_owned());
    let operate = move |input: Value| -> Result<Vec<u8>, Problem> {
        let mut record = AuditRecord::begin(audit, attempt).of_input(&input);
        let work = || {
            let context = operation.context(opener(identity)?);
            let keyed = idempotency_key.map(|key| KeyedRequest::new(&token, operation.name, &key, &input));
            let run = || (operation.run)(&context, input).map(|OperationResult { json, .. }| json);
            let result = match keyed {
                Some(keyed) => requests.keyed.once(&context, &keyed, run),
                None => run(),
            };
            result.map_err(|error| context.request.conceal(error))
        };
        let result = work().inspect(|json| record.answered(json));
        Ok(record.end(result)?.to_string().into_bytes())
    };
    let document = match method {
        Method::Get => {
            let input = query::input(parts.uri.query().unwrap_or_default(), shape(state, operation)?)?;
            run_limited(state, runner, key, move || operate(input)).await?
        }
        Method::Post => {
            let taken = body::read_json(&parts.headers, incoming, &state.setup.limits, &state.bodies).await?;
            let input = parsed(&taken).await?;
            // The room of a body is given back when its operation ends, for its values take room until then.
            run_limited(state, runner, key, move || (operate(input), taken).0).await?
        }
    };
    Ok(answer(StatusCode::from_u16(endpoint.success_status).unwrap_or(StatusCode::OK), document))
}

/// The response for a failed operation. Internal errors are logged by their code.
fn error_response(state: &ServerState, operation: &OperationSpec, problem: Problem) -> Response {
    if problem.status == StatusCode::INTERNAL_SERVER_ERROR {
        state.notice("failed", format!("{}: {}", operation.name, problem.error.code));
    }
    problem.into_response()
}

/// Maximum size of a body that is parsed on the async thread, in bytes; this takes a fraction of a
/// millisecond.
const SMALL_BODY_BYTES: usize = 32 << 10;

async fn parsed(taken: &body::ReadBody) -> Result<Value, Problem> {
    if taken.bytes.len() <= SMALL_BODY_BYTES {
        return body::input(&taken.bytes);
    }
    let bytes = taken.bytes.clone();
    tokio::task::spawn_blocking(move || body::input(&bytes)).await.unwrap_or_else(|_| Err(panicked()))
}

/// Runs work within a concurrency limit and maps its failures to error responses.
pub(crate) async fn run_limited<T: Send + 'static>(
    state: &ServerState,
    runner: &OperationRunner,
    caller: &str,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match runner.run(caller, work).await {
        Ok(done) => done,
        Err(RunError::Busy) => Err(Problem::busy("too many operations are waiting", 1)),
        Err(RunError::Panicked) => {
            state.notice("panic", "an operation panicked; see standard error".to_owned());
            Err(panicked())
        }
    }
}

fn panicked() -> Problem {
    let hint = "this is a bug in cm; the server's log has the request";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the operation failed unexpectedly", hint)
}

fn caller(caller: Option<&Caller>) -> Result<&Caller, Problem> {
    let hint = "this is a bug in cm";
    caller.ok_or_else(|| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the caller is unknown", hint)
    })
}

fn shape<'a>(state: &'a ServerState, operation: &OperationSpec) -> Result<&'a InputSchema, Problem> {
    state.shapes.get(operation.name).ok_or_else(panicked)
}

async fn health_response(state: &Arc<ServerState>, caller: Option<Caller>) -> Result<Response, Problem> {
    let document = health::health(state, caller.as_ref()).await;
    Ok(answer(StatusCode::OK, document.to_string().into_bytes()))
}

async fn metrics_response(
    state: &Arc<ServerState>,
    request_caller: Option<Caller>,
) -> Result<Response, Problem> {
    caller(request_caller.as_ref())?.require_role(AccessRole::Admin)?;
    let mut response = Response::new(Body::from(health::metrics(state).await));
    let media = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    Ok(response)
}

fn openapi_response(state: &ServerState) -> Result<Response, Problem> {
    Ok(answer(StatusCode::OK, state.contract.clone().into_bytes()))
}

async fn unknown_endpoint() -> Problem {
    let hint = "/openapi.json lists all endpoints";
    Problem::new(StatusCode::NOT_FOUND, "no-endpoint", "unknown endpoint", hint)
}

fn other_method(allowed: &str) -> Problem {
    let message = format!("this endpoint accepts {allowed}");
    let mut problem =
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", message, "/openapi.json lists all endpoints");
    problem.allow = Some(allowed.to_owned());
    problem
}
