//! MCP Apps: views of the memory that a client shows beside the results of tools.
//!
//! Revision 2026-01-26 of the extension `io.modelcontextprotocol/ui`. A tool names an app, a small
//! HTML document; the app asks the client for the view to show, which is a resource as well, and
//! the same page as in the browser.

use std::sync::LazyLock;

use rmcp::model::{ClientCapabilities, MetaObject, ReadResourceResult, Resource, ResourceContents, Tool};
use serde_json::{Value, json};

use cm_app::{Context, Result};

/// Renders the page at an address such as `/note/b-1` as a whole HTML document.
pub type PageReader = fn(&Context, &str) -> Result<String>;

/// Name of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// Media type of apps.
const APP: &str = "text/html;profile=mcp-app";
/// Prefix of the URIs of pages; the address follows.
const PAGE: &str = "ui://cm/page";

/// An app and the tool whose results it shows.
struct AppSpec {
    uri: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    tool: &'static str,
}

static APPS: [AppSpec; 3] = [
    AppSpec {
        uri: "ui://cm/note",
        name: "note-view",
        title: "Note",
        description: "The note with its edges, history and score",
        tool: "memory_get",
    },
    AppSpec {
        uri: "ui://cm/inbox",
        name: "inbox-view",
        title: "Inbox",
        description: "What waits for a person's decision",
        tool: "memory_propose",
    },
    AppSpec {
        uri: "ui://cm/receipts",
        name: "receipts-view",
        title: "Receipts",
        description: "What the session was told, and why",
        tool: "memory_context",
    },
];

/// The document of all apps, which finds out from its client which one it is.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../assets/web/app.html")
        .replace("/* style */", include_str!("../../../../assets/web/style.css"))
        .replace("/* script */", include_str!("../../../../assets/web/app.js"))
});

/// Whether a client shows apps.
pub(super) fn shows_apps(client: &ClientCapabilities) -> bool {
    let settings = client.extensions.as_ref().and_then(|extensions| extensions.get(EXTENSION));
    let types = settings.and_then(|settings| settings.get("mimeTypes")).and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|media_type| media_type == APP))
}

/// Names the app of a tool in the tool, if it has one.
pub(super) fn link(tool: &mut Tool) {
    if let Some(app) = APPS.iter().find(|app| app.tool == tool.name) {
        let meta = tool.meta.get_or_insert_default();
        meta.insert("ui".to_owned(), json!({ "resourceUri": app.uri }));
    }
}

/// The apps as resources.
pub(super) fn listed() -> impl Iterator<Item = Resource> {
    APPS.iter().map(|app| {
        Resource::new(app.uri, app.name)
            .with_title(app.title)
            .with_description(app.description)
            .with_mime_type(APP)
    })
}

/// The document of the app with this URI; `None` if it is no app. It loads nothing from a server.
pub(super) fn app(uri: &str) -> Option<ReadResourceResult> {
    let app = APPS.iter().find(|app| app.uri == uri)?;
    let mut meta = MetaObject::new();
    meta.insert("ui".to_owned(), json!({ "csp": {}, "prefersBorder": true }));
    let text = DOCUMENT.replace("data-app=\"\"", &format!("data-app=\"{}\"", app.name));
    let contents = ResourceContents::text(text, uri).with_mime_type(APP).with_meta(meta);
    Some(ReadResourceResult::new(vec![contents]))
}

/// The address of the page with this URI; `None` if it is no page.
pub(super) fn page_address(uri: &str) -> Option<String> {
    uri.strip_prefix(PAGE).filter(|address| address.starts_with('/')).map(str::to_owned)
}

/// A page as the contents of its resource.
pub(super) fn page(html: String, uri: String) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(html, uri).with_mime_type("text/html")])
}
