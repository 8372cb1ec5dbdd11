//! Text that `cm` itself wrote into a log: its own model calls, and the memory that it injected
//! into agents' prompts.
//!
//! Such text is excluded from learning, because a rule would otherwise confirm itself.

/// Marker in the prompt of every model call by `cm`.
pub const MODEL_CALL: &str = "<!-- cm:model-call -->";

/// Start of the line that opens injected text; more text may precede the `-->`.
pub const BEGIN: &str = "<!-- cm:begin";

/// Start of the line that closes injected text; more text may precede the `-->`.
pub const END: &str = "<!-- cm:end";

/// Whether a text belongs to a model call by `cm`.
pub fn is_model_call(text: &str) -> bool {
    text.contains(MODEL_CALL)
}

/// Removes the text between injection markers; `None` if there is none.
///
/// A section without an end marker extends to the end of the text if its start marker begins a
/// line, because logs truncate long output. Markers with escaped angle brackets are recognized too.
pub fn strip_injected(text: &str) -> Option<String> {
    let left = without(text, BEGIN, END, "-->");
    if !text.contains("&lt;!-- cm:") {
        return left;
    }
    without(left.as_deref().unwrap_or(text), "&lt;!-- cm:begin", "&lt;!-- cm:end", "--&gt;").or(left)
}

fn without(text: &str, begin: &str, end: &str, closing: &str) -> Option<String> {
    let mut rest = String::new();
    let mut from = 0;
    let mut search = 0;
    let last_end = text.rfind(end);
    while let Some(at) = text[search..].find(begin).map(|at| at + search) {
        // Without an end ahead there is none to look for, however many openings follow.
        let ahead = last_end.filter(|last| *last > at).and_then(|_| text[at..].find(end));
        let after = match ahead.map(|ahead| ahead + at) {
            Some(ahead) => {
                text[ahead..].find(closing).map_or(text.len(), |close| ahead + close + closing.len())
            }
            None if starts_line(text, at) => text.len(),
            None => {
                search = at + begin.len();
                continue;
            }
        };
        rest.push_str(&text[from..at]);
        from = after;
        search = after;
    }
    if from == 0 {
        return None;
    }
    rest.push_str(&text[from..]);
    Some(rest)
}

/// Whether only white space is before this position in its line.
pub fn starts_line(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_we_put_between_our_markers_is_left_out_and_all_else_stays() {
        for (text, expected) in [
            ("a <!-- cm:begin --> rule <!-- cm:end --> b", Some("a  b")),
            ("a\n<!-- cm:begin playbook: x -->\nrule\n<!-- cm:end playbook -->\nb", Some("a\n\nb")),
            ("<!-- cm:begin -->1<!-- cm:end -->x<!-- cm:begin -->2<!-- cm:end -->", Some("x")),
            ("said\n  <!-- cm:begin -->\ncut off by the lo", Some("said\n  ")),
            ("the marker `<!-- cm:begin` opens it", None),
            (
                "the marker `<!-- cm:begin` opens\n<!-- cm:begin -->\ncut",
                Some("the marker `<!-- cm:begin` opens\n"),
            ),
            ("nothing of ours", None),
            ("a &lt;!-- cm:begin memory --&gt; rule &lt;!-- cm:end memory --&gt; b", Some("a  b")),
            ("a &lt;!-- cm:begin", None),
        ] {
            assert_eq!(strip_injected(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_model_call_is_recognized_by_its_marker_anywhere_in_the_prompt() {
        assert!(is_model_call(&format!("Sum up.\n{MODEL_CALL}\n")));
        assert!(!is_model_call("<!-- cm:model -->"));
    }

    proptest! {
        #[test]
        fn stripping_never_panics_and_leaves_no_marked_part(
            parts in prop::collection::vec(
                prop::sample::select(vec!["é", "\n", BEGIN, END, "-->", " ", "rule"]), 0..20)
        ) {
            let text = parts.concat();
            if let Some(left) = strip_injected(&text) {
                prop_assert!(left.len() < text.len());
                prop_assert!(!text.contains(END) || left.matches(BEGIN).count() < text.matches(BEGIN).count());
            }
        }
    }
}
