//! Paths as text, with `/` or `\` between the components. No file is read.

/// Returns the last component of a path that is not empty; `None` for a path without one, such as
/// `/`.
///
/// ```
/// use cm_text::path::last_component;
/// assert_eq!(last_component("/home/mara/shop/"), Some("shop"));
/// assert_eq!(last_component(r"C:\work\shop"), Some("shop"));
/// assert_eq!(last_component("/"), None);
/// ```
pub fn last_component(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).find(|component| !component.is_empty())
}
