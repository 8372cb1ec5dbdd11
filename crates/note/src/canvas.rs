//! Files of the format JSON Canvas, in which Obsidian stores boards with cards. Edits the paths of the
//! notes on the cards and no other byte.

use std::ops::Range;

/// Ending of the names of such files.
pub const ENDING: &str = ".canvas";

/// Returns the text of a canvas in which the cards of the file `from` show the file `to`; `None` if it
/// has no such card.
pub fn with_moved_file(json: &str, from: &str, to: &str) -> Option<String> {
    let text = |range: &Range<usize>| serde_json::from_str::<String>(&json[range.clone()]).ok();
    let to = serde_json::to_string(to).ok()?;
    let (mut changed, mut copied) = (String::new(), 0);
    for pair in string_literals(json).windows(2) {
        let [key, value] = pair else { continue };
        let is_file = json[key.end..value.start].trim() == ":" && text(key).as_deref() == Some("file");
        if is_file && text(value).as_deref() == Some(from) {
            changed.push_str(&json[copied..value.start]);
            changed.push_str(&to);
            copied = value.end;
        }
    }
    (copied > 0).then(|| changed + &json[copied..])
}

/// Returns the ranges of the string literals of a JSON text, with their quotation marks.
fn string_literals(json: &str) -> Vec<Range<usize>> {
    let (mut literals, mut start, mut is_escaped) = (Vec::new(), None, false);
    for (at, byte) in json.bytes().enumerate() {
        match (byte, start) {
            (_, Some(_)) if is_escaped => is_escaped = false,
            (b'\\', Some(_)) => is_escaped = true,
            (b'"', Some(begin)) => {
                literals.push(begin..at + 1);
                start = None;
            }
            (b'"', None) => start = Some(at),
            _ => {}
        }
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cards_of_the_file_change() {
        let canvas = r##"{
	"nodes":[
		{"id":"1","type":"file","file":"boat/Pump.md","x":-1e2, "subpath":"#Hours"},
		{"id":"2","file" : "boat\/Pump.md","type":"file"},
		{"id":"3","type":"file","file":"boat/Pumps.md"},
		{"id":"4","type":"text","text":"\"file\":\"boat/Pump.md\" \\"},
		{"id":"file","type":"link","url":"boat/Pump.md"}
	],"edges":[]
}"##;
        let moved = with_moved_file(canvas, "boat/Pump.md", r#"a "b"/Größe.md"#).unwrap();
        let expected = canvas.replace(r#""file":"boat/Pump.md","x""#, r#""file":"a \"b\"/Größe.md","x""#);
        assert_eq!(moved, expected.replace(r#""boat\/Pump.md""#, r#""a \"b\"/Größe.md""#));
        assert_eq!(with_moved_file(canvas, "Pump.md", "b.md"), None);
        assert_eq!(with_moved_file(r#"{"file":"a"#, "a", "b"), None);
        assert_eq!(with_moved_file("", "a", "b"), None);
    }
}
