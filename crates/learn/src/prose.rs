//! Splits messages into sentences of prose, without code, quotes, tables, pasted logs and injected
//! text.
//!
//! Doubtful lines are left out: missing a sentence is better than attributing a log line to a
//! person.

use std::borrow::Cow;

use cm_note::markdown::escape::visible;
use cm_session::harness_text::is_scaffold;
use cm_session::injected_markers::{self, starts_line};

/// A sentence of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence on one line, without Markdown emphasis, list markers and leading symbols.
    pub text: String,
    /// Whether the sentence is part of a list item.
    pub listed: bool,
    /// Heading above the sentence, in lower case; empty if there is none.
    pub heading: String,
}

/// Who wrote a message, which decides what counts as the author's own prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageAuthor {
    /// A user typed the message. Everything from the first heading on counts as a pasted document,
    /// and so does the middle of a very long message.
    Person,
    /// An agent wrote the message, so headings are part of it.
    Agent,
}

/// Number of lines of prose above which a user's message counts as a document: only its first and
/// last lines are used.
const MAX_PROSE_LINES: usize = 40;
/// Number of lines that are used at each end of such a document.
const DOCUMENT_EDGE_LINES: usize = 4;
/// Maximum length of a sentence in bytes, above which it is usually pasted.
const MAX_SENTENCE_BYTES: usize = 600;
/// Number of bytes of a message that are parsed; the rest is ignored.
const MAX_MESSAGE_BYTES: usize = 60_000;

macro_rules! pattern {
    ($name:ident = $text:expr) => {
        #[allow(clippy::expect_used, reason = "the pattern is a constant, and every test compiles it")]
        static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new($text).expect("the pattern is a constant that tests compile")
        });
    };
}
pub(crate) use pattern;

