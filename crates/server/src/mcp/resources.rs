//! Resources: fixed ones, recently changed notes, and any note by its id.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::failure;
use crate::operations::{Catalog, Contents, ListedNote};
use crate::percent_decoding;
use cm_app::{Context, Error, Result};
use cm_render::html::encode_component;

/// Prefix of note URIs.
const NOTE: &str = "cm://note/";
/// Maximum length of a URI, in bytes.
pub(super) const MAX_URI_BYTES: usize = 4096;
const MARKDOWN: &str = "text/markdown";
/// Cache lifetime of lists that never change while the server runs, in milliseconds.
pub(super) const CACHE_LIFETIME_MS: u64 = 3_600_000;

/// The fixed resources, then the recently changed notes.
pub(super) fn listed(catalog: &Catalog, recent: Vec<ListedNote>) -> ListResourcesResult {
    let fixed = catalog.resources.iter().map(|resource| {
        Resource::new(resource.uri, resource.name)
            .with_title(resource.title)
            .with_description(resource.description)
            .with_mime_type(resource.mime)
    });
    let notes = recent.into_iter().map(|note| {
        Resource::new(address(&note.id), note.id).with_title(note.title).with_mime_type(MARKDOWN)
    });
    ListResourcesResult::with_all_items(fixed.chain(notes).collect())
}

/// The URI template for notes.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let note = ResourceTemplate::new(format!("{NOTE}{{id}}"), "note")
        .with_title("Note")
        .with_description("A note by ID or unique prefix, unchanged")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![note])
        .with_ttl_ms(CACHE_LIFETIME_MS)
        .with_cache_scope(CacheScope::Public)
}

/// What a URI refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResourceTarget {
    /// Index of a fixed resource.
    Fixed(usize),
    /// ID of a note.
    Note(String),
}

/// Resolves a URI.
///
/// # Errors
/// The URI is unknown.
pub(super) fn target(uri: &str, catalog: &Catalog) -> Result<ResourceTarget> {
    let fixed = catalog.resources.iter().position(|resource| resource.uri == uri);
    fixed
        .map(ResourceTarget::Fixed)
        .or_else(|| note_of(uri).map(ResourceTarget::Note))
        .ok_or_else(|| unknown(uri, catalog))
}

/// Reads a resource.
///
/// # Errors
/// The resource does not exist or cannot be read.
pub(super) fn read(context: &Context, target: &ResourceTarget, catalog: &Catalog) -> Result<Contents> {
    match target {
        ResourceTarget::Fixed(place) => match catalog.resources.get(*place) {
            Some(resource) => (resource.read)(context),
            None => Err(Error::not_found("unknown resource")),
        },
        ResourceTarget::Note(id) => (catalog.note)(context, id),
    }
}

pub(super) fn result(uri: String, contents: Contents) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(contents.text, uri).with_mime_type(contents.mime)])
}

/// The protocol error for a URI, with the URI in its data.
pub(super) fn refusal(uri: &str, error: &Error) -> ErrorData {
    let mut refused = failure::of_request(error);
    if let Some(data) = refused.data.as_mut() {
        data["uri"] = uri.into();
    }
    refused
}

/// The id in the URI of a note.
pub(super) fn note_of(uri: &str) -> Option<String> {
    let id = percent_decoding::decode(uri.strip_prefix(NOTE)?).ok()?;
    (!id.is_empty() && !id.chars().any(|c| c.is_control() || c == '/')).then_some(id)
}

/// The URI of a note, percent-encoded.
pub(super) fn address(id: &str) -> String {
    format!("{NOTE}{}", encode_component(id))
}

fn unknown(uri: &str, catalog: &Catalog) -> Error {
    let shown: String = uri.chars().take(200).collect();
    let fixed: Vec<_> = catalog.resources.iter().map(|resource| resource.uri).collect();
    Error::not_found(format!("unknown resource {shown:?}"))
        .hint(format!("available: {} and {NOTE}{{id}}", fixed.join(", ")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_address_of_a_note_leads_to_its_id() {
        assert_eq!(note_of("cm://note/b-1"), Some("b-1".to_owned()));
        assert_eq!(address("a b/ä"), "cm://note/a%20b%2F%C3%A4");
        for wrong in [
            "cm://note/",
            "cm://note/a/b",
            "cm://note/%2e%2e%2fx",
            "cm://note/%0a",
            "cm://note/%f",
            "cm://notes/a",
        ] {
            assert_eq!(note_of(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn an_address_can_be_read_again(id in "[^/\\p{Cc}]{1,40}") {
            prop_assert_eq!(note_of(&address(&id)), Some(id));
        }

        #[test]
        fn no_address_panics(uri in "(cm://note/)?.{0,40}") {
            note_of(&uri);
        }
    }
}
