//! Pages as of an earlier time: how a page is read, the banner, and links that stay at that time.

use super::forms::Fields;
use super::links::{NewLink, replace_links};
use cm_app::{Context, Result};

/// Name of the parameter with the commit, date or age.
pub(super) const PARAMETER: &str = "as_of";

/// The earlier time that a page shows.
pub(super) struct PastView {
    /// Such as `2026-11-05 10:30`, in UTC.
    pub(super) at: String,
    /// Beginning of the commit's id.
    pub(super) commit: String,
    pub(super) subject: String,
    /// Address of the same page as it is now.
    pub(super) today: String,
}

impl PastView {
    /// The time that the context of the page at `address` reads; `None` if it reads the current files.
    pub(super) fn of(context: &Context, address: &str) -> Option<Self> {
        let read = context.read_at()?;
        Some(Self {
            at: read.date.date_and_time(),
            commit: read.commit.chars().take(10).collect(),
            subject: read.subject,
            today: without_time(address),
        })
    }
}

/// The commit, date or age that a query names; `None` for the present.
pub(super) fn named_time(query: &Fields) -> Option<&str> {
    query.get(PARAMETER).map(str::trim).filter(|time| !time.is_empty())
}

/// Reads the vault as of the time that a query names, or as it is.
///
/// # Errors
/// Neither a commit nor a date, and the errors of `read`.
pub(super) fn at_time<T>(
    context: &Context,
    query: &Fields,
    read: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    context.at_time(named_time(query), read)
}

/// The address without the time.
pub(super) fn without_time(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let rest = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != PARAMETER);
    let rest = form_urlencoded::Serializer::new(String::new()).extend_pairs(rest).finish();
    if rest.is_empty() { path.to_owned() } else { format!("{path}?{rest}") }
}

/// The address as of a time.
pub(super) fn with_time(address: &str, time: &str) -> String {
    let address = without_time(address);
    let time: String = form_urlencoded::byte_serialize(time.as_bytes()).collect();
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}{PARAMETER}={time}")
}

/// Adds the time of a page to its links to addresses that `has_past` accepts. A link that follows the
/// attribute `data-today` leads to the present.
pub(super) fn keep_time(html: &str, time: &str, has_past: impl Fn(&str) -> bool) -> String {
    replace_links(html, |link| {
        let (plain, anchor) = match link.address.find('#') {
            Some(at) => link.address.split_at(at),
            None => (link.address.as_str(), ""),
        };
        if link.before.ends_with(" data-today") || !has_past(plain) {
            return NewLink::Unchanged;
        }
        NewLink::To(format!("{}{anchor}", with_time(plain, time)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_pages_with_a_past_stay_at_the_time_of_the_page() {
        let html = r##"<a href="/">a</a><a class="x" href="/search?q=a&amp;b=1">b</a><a href="/note/x#y">c</a><a href="/log">d</a><a data-today href="/core">e</a><a href="https://example.org/">f</a>"##;
        let expected = r##"<a href="/?as_of=7d">a</a><a class="x" href="/search?q=a&amp;b=1&amp;as_of=7d">b</a><a href="/note/x?as_of=7d#y">c</a><a href="/log">d</a><a data-today href="/core">e</a><a href="https://example.org/">f</a>"##;
        assert_eq!(keep_time(html, "7d", |address| address.starts_with('/') && address != "/log"), expected);
    }

    #[test]
    fn an_address_gets_and_loses_its_time() {
        assert_eq!(with_time("/search?q=a+b&as_of=7d", "2026-01-02"), "/search?q=a+b&as_of=2026-01-02");
        assert_eq!(without_time("/search?as_of=7d"), "/search");
        assert_eq!(without_time(&with_time("/", "a b")), "/");
    }
}
