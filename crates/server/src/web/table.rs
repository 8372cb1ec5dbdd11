//! The table of pages and actions, and how a request finds and runs them.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequestParts, MatchedPath, State as Given};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, http};
use http_body_util::BodyExt as _;

use super::action_result::ActionResult;
use super::data::DataSpec;
use super::forms::Fields;
use super::page::PageRequest;
use super::response::{error, html, redirect};
use super::sessions::WebSession;
use super::setup::WebState;
use super::{actions, assets, login, past, views};
use crate::http::{Peer, Problem, ServerState, authentication, run_limited};
use crate::serving::TokenEnd;
use cm_app::context::actor::PERSONS_ONLY;
use cm_app::server_audit::{AuditRecord, Surface};
use cm_app::verbs::locate::locate;
use cm_app::{CallerIdentity, Context, Error, ErrorKind, Result};
use cm_note::token::AccessRole;

/// A page for `GET`. What follows its path is the reference to a note or a session.
pub(super) struct PageSpec {
    /// Path as a pattern of the router; also the name in the audit log.
    pub(super) path: &'static str,
    pub(super) show: fn(&Context, &PageRequest) -> Result<String>,
    /// Whether the page can show the vault as of an earlier time.
    pub(super) has_past: bool,
}

/// A change for `POST`, which a form of a page sends.
pub(super) struct ActionSpec {
    /// Path; also the name in the audit log.
    pub(super) path: &'static str,
    /// Whether it waits for other writes; false if it changes nothing.
    pub(super) is_write: bool,
    pub(super) run: fn(&Context, &PageRequest, &Fields) -> Result<ActionResult>,
}

/// Paths of the page that are in none of its tables.
const OTHER_ROOTS: [&str; 5] = ["/login", "/logout", "/assets", "/events", "/favicon.ico"];

/// First parts of the paths that belong to the page, such as `/note`; that of the home page is `/`.
static ROOTS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let pages = views::PAGES.iter().map(|page| page.path);
    let data = views::DATA.iter().map(|data| data.path);
    let actions = actions::ACTIONS.iter().map(|action| action.path);
    let first =
        |path: &'static str| path.get(1..).and_then(|rest| rest.find('/')).map_or(path, |at| &path[..=at]);
    pages.chain(data).chain(actions).map(first).chain(OTHER_ROOTS).collect()
});

/// First parts of the paths of the page, for logs and metrics.
pub(crate) fn roots() -> impl Iterator<Item = &'static str> {
    ROOTS.iter().copied().filter(|root| *root != "/")
}

