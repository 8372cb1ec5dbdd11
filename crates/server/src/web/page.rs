//! The request of a page, and the frame around its content: navigation, search, notices.

use std::sync::Arc;

use askama::Template;

use super::assets::{ADDRESSES, AssetAddresses};
use super::forms::Fields;
use super::past::PastView;
use super::sessions::{ActionNotice, WebSession};
use crate::operations::worded;
use cm_app::{Context, Error, ErrorKind, Result};
use cm_note::token::AccessRole;
use cm_note::user_text::Interface;

/// A request for a page.
pub(super) struct PageRequest {
    pub(super) session: Arc<WebSession>,
    /// The part of the path after the page's own, decoded: a note or a session. Empty for others.
    pub(super) reference: String,
    pub(super) query: Fields,
    /// Address of the page, with the query.
    pub(super) address: String,
    pub(super) is_demo: bool,
    /// Whether a script of an open page asks, which shows no notice.
    pub(super) is_of_script: bool,
    /// Whether the page can show an earlier time.
    pub(super) has_past: bool,
    /// Whether the page becomes a file of a site, where nothing answers.
    pub(super) is_static: bool,
}

impl PageRequest {
    /// Whether the caller may change the vault.
    pub(super) fn may_write(&self) -> bool {
        self.session.caller.role >= AccessRole::Writer && !self.is_of_agents_token()
    }

    /// Whether the caller logged in with the token of an agent. It reads the page: what agents may do,
    /// they do over the endpoints.
    pub(super) fn is_of_agents_token(&self) -> bool {
        let caller = &self.session.caller;
        caller.token.is_some() && !caller.identity.is_persons_own()
    }

    /// Whether the caller may decide what only a person may, such as to accept a draft.
    pub(super) fn may_decide(&self) -> bool {
        self.may_write() && self.session.caller.identity.is_person()
    }
}

/// Data for the frame of a page: navigation, search, notices.
pub(super) struct Shell {
    pub(super) title: String,
    /// Name of the vault's folder.
    pub(super) vault: String,
    /// Entry of the navigation that is shown as current.
    pub(super) section: &'static str,
    pub(super) csrf: String,
    pub(super) address: String,
    /// The query in the search box.
    pub(super) query: String,
    pub(super) may_write: bool,
    pub(super) may_decide: bool,
    pub(super) is_demo: bool,
    /// Whether the caller may write, but is not known to be a person, because the server has no tokens.
    pub(super) is_without_person: bool,
    pub(super) is_static: bool,
    /// Who logged in with a token; `None` if the page needs no login.
    pub(super) login: Option<LoginView>,
    /// The earlier time that the page shows; nothing can be changed then.
    pub(super) past: Option<PastView>,
    /// Address of the page that offers earlier times of this one; `None` if it has only the present.
    pub(super) time: Option<String>,
    pub(super) notice: Option<ActionNotice>,
    /// Remarks of the operations, such as a broken settings file.
    pub(super) remarks: Vec<String>,
    pub(super) assets: &'static AssetAddresses,
    pub(super) navigation: &'static [NavigationEntry],
}

/// Who is logged in, and why the page may have no forms.
pub(super) struct LoginView {
    pub(super) name: String,
    pub(super) role: AccessRole,
    /// Whether the token is an agent's, which only reads the page.
    pub(super) is_agent: bool,
}

impl LoginView {
    fn of(request: &PageRequest) -> Option<Self> {
        let caller = &request.session.caller;
        caller.token.as_ref()?;
        let name = caller.identity.actor.clone().or_else(|| caller.identity.agent_name());
        Some(Self {
            name: name.unwrap_or_default(),
            role: caller.role,
            is_agent: request.is_of_agents_token(),
        })
    }
}

/// An entry of the navigation.
pub(super) struct NavigationEntry {
    pub(super) section: &'static str,
    pub(super) path: &'static str,
    pub(super) label: &'static str,
    /// Key that opens it after `g`.
    pub(super) key: &'static str,
}

const fn entry(
    section: &'static str,
    path: &'static str,
    label: &'static str,
    key: &'static str,
) -> NavigationEntry {
    NavigationEntry { section, path, label, key }
}

static NAVIGATION: [NavigationEntry; 12] = [
    entry("home", "/", "Home", "h"),
    entry("review", "/review", "Inbox", "i"),
    entry("search", "/search", "Search", "f"),
    entry("playbook", "/playbook", "Playbook", "p"),
    entry("graph", "/graph", "Map", "g"),
    entry("sessions", "/sessions", "Sessions", "s"),
    entry("charts", "/charts", "Friction", "r"),
    entry("conflicts", "/conflicts", "Contradictions", "c"),
    entry("stale", "/stale", "Stale", "t"),
    entry("core", "/core", "CORE.md", "m"),
    entry("log", "/log", "Log", "l"),
    entry("checks", "/checks", "Checks", "k"),
];

/// The pages of a site of files.
static SITE_NAVIGATION: [NavigationEntry; 8] = [
    entry("home", "/", "Home", "h"),
    entry("search", "/notes", "Notes", "n"),
    entry("playbook", "/playbook", "Playbook", "p"),
    entry("graph", "/graph", "Map", "g"),
    entry("conflicts", "/conflicts", "Contradictions", "c"),
    entry("stale", "/stale", "Stale", "t"),
    entry("core", "/core", "CORE.md", "m"),
    entry("log", "/log", "Log", "l"),
];

impl Shell {
    /// The surroundings of a page with this title, below an entry of the navigation.
    pub(super) fn of(
        context: &Context,
        request: &PageRequest,
        section: &'static str,
        title: impl Into<String>,
    ) -> Self {
        let remarks =
            context.take_notices().iter().map(|notice| worded(notice, Interface::CommandLine)).collect();
        let past = PastView::of(context, &request.address);
        let is_now = past.is_none();
        let shell = Self::without_vault(request, section, title);
        Self {
            vault: context.workspace(),
            remarks,
            may_write: shell.may_write && is_now,
            may_decide: shell.may_decide && is_now,
            past,
            ..shell
        }
    }

    /// The surroundings of a page that could not open the vault.
    pub(super) fn without_vault(
        request: &PageRequest,
        section: &'static str,
        title: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            vault: String::new(),
            section,
            csrf: request.session.csrf.clone(),
            address: request.address.clone(),
            query: String::new(),
            may_write: request.may_write(),
            may_decide: request.may_decide(),
            is_demo: request.is_demo,
            is_without_person: request.session.caller.token.is_none()
                && request.may_write()
                && !request.may_decide(),
            is_static: request.is_static,
            login: LoginView::of(request),
            past: None,
            time: request.has_past.then(|| times(&request.address)),
            notice: if request.is_of_script { None } else { request.session.take_notice() },
            remarks: Vec::new(),
            assets: &ADDRESSES,
            navigation: if request.is_static { &SITE_NAVIGATION } else { &NAVIGATION },
        }
    }
}

/// The address of the page with the earlier times of a page.
fn times(address: &str) -> String {
    let address: String = form_urlencoded::byte_serialize(address.as_bytes()).collect();
    format!("/past?to={address}")
}

/// Renders a template.
///
/// # Errors
/// A failure inside the template.
pub(super) fn render(template: &impl Template) -> Result<String> {
    template.render().map_err(|error| Error::new(ErrorKind::Failed, "template", error.to_string()))
}
