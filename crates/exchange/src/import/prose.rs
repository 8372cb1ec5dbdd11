//! The lines of a body without code, for syntaxes that the Markdown parser does not support.

/// The lines outside of fenced code, with code spans replaced by spaces.
pub fn lines(body: &str) -> impl Iterator<Item = String> {
    let mut fence: Option<(char, usize)> = None;
    body.lines().filter_map(move |line| {
        let inner = line.trim_start();
        let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| inner.chars().take_while(|c| *c == mark).count());
        match (fence, mark) {
            (Some((open, least)), Some(mark)) if mark == open && length >= least => {
                let closes = inner[length..].trim().is_empty();
                fence = if closes { None } else { fence };
                None
            }
            (Some(_), _) => None,
            (None, Some(mark)) if length >= 3 && !inner[length..].contains('`') => {
                fence = Some((mark, length));
                None
            }
            (None, _) => Some(without_code(line)),
        }
    })
}

/// The line with every code span replaced by a space.
fn without_code(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..].len() - rest[open..].trim_start_matches('`').len();
        let after = open + ticks;
        let Some(close) = closing(&rest[after..], ticks) else {
            break;
        };
        text.push_str(&rest[..open]);
        text.push(' ');
        rest = &rest[after + close + ticks..];
    }
    text + rest
}

/// Offset of the next run of exactly `ticks` backticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let run = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        if run == ticks {
            return Some(begin);
        }
        at = begin + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_no_prose() {
        let body = "a `b` c\n```sh\nnot\n~~~\n```\n~~~~\nnot\n~~~\n~~~~\nd ``e ` f`` g `h\n``` x ` y\n";
        let found: Vec<String> = lines(body).collect();
        assert_eq!(found, ["a   c", "d   g `h", "``` x ` y"]);
    }
}
