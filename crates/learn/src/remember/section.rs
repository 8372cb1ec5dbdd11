//! The memory part of a rule file, between `<!-- MEMORY:START -->` and `<!-- MEMORY:END -->`.

use cm_note::markdown::managed_section::ManagedSection;

/// First line of the memory part in a rule file.
pub const START: &str = "<!-- MEMORY:START -->";
/// Last line of the memory part in a rule file.
pub const END: &str = "<!-- MEMORY:END -->";

pub const SECTION: ManagedSection =
    ManagedSection { opening: START, opens: |line| line == START, closing: END };

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_is_put_behind_all_else_and_then_in_its_place() {
        let first = SECTION.put("\u{feff}# Mine\r\n\r\nText", "- a\n").unwrap();
        assert_eq!(first, format!("\u{feff}# Mine\r\n\r\nText\r\n\r\n{START}\r\n- a\r\n{END}\r\n"));
        let second = SECTION.put(&format!("{first}More"), "- b\n").unwrap();
        assert!(second.ends_with(&format!("{START}\r\n- b\r\n{END}\r\nMore")), "{second:?}");
        assert_eq!(SECTION.items(&second), ["- b"]);
        assert_eq!(
            SECTION.put(&format!("\u{feff}{START}\n{END}"), "").unwrap(),
            format!("\u{feff}{START}\n{END}")
        );
    }

    #[test]
    fn markers_that_enclose_nothing_for_sure_are_refused_with_their_line() {
        for (text, line) in [
            (format!("a\n{START}\nb\n"), 2),
            (format!("{END}\n{START}\n"), 1),
            (format!("{START}\n{START}\n{END}\n{END}\n"), 2),
            (format!("{START}\n{END}\n{START}\n{END}\n"), 3),
            (format!("{START}\n{END}\n{END}\n"), 3),
            (format!("{START}\n```\n{END}\n```\n"), 1),
        ] {
            assert_eq!(SECTION.put(&text, "").unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn markers_in_code_or_within_a_line_are_text() {
        for text in [
            format!("```md\n{START}\n```\n"),
            format!("~~~~\n{START}\n~~~\n{END}\n~~~~\n"),
            format!("Para\n\n    {START}\n\nEnd\n"),
            format!("- item\n\n  ```\n  {START}\n  ```\n"),
            format!("Write {START} on a line.\n"),
        ] {
            assert_eq!(SECTION.find(&text), Ok(None), "{text}");
            let after = SECTION.put(&text, "- a\n").unwrap();
            assert!(after.starts_with(&text));
            assert_eq!(SECTION.put(&after, "- a\n").unwrap(), after);
        }
    }

    #[test]
    fn a_file_that_ends_within_code_is_refused() {
        assert_eq!(SECTION.put("# A\n\n```sh\nls\n", "- a\n").unwrap_err().line, 3);
    }

    proptest! {
        #[test]
        fn all_other_bytes_stay(before in "([a-z#>-]{0,6}\r?\n){0,4}", after in "(\r?\n[a-z#>-]{0,6}){0,4}", one in "(- [a-z]{1,5}\n){0,3}") {
            let text = format!("{before}{START}\nold\n{END}{after}");
            let once = SECTION.put(&text, &one).unwrap();
            prop_assert!(once.starts_with(&before) && once.ends_with(&after));
            prop_assert_eq!(SECTION.put(&once, &one).unwrap(), once);
            let fresh = SECTION.put(&before, &one).unwrap();
            prop_assert!(fresh.starts_with(&before));
            prop_assert_eq!(SECTION.put(&fresh, &one).unwrap(), fresh);
        }

        #[test]
        fn any_file_is_retained_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
            "<!-- MEMORY:START -->", "<!-- MEMORY:END -->", "```", "~~~", "\n", "\r\n", "    ", "- ", "> ", "text", "\u{feff}", "<!--", "-->",
        ]), 0..14)) {
            let text = pieces.concat();
            if let Ok(once) = SECTION.put(&text, "- a\n") {
                prop_assert_eq!(SECTION.put(&once, "- a\n").unwrap(), once.clone());
                if let Ok(None) = SECTION.find(&text) {
                    prop_assert!(once.starts_with(&text));
                }
            }
        }
    }
}