pattern!(
    TAG_QUESTION = r"(?i)(?:\s*[,;–—-]\s*|\s+)(?:ok(?:ay)?|k|al ?right|all right|right|got it|understood|please|deal|agreed|remember|oder|weißt du noch|ja|klar|okey|verstanden|vale|entendido|d[’']accord|compris|hein)\s*\?+$|(?:，|,)\s*(?:好吗|好嗎|行吗|可以吗|明白吗)\s*[?？]$"
);
// "Can you always …?" is an order; "can we always rely on it?" asks.
pattern!(
    POLITE_ORDER = r"(?ix)^¿?(?:
        (?:can|could|would|will)\s+you\s+(?:(?:please|pls|maybe|perhaps|also|just)\s+)*
      | (?:kannst|könntest|würdest)\s+du\s+(?:(?:bitte|auch|mal)\s+)*
      | (?:puedes|podrías|podés)\s+(?:por\s+favor\s+)?
      | (?:est-ce\ que\s+)?tu\s+(?:peux|pourrais)\s+ | (?:peux|pourrais)-tu\s+
    )(?P<order>(?:always|never|in\ general|generally|from\ now\ on|immer|nie|niemals|generell|grundsätzlich|künftig|siempre|nunca|en\ general|toujours|jamais|en\ général)\s+(?P<verb>\S+)\b.*?)\s*\?+$"
);
// "Could you in general be a bit shorter?"
pattern!(BE_OTHERWISE = r"(?i)\bbe\s+(?:a\s+(?:bit|little)|more|less|as)\s");
// "Could you set the seed in every model?", "if you finish something, would you run `make check`?"
pattern!(
    EACH_TIME = r"(?ix)^(?P<when>(?:if|when|whenever|each\ time|every\ time)\ you\ (?:finish|find|see|change|add|commit|push|write|edit|touch|create|rename|need)\b[^,?]{0,60},\s*)?
        (?:can|could|would|will)\s+you\s+(?:(?:please|pls|kindly|maybe|also|just)\s+)*(?P<order>(?P<verb>[^\s?]+)\s[^?]{8,}?)\s*\?+$"
);
pattern!(
    RECURS = r"(?ix)\b(?:every|each|whenever|from\ now\ on|in\ (?:the\ )?future)\b
      | \bbefore\ you\ (?:finish|(?:tell|ask|ping)\ me|say|report|are\ (?:done|finished)|open\ (?:a|any)|(?:commit|push|merge)(?:\ (?:anything|something|to\ \w+))?\s*\?*$)"
);
// "Didn't we agree that numbers come with their interval?"
pattern!(
    REMINDS = r"(?ix)^(?:(?:hey|hm+|but|wait|um|so|and|aber|pero|mais)[,\s]+)*(?:
        did(?:n['’]?t|\ not)\s+we\s+(?:say|agree|decide)\s+(?:on\s+)?(?:that\s+)? | i\ thought\ we(?:['’]d|\ had)?\ (?:said|agreed|decided)\s+(?:that\s+)?
      | (?:hatten|haben)\ wir\ nicht\ (?:gesagt|ausgemacht|vereinbart),?\s+(?:dass\s+)? | ¿?no\ (?:hab[ií]amos\ (?:quedado\ en|dicho|acordado)|quedamos\ en)\s+que\s+ | on\ n['’](?:avait|a)\ pas\ dit\s+qu(?:e\s+|['’])
    )(?P<order>[^?]{10,}?)\s*\?+$"
);
// Reminders of a choice against something or of a task, and doubtful ones, stay questions.
pattern!(
    NO_REMINDER = r"(?i)^(?:against|to|not to)\b|\bor (?:am i|not|did|was)\b|\b(?:no longer|any ?more|gone|dead|dropped|replaced|broken|nicht mehr|ya no|plus)\b"
);
// "Might we agree that a new scenario is written as YAML?"
pattern!(
    AGREEMENT = r"(?i)\b(?:might|could|can)\s+we\s+(?:perhaps\s+|please\s+)?agree\s+that\s+(?P<order>[^?]{10,}?)\s*\?+$|\b(?:können|wollen)\s+wir\s+uns\s+(?:bitte\s+)?(?:darauf\s+einigen|darauf\s+verständigen),?\s+dass\s+(?P<de>[^?]{10,}?)\s*\?+$"
);
pattern!(
    NO_ORDER =
        r"(?i)^(?:be|rely|trust|assume|count|know|tell|say|think|explain|show|get|undo|revert|happen)$"
);
pattern!(
    TAG = r"<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|file|files|context|document|instructions|doc|example|image|task|result|output|stdout|stderr|summary|analysis)(?:\s[^<>]*)?>"
);
pattern!(
    INJECTED = r"^(?:system-reminder|environment_(?:context|details)|user_(?:instructions|info)|session_context|local-command-[a-z]+|command-[a-z]+|task-notification|ide_[a-z_]+|permissions_instructions|skills_instructions)$"
);
pattern!(
    MACHINE = r#"(?x)
    ^\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T\x20][0-9]{2}:[0-9]{2} | ^\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}
  | ^\s*at\s\S+.*[(:]\S*:[0-9]+ | ^File\s".*",\sline\s[0-9]+ | ^Traceback\s\(most | ^\S+\s@\s\S+:[0-9]+
  | ^(npm\s(ERR!|WARN)|error(\[|:|\sTS[0-9])|warning(\[|:)|fatal:|panic:|goroutine\s[0-9]|Caused\sby:|Stack\strace)
  | ^(ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|FAIL|PASS|PANIC|\x23+\s?Error)(?-u:\b)[\s:\]]
  | ^(\x23\x23)?\[(?i:error|warn(ing)?|info|debug|trace)\] | ^::(error|warning|notice)(?-u:\b)
  | (?-u:\b)level=(?i:debug|info|warn|error)
  | ^ok(\t|\s{2,})\S
  | ^([$%❯➜λ]|>>>|\.\.\.|\(venv\)|\+\+|@@|---|===)\s | ^[0-9A-Za-z_./\\-]+:[0-9]+(:[0-9]+)?[:\s]
  | ^(GET|POST|PUT|PATCH|DELETE|HEAD|HTTP/[0-9])(?-u:\b) | ^(Uncaught|Unhandled)\s | ^[0-9A-Za-z_.]*(Error|Exception):\s
  | ^(diff\s--git|index\s[0-9a-f]{7}|commit\s[0-9a-f]{7,}|Author:|Date:|Co-Authored-By:)
  | ^[│┃├└╭╰┌─━═|⎿⏺●] | ^[0-9A-Za-z_][0-9A-Za-z_-]*@[0-9A-Za-z_-]+[:~\s].*[$%\x23] | \)Yes.*\)o\s\[Yes\]
"#
);
pattern!(LIST = r"^(?:[-*+•–]|[0-9]{1,3}[.)]|[a-z][)])\s+(?:\[[ xX]\]\s*)?");
pattern!(HEADING = r"^#{1,6}\s+(.+?)\s*#*$");
pattern!(SETEXT = r"^(?:=+|-{3,}|\*{3,}|_{3,})$");

