//! The reading views for programs that show them inside their own window, without the page's server.

use std::sync::Arc;

use super::forms::Fields;
use super::page::PageRequest;
use super::sessions::WebSession;
use super::table::PageSpec;
use super::views;
use cm_app::{Context, Error, Result};

/// Pages that are forms only.
const FORMS: [&str; 2] = ["/edit/{*reference}", "/new"];

/// Renders the page at an address such as `/note/b-1`, with a query if there is one, as a reader sees
/// it: without forms that change something. The result is a whole HTML document, whose scripts and
/// styles are addresses of the page's server.
///
/// # Errors
/// There is no such page, or it cannot be shown.
pub fn page(context: &Context, address: &str) -> Result<String> {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let (page, reference) = find(path).ok_or_else(|| Error::not_found("unknown page"))?;
    let request = PageRequest {
        session: Arc::new(WebSession::reader(context.request.caller.clone())),
        reference: cm_note::markdown::percent_decode(reference),
        query: Fields::parse(query.as_bytes()),
        address: address.to_owned(),
        is_demo: false,
        is_of_script: true,
        has_past: false,
        is_static: false,
    };
    (page.show)(context, &request)
}

/// The reading view with this path, and what follows the path's fixed part.
fn find(path: &str) -> Option<(&'static PageSpec, &str)> {
    views::PAGES.iter().filter(|page| !FORMS.contains(&page.path)).find_map(|page| {
        match page.path.split_once('{') {
            Some((root, _)) => {
                path.strip_prefix(root).filter(|rest| !rest.is_empty()).map(|rest| (page, rest))
            }
            None => (page.path == path).then_some((page, "")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_view_is_found_by_its_path_and_no_form() {
        let found = |path: &str| find(path).map(|(page, rest)| (page.path, rest.to_owned()));
        assert_eq!(found("/review"), Some(("/review", String::new())));
        assert_eq!(found("/note/b-1"), Some(("/note/{*reference}", "b-1".to_owned())));
        assert_eq!(found("/sessions"), Some(("/sessions", String::new())));
        for none in ["/new", "/edit/b-1", "/note/", "/review/x", "/act/undo", "/login", "", "//"] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
