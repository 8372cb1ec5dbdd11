//! Frontmatter as values, each key with the line it stands on.