/// Splits the prose of a message into sentences, without code blocks, program output and injected
/// text.
///
/// ```
/// use cm_learn::prose::{MessageAuthor, sentences};
/// let statements = sentences("No, use `pnpm` here.\n```\nnpm ERR! x\n```\nIt is faster. Right?", MessageAuthor::Person);
/// let texts: Vec<&str> = statements.iter().map(|sentence| sentence.text.as_str()).collect();
/// assert_eq!(texts, ["No, use `pnpm` here.", "It is faster.", "Right?"]);
/// ```
pub fn sentences(message: &str, reading: MessageAuthor) -> Vec<Sentence> {
    sentences_up_to(message, reading, MAX_SENTENCE_BYTES)
}

/// Like [`sentences`], but drops only sentences of more than `longest` bytes.
pub(crate) fn sentences_up_to(message: &str, reading: MessageAuthor, longest: usize) -> Vec<Sentence> {
    if is_scaffold(message) {
        return Vec::new();
    }
    let message = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    let remaining = without_tagged_blocks(message);
    let mut lines = lines_of(&remaining, reading);
    if reading == MessageAuthor::Person && lines.len() > MAX_PROSE_LINES {
        lines.drain(DOCUMENT_EDGE_LINES..lines.len() - DOCUMENT_EDGE_LINES);
    }
    lines.iter().flat_map(|line| line.sentences(longest)).collect()
}

/// Removes the wording of a question from an order: a final ", ok?", "can you" before "always sort imports?", or "didn't
/// we agree that" before what was agreed.
pub(crate) fn without_polite_question(sentence: &str) -> Cow<'_, str> {
    let is_order = |request: &regex::Captures<'_>| {
        !NO_ORDER.is_match(&request["verb"]) || BE_OTHERWISE.is_match(&request["order"])
    };
    let request = POLITE_ORDER.captures(sentence).filter(is_order);
    if let Some(order) = request.and_then(|request| request.name("order")) {
        return order.as_str().into();
    }
    let request = EACH_TIME.captures(sentence).filter(|request| !NO_ORDER.is_match(&request["verb"]));
    if let Some(request) = request {
        let order = &request["order"];
        return match request.name("when") {
            Some(when) => format!("{}{order}", when.as_str()).into(),
            None if RECURS.is_match(order) => order.to_owned().into(),
            None => sentence.into(),
        };
    }
    let agreed = REMINDS.captures(sentence).and_then(|found| found.name("order"));
    if let Some(agreed) = agreed.filter(|agreed| !NO_REMINDER.is_match(agreed.as_str())) {
        return agreed.as_str().into();
    }
    let agreed =
        AGREEMENT.captures(sentence).and_then(|found| found.name("order").or_else(|| found.name("de")));
    if let Some(order) = agreed {
        return order.as_str().into();
    }
    let end = TAG_QUESTION.find(sentence).map_or(sentence.len(), |tag| tag.start());
    sentence.get(..end).unwrap_or(sentence).into()
}

/// Removes injected text and all blocks in XML-like tags from a message.
fn without_tagged_blocks(message: &str) -> String {
    without_tagged(&without_cm_blocks(message), |_| true)
}

/// Removes text that cm or the agent's program injected into a message.
pub(crate) fn without_injected(message: &str) -> String {
    without_tagged(&without_cm_blocks(message), |name| INJECTED.is_match(name))
}

fn without_cm_blocks(message: &str) -> String {
    injected_markers::strip_injected(message).unwrap_or_else(|| message.to_owned())
}

