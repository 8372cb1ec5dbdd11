//! The one integration binary.

mod frontmatter;
mod notes;
mod schema;
