//! Removes the marks of Obsidian that an excerpt does not need: the part of a link behind the name of the
//! note, the width of an image, the ID of a block, and the type of a callout.

use std::borrow::Cow;

/// Returns the body without the marks. Code blocks stay as they are.
pub(super) fn without_marks(body: &str) -> Cow<'_, str> {
    if !["[[", "[!", "^", "|"].into_iter().any(|mark| body.contains(mark)) {
        return Cow::Borrowed(body);
    }
    let mut text = String::with_capacity(body.len());
    let mut is_code = false;
    for line in body.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        match is_code {
            true => text.push_str(line),
            false => push_line(line, &mut text),
        }
    }
    Cow::Owned(text)
}

fn push_line(line: &str, text: &mut String) {
    let content = line.trim_end();
    let end = &line[content.len()..];
    let content = without_block_id(content);
    let quoted = content.trim_start_matches(['>', ' ', '\t']);
    let (quotation, content) = content.split_at(content.len() - quoted.len());
    text.push_str(quotation);
    let callout = content.strip_prefix("[!").and_then(|rest| rest.split_once(']'));
    let content = match callout.filter(|_| quotation.contains('>')) {
        Some((_, title)) => title.trim_start_matches(['+', '-']).trim_start(),
        None => content,
    };
    push_links(content, text);
    text.push_str(end);
}

/// Removes the ID of a block from the end of a line.
fn without_block_id(line: &str) -> &str {
    let is_id =
        |id: &str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    match line.rsplit_once('^') {
        Some((before, id)) if is_id(id) && (before.is_empty() || before.ends_with(' ')) => before.trim_end(),
        _ => line,
    }
}

fn push_links(line: &str, text: &mut String) {
    let mut rest = line;
    while let Some((before, (link, after))) =
        rest.split_once("[[").and_then(|(before, link)| Some((before, link.split_once("]]")?)))
    {
        text.push_str(&without_width(before));
        let (target, label) =
            link.split_once('|').map_or((link, None), |(target, label)| (target, Some(label)));
        let label = label.filter(|label| !(before.ends_with('!') && is_width(label)));
        let shown = match (label, target.split_once('#')) {
            (Some(label), _) => format!("{target}|{label}"),
            (None, None) => target.to_owned(),
            (None, Some(("", heading))) => format!("{target}|{}", heading.trim_start_matches('^')),
            (None, Some((note, _))) => note.to_owned(),
        };
        text.extend(["[[", &shown, "]]"]);
        rest = after;
    }
    text.push_str(&without_width(rest));
}

/// Removes the width from the description of an image: `![plan|300](plan.png)`.
fn without_width(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = text.split_once("](") else { return Cow::Borrowed(text) };
    let shortened = match before.rsplit_once('|') {
        Some((description, width)) if is_width(width) && description.contains("![") => description,
        _ => before,
    };
    Cow::Owned(format!("{shortened}]({}", without_width(after)))
}

/// Whether a label is a width, or a width and a height, in pixels.
fn is_width(label: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    label
        .split_once('x')
        .map_or_else(|| is_number(label), |(width, height)| is_number(width) && is_number(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed_and_words_stay() {
        for (body, expected) in [
            ("Siehe [[Budget#Küche]].", "Siehe [[Budget]]."),
            (
                "Siehe [[Umbau#^block1]], [[#Plan]] und [[Umbau#Plan|den Plan]].",
                "Siehe [[Umbau]], [[#Plan|Plan]] und [[Umbau#Plan|den Plan]].",
            ),
            ("![[plan.png|300]] und ![[plan.png|300x200]]", "![[plan.png]] und ![[plan.png]]"),
            ("![Der Plan|300](img/plan.png) und [[A|1984]]", "![Der Plan](img/plan.png) und [[A|1984]]"),
            ("Der Block: ^block1\n\n^id-2\n", "Der Block:\n\n\n"),
            ("> [!warning]- Achtung\n> Strom aus.", "> Achtung\n> Strom aus."),
            ("2^10 ist 1024", "2^10 ist 1024"),
            ("```\n[[a#b]] ^x\n```\n", "```\n[[a#b]] ^x\n```\n"),
            ("| a | b |\n|---|---|\n", "| a | b |\n|---|---|\n"),
        ] {
            assert_eq!(without_marks(body), expected);
        }
    }
}