/// Removes the tags whose names `wanted` accepts, with their content. An unclosed tag extends to
/// the end of the text.
fn without_tagged(text: &str, wanted: impl Fn(&str) -> bool) -> String {
    let (mut remaining, mut from, mut at) = (String::with_capacity(text.len()), 0, 0);
    let mut open_ended: std::collections::HashSet<&str> = std::collections::HashSet::new();
    while let Some(open) = TAG.captures_at(text, at) {
        let (Some(whole), Some(name)) = (open.get(0), open.get(1)) else { break };
        at = whole.end();
        let name = name.as_str();
        if !wanted(name) || open_ended.contains(name) {
            continue;
        }
        let close = format!("</{name}>");
        let end = match text[at..].find(&close) {
            Some(end) => at + end + close.len(),
            None if INJECTED.is_match(name) && starts_line(text, whole.start()) => text.len(),
            None => {
                // No later tag of this name is closed either.
                open_ended.insert(name);
                continue;
            }
        };
        remaining.push_str(&text[from..whole.start()]);
        remaining.push('\n');
        (from, at) = (end, end);
    }
    remaining.push_str(&text[from..]);
    remaining
}

/// A line of prose with the heading above it.
struct ProseLine {
    text: String,
    listed: bool,
    heading: String,
}

fn lines_of(text: &str, reading: MessageAuthor) -> Vec<ProseLine> {
    let (mut lines, mut heading) = (Vec::<ProseLine>::new(), String::new());
    let mut fence: Option<(char, usize)> = None;
    let mut after_blank = true;
    let mut machine_before = false;
    let mut is_trace = false;
    for raw in text.lines() {
        let line = raw.trim();
        if let Some((mark, length)) = fence {
            let run = line.chars().take_while(|c| *c == mark).count();
            fence = if run >= length && line.chars().all(|c| c == mark) { None } else { fence };
            continue;
        }
        let ticks = line.chars().take_while(|c| matches!(c, '`' | '~')).count();
        if let Some(mark) = line.chars().next().filter(|_| ticks >= 3) {
            let closes_itself = mark == '`' && line[ticks..].contains("```");
            fence = if closes_itself { None } else { Some((mark, ticks)) };
            continue;
        }
        if line.is_empty() {
            (after_blank, machine_before, is_trace) = (true, false, false);
            continue;
        }
        if let Some(title) = HEADING.captures(line).and_then(|captures| captures.get(1)) {
            if reading == MessageAuthor::Person {
                break;
            }
            heading = plain_line(title.as_str()).to_lowercase();
            continue;
        }
        let listed = LIST.is_match(line);
        let indented = raw.starts_with("    ") || raw.starts_with('\t');
        let code = indented && !listed && (after_blank || machine_before);
        // The message of an exception may have several lines.
        is_trace |= line.starts_with("Traceback (most recent call last)");
        let machine = code || is_trace || is_machine(line);
        (after_blank, machine_before) = (false, machine);
        if machine {
            continue;
        }
        let text = plain_line(LIST.replace(line, "").as_ref());
        if text.is_empty() {
            continue;
        }
        // A line on its own that is all bold is a heading.
        let bold = line.starts_with("**")
            && line.trim_end_matches(':').ends_with("**")
            && line.matches("**").count() == 2;
        if reading == MessageAuthor::Agent && bold && !listed {
            let below = text.trim_end_matches(':').to_lowercase();
            lines.push(ProseLine { text, listed, heading: std::mem::replace(&mut heading, below) });
            continue;
        }
        lines.push(ProseLine { text, listed, heading: heading.clone() });
    }
    lines
}

/// Returns `true` if a line looks like program output or code.
fn is_machine(line: &str) -> bool {
    if line.starts_with('>') || line.starts_with('|') || SETEXT.is_match(line) || MACHINE.is_match(line) {
        return true;
    }
    if line.starts_with('<') && line.ends_with('>') || line.ends_with(['{', ';', '}']) && !line.contains(". ")
    {
        return true;
    }
    // Code in backticks may be all that a sentence needs; naked symbols are a log or code.
    let outside: String = plain_line(&LIST.replace(line, "")).split('`').step_by(2).collect();
    let (mut letters, mut symbols) = (0_usize, 0_usize);
    for c in outside.chars() {
        if c.is_alphabetic() || c.is_whitespace() {
            letters += 1;
        } else if !matches!(c, '.' | ',' | '\'' | '’' | '"' | '?' | '!' | '-' | '*') {
            symbols += 1;
        }
    }
    let longest = line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
    symbols * 4 > letters + symbols && letters + symbols > 8
        || longest > 120
        || line.len() > MAX_SENTENCE_BYTES * 8
}

