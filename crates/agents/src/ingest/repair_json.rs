//! Repairs invalid UTF-8 and unpaired surrogates, which otherwise make a line invalid JSON.
//!
//! Programs that truncate output by UTF-16 units leave half a character behind, such as `\ud83d`
//! without its second half.

/// Returns the line with invalid characters replaced; `None` if it has none.
pub fn repair(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let mut whole = text.as_bytes().to_vec();
    let halves = replace_unpaired_surrogates(&mut whole);
    (halves || whole != line).then_some(whole)
}

/// Replaces unpaired `\uD800`–`\uDFFF` with `\ufffd`, in place; returns whether any was replaced.
fn replace_unpaired_surrogates(text: &mut [u8]) -> bool {
    let mut changed = false;
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += step;
        let Some(unit) = escape(text, at) else {
            // Whatever is escaped, it is one byte: in `\\u`, the `u` is a letter.
            at += 2;
            continue;
        };
        let low = escape(text, at + 6).filter(|low| (0xdc00..0xe000).contains(low));
        match unit {
            0xd800..0xdc00 if low.is_some() => at += 12,
            0xd800..0xe000 => {
                if let Some(digits) = text.get_mut(at + 2..at + 6) {
                    digits.copy_from_slice(b"fffd");
                    changed = true;
                }
                at += 6;
            }
            _ => at += 6,
        }
    }
    changed
}

/// Parses the code unit of a `\uXXXX` escape at `at`.
fn escape(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(line: &[u8]) -> Option<String> {
        repair(line).map(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn half_a_character_is_replaced_and_whole_ones_stay() {
        assert_eq!(text(br#"{"a":"cut \ud83d"}"#).as_deref(), Some(r#"{"a":"cut \ufffd"}"#));
        assert_eq!(text(br#"{"a":"\ude00\uD83D\uDE00"}"#).as_deref(), Some(r#"{"a":"\ufffd\uD83D\uDE00"}"#));
        assert_eq!(text(br#"{"a":"\\ud83d \ud83d\ude00"}"#), None);
        assert_eq!(text(b"{\"a\":\"\xff\"}").as_deref(), Some("{\"a\":\"\u{fffd}\"}"));
    }

    proptest! {
        #[test]
        fn what_serde_refuses_for_its_characters_only_is_read_after_mending(
            parts in prop::collection::vec(
                prop::sample::select(vec!["\\ud83d", "\\ude00", "\\u00e9", "\\\\", "\\n", "u", "d83d", "é"]), 0..12)
        ) {
            let line = format!("\"{}\"", parts.concat());
            let mended = repair(line.as_bytes()).unwrap_or_else(|| line.clone().into_bytes());
            prop_assert!(serde_json::from_slice::<String>(&mended).is_ok(), "{}", line);
        }
    }
}