/// Whether a request is for the page. A path that is also an endpoint belongs to the page if the
/// client asks for HTML, as browsers do.
pub(crate) fn is_page(path: &str, headers: &HeaderMap, endpoints: &[&'static str]) -> bool {
    let below = |root: &str| {
        path == root || path.strip_prefix(root).is_some_and(|rest| root != "/" && rest.starts_with('/'))
    };
    if !ROOTS.iter().any(|root| below(root)) {
        return false;
    }
    !endpoints.contains(&path) || accepts_html(headers)
}

/// Whether a client asks for HTML, as browsers do.
pub(crate) fn accepts_html(headers: &HeaderMap) -> bool {
    let accepts = |value: &http::HeaderValue| value.to_str().is_ok_and(|value| value.contains("text/html"));
    headers.get_all(header::ACCEPT).iter().any(accepts)
}

/// The routes of the page.
pub(crate) fn router(state: &Arc<ServerState>) -> Router {
    let mut router = Router::new()
        .route("/assets/{name}", get(assets::serve))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .route("/login", get(show_login).post(log_in))
        .route("/logout", post(log_out))
        .route("/events", get(follow_changes));
    for page in &views::PAGES {
        let handler = move |request: AuthenticatedRequest| show(page, request);
        router = router.route(page.path, get(handler));
    }
    for data in &views::DATA {
        let handler = move |request: AuthenticatedRequest| load(data, request);
        router = router.route(data.path, get(handler));
    }
    for action in &actions::ACTIONS {
        let handler = move |request: AuthenticatedRequest, body: Body| run(action, request, body);
        router = router.route(action.path, post(handler));
    }
    router.fallback(unknown_page).with_state(Arc::clone(state))
}

/// A request with its login.
struct AuthenticatedRequest {
    state: Arc<ServerState>,
    web: Arc<WebState>,
    parts: Parts,
    page: Arc<PageRequest>,
}

impl FromRequestParts<Arc<ServerState>> for AuthenticatedRequest {
    type Rejection = Response;

    /// Finds the login of a request. Without one, the response leads to the login.
    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<ServerState>,
    ) -> std::result::Result<Self, Response> {
        let Some(web) = &state.web else { return Err(no_page(&parts.headers)) };
        let address = parts.uri.path_and_query().map_or("/", |address| address.as_str()).to_owned();
        let Some(session) = parts.extensions.get::<Arc<WebSession>>().cloned() else {
            return Err(to_login(parts, &address));
        };
        let pattern = parts.extensions.get::<MatchedPath>().map_or("/", MatchedPath::as_str);
        let root = pattern.split('{').next().unwrap_or(pattern);
        let rest = parts.uri.path().strip_prefix(root).unwrap_or_default();
        let page = Arc::new(PageRequest {
            session,
            reference: cm_note::markdown::percent_decode(rest),
            query: Fields::parse(parts.uri.query().unwrap_or_default().as_bytes()),
            address,
            is_demo: web.setup.is_demo,
            is_of_script: parts.headers.contains_key("hx-request"),
            has_past: has_past(parts.uri.path()),
            is_static: false,
        });
        Ok(Self { state: Arc::clone(state), web: Arc::clone(web), parts: parts.clone(), page })
    }
}

/// Number of times that a page is read again after a note was not found or its file not read.
const MAX_READ_RETRIES: usize = 2;
/// Time before it is read again.
const READ_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Whether an error may come of a note that another process renamed while it was read: a moment later it is at its new
/// place.
fn may_have_moved(error: &Error) -> bool {
    error.code == "io" || error.kind == ErrorKind::NotFound
}

impl AuthenticatedRequest {
    /// Runs work on the vault within the limits of the server.
    async fn work<T: Send + 'static>(
        &self,
        name: &'static str,
        is_write: bool,
        work: impl Fn(&Context, &PageRequest, &mut AuditRecord) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, Problem> {
        let (state, page) = (&self.state, Arc::clone(&self.page));
        let caller = page.session.caller.clone();
        let runner = if is_write { &state.writes } else { &state.reads };
        let key = caller.token.clone().unwrap_or_default();
        let (audit, attempt) = (state.setup.audit.clone(), caller.attempt(Surface::Web, name));
        let opener = Arc::clone(&state.setup.opener);
        let operate = move || {
            let mut record = AuditRecord::begin(audit, attempt);
            let identity: CallerIdentity = caller.identity;
            let mut run = || {
                let context = opener(identity.clone())?;
                work(&context, &page, &mut record).map_err(|error| context.request.conceal(error))
            };
            let mut result = run();
            let mut retries = if is_write { 0 } else { MAX_READ_RETRIES };
            while retries > 0 && result.as_ref().is_err_and(may_have_moved) {
                std::thread::sleep(READ_RETRY_DELAY);
                result = run();
                retries -= 1;
            }
            Ok(record.end(result)?)
        };
        run_limited(state, runner, &key, operate).await
    }

    fn fail(&self, problem: &Problem) -> Response {
        error(problem, &self.page, &self.parts.headers)
    }
}

/// Leads to the login, and from there back to the page; a change is not repeated.
fn to_login(parts: &Parts, address: &str) -> Response {
    let next = if parts.method == Method::GET || parts.method == Method::HEAD { address } else { "/" };
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    redirect(&format!("/login?next={next}"), &parts.headers)
}

async fn show(page: &'static PageSpec, authenticated: AuthenticatedRequest) -> Response {
    let read = move |context: &Context, request: &PageRequest, record: &mut AuditRecord| {
        let text = show_page(page, context, request)?;
        // Titles are not recorded.
        let is_of_note = !request.reference.is_empty() && !page.path.starts_with("/sessions");
        if let Some(Ok(note)) = is_of_note.then(|| locate(context, &request.reference)) {
            record.answered(&serde_json::json!({ "id": note.id }));
        }
        Ok(text)
    };
    match authenticated.work(page.path, false, read).await {
        Ok(text) => html(StatusCode::OK, text, &authenticated.parts.headers),
        Err(problem) => authenticated.fail(&problem),
    }
}