impl ProseLine {
    fn sentences(&self, longest: usize) -> Vec<Sentence> {
        let whole = |text: &str| Sentence {
            text: text.trim().to_owned(),
            listed: self.listed,
            heading: self.heading.clone(),
        };
        split_sentences(&self.text)
            .into_iter()
            .map(whole)
            .filter(|sentence| !sentence.text.is_empty() && sentence.text.len() <= longest)
            .collect()
    }
}

/// Abbreviations that end with a period.
const ABBREVIATIONS: [&str; 10] =
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "fig.", "resp.", "incl."];

/// Splits a line at sentence punctuation outside code and brackets.
fn split_sentences(line: &str) -> Vec<&str> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    let (mut code, mut depth) = (false, 0_usize);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => code = !code,
            // "go back :) could you …" is two sentences.
            ':' | ';' if !code && depth == 0 && line[..at].ends_with(' ') => {
                let rest = &line[at + 1..];
                let face = rest.strip_prefix('-').unwrap_or(rest);
                let Some(after) = face.strip_prefix([')', 'D', 'P']) else { continue };
                if after.starts_with(' ') && may_start_sentence(after) {
                    pieces.push(&line[from..at]);
                    from = line.len() - after.len();
                }
            }
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if !code && depth == 0 => {
                let end = at + c.len_utf8();
                let ends = match chars.peek() {
                    None => true,
                    Some((_, next)) => next.is_whitespace() && may_start_sentence(&line[end..]),
                };
                let word = line[from..end].rsplit(char::is_whitespace).next().unwrap_or("");
                let digits = c == '.' && (is_number(word.trim_end_matches('.')) || is_day(word));
                let begins = |c: char| c.is_uppercase() || matches!(c, '`' | '"' | '(');
                let alone = line[from..end].trim() == word;
                let number = digits && (alone || !line[end..].trim_start().starts_with(begins));
                if ends && !number && !ABBREVIATIONS.contains(&word.to_lowercase().trim_start_matches('(')) {
                    pieces.push(&line[from..end]);
                    from = end;
                }
            }
            _ => {}
        }
    }
    pieces.push(&line[from..]);
    pieces
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// Whether a word is a day and a month, as in "on 1.6. it is switched off".
fn is_day(word: &str) -> bool {
    let parts: Vec<&str> = word.trim_end_matches('.').split('.').collect();
    matches!(parts.as_slice(), [day, month] if [day, month].iter().all(|part| (1..3).contains(&part.len()) && is_number(part)))
}

/// Returns `true` if a sentence may start here; lower case is accepted.
fn may_start_sentence(rest: &str) -> bool {
    rest.trim_start()
        .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '"' | '“' | '(' | '*' | '\''))
}

/// Removes emphasis, link targets and leading symbols.
fn plain_line(line: &str) -> String {
    pattern!(LINK = r"\[([^\]\[]+)\]\((?:[^()\s]|\([^()\s]*\))+\)");
    let line = visible(&LINK.replace_all(line, "$1"));
    let remaining = without_strong(&line);
    let name = remaining.trim_start().trim_start_matches(['_', '*']);
    let is_name = remaining.trim_start().len() == name.len() + 2 && name.starts_with(char::is_alphabetic);
    let is_symbol = |c: char| {
        !c.is_alphanumeric()
            && !matches!(
                c,
                '`' | '"' | '“' | '\'' | '(' | '[' | '/' | '$' | '@' | '.' | '~' | '-' | '<' | '#'
            )
    };
    let text = if is_name { remaining.as_str() } else { remaining.trim_start_matches(is_symbol) };
    text.trim().to_owned()
}

/// Removes the marks of bold text outside of code. Names such as `__init__` and `**kwargs` keep theirs.
fn without_strong(text: &str) -> String {
    pattern!(CODE_OR_MARK = r"`[^`]*`|__\w+__|\*\*|__");
    let marks: Vec<regex::Match<'_>> =
        CODE_OR_MARK.find_iter(text).filter(|found| matches!(found.as_str(), "**" | "__")).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let opens = |mark: &regex::Match<'_>| {
        !text[..mark.start()].ends_with(is_word)
            && text[mark.end()..].starts_with(|c: char| !c.is_whitespace())
    };
    let closes = |mark: &regex::Match<'_>| {
        !text[mark.end()..].starts_with(is_word)
            && text[..mark.start()].ends_with(|c: char| !c.is_whitespace())
    };
    let mut removed: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(mark) = marks.get(at) {
        let partner = marks[at + 1..].iter().position(|other| other.as_str() == mark.as_str());
        let partner = partner.map(|partner| at + 1 + partner).filter(|partner| closes(&marks[*partner]));
        at += 1;
        if let Some(partner) = partner.filter(|_| opens(mark)) {
            removed.extend([mark.range(), marks[partner].range()]);
            at = partner + 1;
        }
    }
    removed.sort_by_key(|range| range.start);
    let mut remaining = String::with_capacity(text.len());
    let mut from = 0;
    for range in removed {
        remaining.push_str(&text[from..range.start]);
        from = range.end;
    }
    remaining.push_str(&text[from..]);
    remaining
}

