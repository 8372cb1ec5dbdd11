//! The one integration binary.

mod frontmatter;