/// Shows a page at the time that its address names, if it has a past.
fn show_page(page: &PageSpec, context: &Context, request: &PageRequest) -> Result<String> {
    let Some(named_time) = past::named_time(&request.query).filter(|_| page.has_past) else {
        return (page.show)(context, request);
    };
    let html = past::at_time(context, &request.query, |context| (page.show)(context, request))?;
    Ok(past::keep_time(&html, named_time, has_past))
}

/// Whether the page at an address can show an earlier time.
fn has_past(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    views::PAGES.iter().filter(|page| page.has_past).any(|page| match page.path.split_once('{') {
        Some((root, _)) => path.starts_with(root),
        None => path == page.path,
    })
}

async fn load(data: &'static DataSpec, authenticated: AuthenticatedRequest) -> Response {
    let read = move |context: &Context, request: &PageRequest, _: &mut AuditRecord| {
        past::at_time(context, &request.query, |context| (data.load)(context, request))
    };
    match authenticated.work(data.path, false, read).await {
        Ok(loaded) => loaded.response(&authenticated.parts.headers),
        Err(problem) => authenticated.fail(&problem),
    }
}

async fn run(action: &'static ActionSpec, authenticated: AuthenticatedRequest, body: Body) -> Response {
    let form = match read_form(&authenticated.parts, body)
        .await
        .and_then(|form| permitted(&authenticated.page, form))
    {
        Ok(form) => form,
        Err(problem) => return authenticated.fail(&problem),
    };
    let operate = move |context: &Context, page: &PageRequest, record: &mut AuditRecord| {
        let result = (action.run)(context, page, &form)?;
        if let ActionResult::Undecided { code, .. } = &result {
            record.refuse(code);
        }
        Ok(result)
    };
    match authenticated.work(action.path, action.is_write, operate).await {
        Ok(ActionResult::Done { address, notice }) => {
            authenticated.page.session.set_notice(notice);
            redirect(&address, &authenticated.parts.headers)
        }
        Ok(ActionResult::Preview(text)) => html(StatusCode::OK, text, &authenticated.parts.headers),
        Ok(ActionResult::Undecided { page, .. }) => {
            html(StatusCode::CONFLICT, page, &authenticated.parts.headers)
        }
        Err(problem) => authenticated.fail(&problem),
    }
}

/// Checks the token of a form, the caller's role, and that no agent's token is behind the login.
fn permitted(page: &PageRequest, form: Fields) -> std::result::Result<Fields, Problem> {
    let sent = form.get("csrf").unwrap_or_default();
    // Comparing hashes takes the same time wherever two tokens differ.
    if page.session.csrf.is_empty()
        || blake3::hash(sent.as_bytes()) != blake3::hash(page.session.csrf.as_bytes())
    {
        let message = "this form does not belong to your login";
        let hint = "load the page again and repeat the change";
        return Err(Problem::new(StatusCode::FORBIDDEN, "csrf", message, hint));
    }
    let caller = &page.session.caller;
    caller.require_role(AccessRole::Writer)?;
    if page.is_of_agents_token() {
        let message = "only a person can change something on the page; this is the token of an agent";
        let hint = "log in with a token of the kind person (`cm token add NAME --kind person`)";
        return Err(Problem::new(StatusCode::FORBIDDEN, PERSONS_ONLY, message, hint));
    }
    Ok(form)
}

async fn read_form(parts: &Parts, body: Body) -> std::result::Result<Fields, Problem> {
    let media = parts.headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok());
    if !media.is_some_and(|media| media.starts_with("application/x-www-form-urlencoded")) {
        let message = "the body is not a form";
        let hint = "send application/x-www-form-urlencoded";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media", message, hint));
    }
    let incomplete =
        |_| Problem::bad("broken-body", "the body is too long or incomplete", "send it completely");
    Ok(Fields::parse(&body.collect().await.map_err(incomplete)?.to_bytes()))
}

