//! Markers of the playbook section in a rule file.

use cm_note::markdown::managed_section::ManagedSection;

/// Prefix of the line that opens the section; any text up to `-->` may follow.
const BEGIN: &str = "<!-- cm:begin playbook";

pub const SECTION: ManagedSection = ManagedSection {
    opening: "<!-- cm:begin playbook: written by `cm project`; changes up to the end marker are lost -->",
    opens: is_begin,
    closing: "<!-- cm:end playbook -->",
};

fn is_begin(line: &str) -> bool {
    let Some(rest) = line.strip_prefix(BEGIN) else { return false };
    rest.starts_with([' ', ':', '-']) && rest.ends_with("-->")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_part_is_put_behind_all_else_and_then_in_its_place() {
        let first = SECTION.put("# Mine\r\n\r\nText", "## Playbook\n\n- a\n").unwrap();
        assert!(first.starts_with("# Mine\r\n\r\nText\r\n\r\n<!-- cm:begin"), "{first:?}");
        assert!(first.ends_with("## Playbook\r\n\r\n- a\r\n<!-- cm:end playbook -->\r\n"), "{first:?}");
        let second = SECTION.put(&format!("{first}More\r\n"), "- b\n").unwrap();
        assert!(second.ends_with("-->\r\n- b\r\n<!-- cm:end playbook -->\r\nMore\r\n"), "{second:?}");
        assert_eq!(SECTION.items(&second), ["- b"]);
        assert_eq!(SECTION.put("", "- b\n").unwrap().lines().count(), 3);
    }

    #[test]
    fn markers_without_their_other_half_are_refused_with_their_line() {
        let (begin, end) = ("<!-- cm:begin playbook -->", "  <!-- cm:end playbook -->  ");
        for (text, line) in [
            (format!("a\n{begin}\nb\n"), 2),
            (format!("{end}\n{begin}\n"), 1),
            (format!("{begin}\n{begin}\n{end}\n"), 2),
            (format!("{begin}\n{end}\n{begin}\n{end}\n"), 3),
            (format!("{begin}\n{end}\n{end}\n"), 3),
        ] {
            assert_eq!(SECTION.put(&text, "").unwrap_err().line, line, "{text}");
            assert_eq!(SECTION.without(&text), (text, false));
        }
        assert_eq!(SECTION.find("<!-- cm:begin playbooks -->\ntext <!-- cm:end playbook -->\n"), Ok(None));
    }

    proptest! {
        #[test]
        fn all_other_bytes_stay(before in "([a-z#-]{0,6}\r?\n){0,4}", after in "(\r?\n[a-z#-]{0,6}){0,4}", one in "(- [a-z]{1,5}\n){0,3}") {
            let text = format!("{before}<!-- cm:begin playbook x -->\nold\n<!-- cm:end playbook -->{after}");
            let once = SECTION.put(&text, &one).unwrap();
            prop_assert!(once.starts_with(&before) && once.ends_with(&after));
            let remaining_text = SECTION.without(&once).0;
            prop_assert_eq!(remaining_text, format!("{before}{after}"));
            prop_assert_eq!(SECTION.put(&once, &one).unwrap(), once);
            let fresh = SECTION.put(&before, &one).unwrap();
            prop_assert!(fresh.starts_with(&before));
            prop_assert_eq!(SECTION.put(&fresh, &one).unwrap(), fresh);
        }
    }
}
