//! Limits of searches: the length of a query and the number of results that pages reach.

use crate::error::{Error, Result};

/// Maximum length of a query in characters.
const MAX_QUERY_CHARS: usize = 2_000;
/// Maximum offset of a page.
const MAX_OFFSET: usize = 10_000;

/// Checks that a query is neither empty nor too long. The hint of the first error is `example`.
pub(crate) fn check_query(query: &str, example: &str) -> Result<()> {
    if query.trim().is_empty() {
        return Err(Error::usage("the search query is empty").hint(format!("for example `{example}`")));
    }
    let length = query.chars().count();
    if length > MAX_QUERY_CHARS {
        return Err(Error::usage(format!(
            "a query may have at most {MAX_QUERY_CHARS} characters; this one has {length}"
        )));
    }
    Ok(())
}

/// Checks that a page does not start too late. `unit` is the plural of what pages list.
pub(crate) fn check_offset(offset: usize, unit: &str, hint: &str) -> Result<()> {
    if offset > MAX_OFFSET {
        return Err(Error::usage(format!("pages are limited to {MAX_OFFSET} {unit}")).hint(hint));
    }
    Ok(())
}

/// Returns the offset of the page after `shown` items from `offset` on; `None` on the last page.
pub(crate) fn next_offset(offset: usize, shown: usize, total: usize) -> Option<usize> {
    let end = offset.saturating_add(shown);
    (end < total && shown > 0).then_some(end)
}

/// Like [`next_offset`], if a search may begin there.
pub(crate) fn next_search_offset(offset: usize, shown: usize, total: usize) -> Option<usize> {
    next_offset(offset, shown, total).filter(|end| check_offset(*end, "", "").is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_one_that_can_be_requested() {
        assert_eq!(next_search_offset(0, 10, 11), Some(10));
        assert_eq!(next_search_offset(0, 10, 10), None);
        assert_eq!(next_search_offset(20, 0, 30), None);
        assert_eq!(next_search_offset(MAX_OFFSET - 10, 10, 50_000), Some(MAX_OFFSET));
        assert!(check_offset(MAX_OFFSET, "results", "").is_ok());
        assert_eq!(next_search_offset(MAX_OFFSET, 10, 50_000), None);
        assert!(check_offset(MAX_OFFSET + 10, "results", "").is_err());
    }
}