async fn show_login(Given(state): Given<Arc<ServerState>>, request: Request<Body>) -> Response {
    let (parts, _) = request.into_parts();
    match &state.web {
        Some(web) => login::show(&state, web, &parts),
        None => no_page(&parts.headers),
    }
}

async fn log_in(Given(state): Given<Arc<ServerState>>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let Some(web) = state.web.clone() else { return no_page(&parts.headers) };
    let form = match read_form(&parts, body).await {
        Ok(form) => form,
        Err(_) => return redirect("/login", &parts.headers),
    };
    login::with_token(&state, &web, &parts, &form, |secret| {
        authentication::with_secret(&state, secret, &parts.headers, peer(&parts))
    })
}

/// The client's address, which the middleware counts failed logins against.
fn peer(parts: &Parts) -> IpAddr {
    parts.extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0)
}

async fn log_out(authenticated: AuthenticatedRequest, body: Body) -> Response {
    let form = read_form(&authenticated.parts, body).await;
    let is_own = form.is_ok_and(|form| form.get("csrf") == Some(&authenticated.page.session.csrf));
    if is_own {
        login::log_out(&authenticated.state, &authenticated.web, &authenticated.parts)
    } else {
        redirect("/", &authenticated.parts.headers)
    }
}

async fn follow_changes(Given(state): Given<Arc<ServerState>>, request: Request<Body>) -> Response {
    let (parts, _) = request.into_parts();
    let (Some(web), Some(_)) = (&state.web, parts.extensions.get::<Arc<WebSession>>()) else {
        return html(StatusCode::UNAUTHORIZED, String::new(), &parts.headers);
    };
    let end = parts.extensions.get::<TokenEnd>().cloned().unwrap_or_default();
    web.setup.changes.stream(end, web.closing.clone())
}

async fn unknown_page(authenticated: AuthenticatedRequest) -> Response {
    let (message, hint) = ("this page does not exist", "the navigation leads to all pages");
    authenticated.fail(&Problem::new(StatusCode::NOT_FOUND, "no-page", message, hint))
}

fn no_page(request: &HeaderMap) -> Response {
    html(StatusCode::NOT_FOUND, String::new(), request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_both_is_a_page_for_browsers_and_an_endpoint_for_programs() {
        let accepting = |media: &'static str| {
            HeaderMap::from_iter([(header::ACCEPT, http::HeaderValue::from_static(media))])
        };
        let endpoints = ["/search", "/sessions"];
        let browser = accepting("text/html,application/xhtml+xml");
        let program = accepting("*/*");
        assert!(is_page("/search", &browser, &endpoints) && !is_page("/search", &program, &endpoints));
        assert!(is_page("/sessions/abc", &program, &endpoints));
        assert!(is_page("/", &program, &endpoints) && is_page("/note/a/b.md", &program, &endpoints));
        assert!(!is_page("/mcp", &browser, &endpoints) && !is_page("/notes", &browser, &endpoints));
    }

    #[test]
    fn the_roots_are_the_first_parts_of_all_paths() {
        let roots: Vec<&str> = ROOTS.iter().copied().collect();
        assert!(roots.contains(&"/") && roots.contains(&"/note") && roots.contains(&"/login"), "{roots:?}");
        assert!(roots.iter().all(|root| !root.contains('{') && root.matches('/').count() == 1), "{roots:?}");
    }

    #[test]
    fn every_page_and_action_is_below_a_root_and_named_once() {
        let paths: Vec<&str> = views::PAGES
            .iter()
            .map(|page| page.path)
            .chain(actions::ACTIONS.iter().map(|action| action.path))
            .collect();
        for path in &paths {
            let plain = path.split('{').next().unwrap_or(path);
            let plain = if plain == "/" { plain } else { plain.trim_end_matches('/') };
            assert!(is_page(plain, &HeaderMap::new(), &[]), "{path}");
        }
        let unique: BTreeSet<_> = paths.iter().collect();
        assert_eq!(unique.len(), paths.len());
    }
}