/// Returns a text with a capital letter at its beginning.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Cuts a text to `most` characters, between words, with a trailing `…`. Code spans are dropped
/// rather than cut.
///
/// ```
/// assert_eq!(cm_learn::prose::cut("one two three", 9), "one two…");
/// ```
pub fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let room = text.char_indices().nth(most.saturating_sub(1)).map_or(end, |(at, _)| at);
    let mut remaining = &text[..room];
    if !text[room..].starts_with(char::is_whitespace) {
        remaining = remaining.rsplit_once(char::is_whitespace).map_or(remaining, |(before, _)| before);
    }
    if remaining.matches('`').count() % 2 == 1 {
        let open = remaining.rfind('`').unwrap_or(0);
        if open > 0 {
            remaining = &remaining[..open];
        }
    }
    let remaining = remaining.trim_end().trim_end_matches([',', ';', ':', '(', '-', '–', '—']).trim_end();
    format!("{remaining}…")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(message: &str, reading: MessageAuthor) -> Vec<String> {
        sentences(message, reading).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn code_quotes_tables_and_logs_are_no_prose() {
        for text in [
            "```sh\nnever run this\n```",
            "~~~\nalways x\n~~~",
            "> always quote",
            "| always | never |\n|---|---|",
            "    always_indented_code here",
            "2026-11-01T10:00:00 always failing",
            "error: never used",
            "npm ERR! always",
            "  at never (file.js:10:3)",
            "File \"a.py\", line 3, in never",
            "src/main.rs:10:3 never read",
            "$ never mind",
            "<system-reminder>\nAlways do x.\n</system-reminder>",
            "<system-reminder>\nAlways do x, cut off",
            "<system-reminder>\n<b>x</b> Always do x.\n</system-reminder>",
            "<system-reminder>a</system-reminder><system-reminder>Always do x.</system-reminder>",
            "<environment_context><cwd>always</cwd></environment_context>",
            "startRedirectNavigation @ VM46:2327",
            "<!-- cm:begin -->\n- Never do x. (b-mt2ssunl-jq6d8j)\n<!-- cm:end -->",
            "# AGENTS.md instructions\nAlways x.",
            "const never = always();",
        ] {
            assert_eq!(of(text, MessageAuthor::Person), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_tag_that_a_person_names_takes_nothing_away() {
        assert_eq!(of("what does <system-reminder> do here?", MessageAuthor::Person).len(), 1);
        assert_eq!(of("never nest <my-tag> in <my-tag> elements", MessageAuthor::Person).len(), 1);
    }

    #[test]
    fn a_smiley_ends_a_sentence() {
        let texts = of("type pip and go back :) could you look around?", MessageAuthor::Person);
        assert_eq!(texts, ["type pip and go back", "could you look around?"]);
        let texts = of("set a: b :) and more", MessageAuthor::Person);
        assert_eq!(texts, ["set a: b", "and more"]);
        assert_eq!(of("use std::fmt :D", MessageAuthor::Person), ["use std::fmt :D"]);
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(
            of(
                "Use v1.2 of `a. b`, e.g. here (see x. Or y). Then stop! ok? yes. see 3. below. Line 9. Next",
                MessageAuthor::Agent
            ),
            [
                "Use v1.2 of `a. b`, e.g. here (see x. Or y).",
                "Then stop!",
                "ok?",
                "yes.",
                "see 3. below.",
                "Line 9.",
                "Next"
            ]
        );
        assert_eq!(
            of("die alte wird am 1.6. abgeschaltet. use 2.0.1. then ship", MessageAuthor::Person),
            ["die alte wird am 1.6. abgeschaltet.", "use 2.0.1.", "then ship"]
        );
        assert_eq!(
            of("- ✅ **Fixed** the `a**b`\n1. Added [x](y.md)", MessageAuthor::Agent),
            ["Fixed the `a**b`", "Added x"]
        );
    }

    #[test]
    fn marks_of_bold_text_go_and_those_of_names_stay() {
        for (typed, read) in [
            ("**Never** push to **main**.", "Never push to main."),
            ("**Always run the tests** first", "Always run the tests first"),
            ("this is __very important__, ok", "this is very important, ok"),
            ("**Always run `make lint` before you push.**", "Always run `make lint` before you push."),
            ("never **`npm`**, use pnpm", "never `npm`, use pnpm"),
            ("Use **pnpm**/**yarn**, not npm", "Use pnpm/yarn, not npm"),
            ("请**永远**不要推送", "请永远不要推送"),
            ("public names go into __all__", "public names go into __all__"),
            ("never override __init__ in models", "never override __init__ in models"),
            ("needs __test__ = False", "needs __test__ = False"),
            (
                "use **kwargs only in decorators, **opts never",
                "use **kwargs only in decorators, **opts never",
            ),
            ("write 2**8 and 2**16 as shifts", "write 2**8 and 2**16 as shifts"),
            ("__all__ has the public names", "__all__ has the public names"),
        ] {
            assert_eq!(of(typed, MessageAuthor::Person), [read], "{typed}");
        }
    }

    #[test]
    fn lines_of_a_traceback_are_no_prose() {
        let trace = "Traceback (most recent call last):\n  File \"x.py\", line 3, in <module>\n\
            requests.exceptions.SSLError: always set REQUESTS_CA_BUNDLE before the import\n\nany idea?";
        assert_eq!(of(trace, MessageAuthor::Person), ["any idea?"]);
        let trace = "itsdangerous.exc.BadSignature: no match\nYou must always call unsign with bytes.";
        assert_eq!(
            of(
                &format!("Traceback (most recent call last):\n  File \"a.py\", line 1\n{trace}"),
                MessageAuthor::Person
            ),
            Vec::<String>::new()
        );
        assert_eq!(
            of("java.lang.IllegalStateException: never call this twice", MessageAuthor::Person),
            Vec::<String>::new()
        );
        assert_eq!(of("main.py: always keep it short", MessageAuthor::Person).len(), 1);
    }

    #[test]
    fn words_that_tests_print_too_are_prose_where_a_person_uses_them() {
        assert_eq!(of("ok great, go on", MessageAuthor::Person).len(), 1);
        assert_eq!(of("ok  \tgithub.com/x/y\t0.1s", MessageAuthor::Person).len(), 0);
    }

    #[test]
    fn a_pasted_document_is_not_the_persons_own_word() {
        let plan = "Implement the following plan:\n\n# Plan\n\nAlways use tabs.";
        assert_eq!(of(plan, MessageAuthor::Person), ["Implement the following plan:"]);
        assert_eq!(of(plan, MessageAuthor::Agent).len(), 2);
        let long = (0..100).map(|n| format!("Rule {n} is long enough\n")).collect::<String>();
        assert_eq!(of(&long, MessageAuthor::Person).len(), 2 * DOCUMENT_EDGE_LINES);
    }

    #[test]
    fn a_bold_line_is_a_heading_of_an_agents_text() {
        let statements = sentences("**Changes made:**\n- Added it", MessageAuthor::Agent);
        assert_eq!((statements[0].text.as_str(), statements[0].heading.as_str()), ("Changes made:", ""));
        assert_eq!((statements[1].heading.as_str(), statements[1].listed), ("changes made", true));
    }

    proptest! {
        #[test]
        fn any_message_is_read(text in "([a-z`*#>.!? \n<\\->~|é]|always |```\n){0,200}") {
            for reading in [MessageAuthor::Person, MessageAuthor::Agent] {
                for sentence in sentences(&text, reading) {
                    prop_assert!(!sentence.text.trim().is_empty() && !sentence.text.contains('\n'));
                }
            }
        }

        #[test]
        fn a_cut_text_fits_and_begins_as_it_did(text in "[a-zé` ,]{0,80}", most in 1_usize..60) {
            let short = cut(&text, most);
            prop_assert!(short.chars().count() <= most.max(1) || short == text);
            let remaining = short.trim_end_matches('…');
            prop_assert!(text.starts_with(remaining));
        }
    }
}
