//! Where a note's frontmatter ends and its body begins, byte for byte.
