//! Parses an agent's rule file (AGENTS.md, CLAUDE.md, .cursorrules, …) into draft bullets: list
//! items, and paragraphs that consist of one imperative sentence. Headings become categories.
//!
//! All other text is counted. Bullets remain drafts until a person accepts them.

mod imperative;

use std::collections::BTreeMap;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{GENERAL, ImportedDocument, LeftOutKind, category};
use crate::project::section::SECTION;
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::id::BulletId;
use cm_note::bullet::{Bullet, BulletFields, BulletKind, BulletState, BulletType, Maturity, Scope};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;
use cm_note::markdown::nested_too_deep;
use cm_note::note::check::RULE;
use cm_note::note::length::is_too_short;
use cm_note::note::name;
use cm_note::path::NotePath;

/// Tag of bullets from a rule file.
pub const TAG: &str = "imported";

/// Maximum length of the parent text that an item inherits, in characters.
const MAX_CONTEXT_CHARS: usize = 80;

/// Parses a rule file. `file` is its name in findings; `now` is the creation time of the bullets.
pub fn read(text: &str, file: &str, now: Instant) -> ImportedDocument {
    let split = Split::of(text);
    let (body, own) = SECTION.without(split.body());
    let mut walk = RuleFileParser { now, ..RuleFileParser::new() };
    if own {
        walk.leave_out("part written by `cm project`");
    }
    if nested_too_deep(&body) {
        walk.leave_out("text that is nested too deeply");
    } else {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH;
        Parser::new_ext(&body, options).for_each(|event| walk.event(event));
    }
    let left_out =
        walk.left_out.into_iter().map(|(what, count)| LeftOutKind { what: what.to_owned(), count });
    ImportedDocument {
        bullets: walk.bullets,
        blocked: Vec::new(),
        findings: frontmatter(&split, file),
        left_out: left_out.collect(),
    }
}

/// Findings for `description` and `globs` of a Cursor rule, which bullets cannot represent.
fn frontmatter(split: &Split<'_>, file: &str) -> Vec<Finding> {
    let fields = parse::parse(split).fields;
    let value = |key: &str| {
        let field = fields.get(key)?;
        let items = field.value.as_sequence().map(|items| items.iter().filter_map(parse::scalar_text));
        items.map(|items| items.collect::<Vec<_>>().join(", ")).or_else(|| field.text())
    };
    let pair = |key: &str| Some((key.to_owned(), value(key).filter(|text| !text.is_empty())?));
    let noted = ["description", "globs"].into_iter().filter_map(pair);
    noted
        .map(|(key, text)| Finding {
            path: file.to_owned(),
            line: fields.get(&key).map(|field| field.line),
            column: None,
            code: FindingCode::UnknownKey,
            severity: if key == "globs" { Severity::Warning } else { Severity::Info },
            message: match key.as_str() {
                "globs" => format!("the rules will hold everywhere, not only in `globs`: {}", visible(&text)),
                _ => format!("`{key}` of the file is not kept: {}", visible(&text)),
            },
            hint: None,
        })
        .collect()
}

/// Returns the rules of a paragraph with a sentence a line, the imperative ones, if there are two or more: all lines end
/// with a full stop, or none does and each begins with a capital letter, unlike the lines of a wrapped text.
fn lines_of_rules(paragraph: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let ends = |line: &&str| line.ends_with(['.', '!']);
    let are_ended = lines.iter().all(ends);
    let are_bare = lines.iter().all(|line| !ends(line) && line.starts_with(char::is_uppercase));
    let are_sentences = lines.iter().all(|line| imperative::is_one_sentence(line));
    let rules: Vec<&str> = lines.into_iter().filter(|line| imperative::is_imperative(line)).collect();
    (rules.len() >= 2 && (are_ended || are_bare) && are_sentences).then_some(rules)
}

/// The list item being parsed.
#[derive(Default)]
struct ListItem {
    text: InlineText,
    /// Prefix for its text, from parent items.
    context: Option<String>,
    /// Prefix for the items below it.
    below: Option<String>,
}

/// Inline text of an item or paragraph.
#[derive(Default)]
struct InlineText {
    text: String,
    /// Number of letters outside of code.
    letters: usize,
}

impl InlineText {
    fn words(&mut self, words: &str) {
        self.text.push_str(words);
        self.letters += words.chars().filter(|c| c.is_alphabetic()).count();
    }

    fn code(&mut self, code: &str) {
        // The marks are longer than any run of backticks in the code.
        let runs = code.split(|c| c != '`').map(str::len);
        let mark = "`".repeat(runs.max().unwrap_or(0) + 1);
        let (first, last) = (code.starts_with('`'), code.ends_with('`'));
        let blank = if first || last { " " } else { "" };
        self.text.push_str(&format!("{mark}{blank}{code}{blank}{mark}"));
    }
}

/// State of the Markdown parser.
struct RuleFileParser {
    now: Instant,
    bullets: Vec<Bullet>,
    left_out: BTreeMap<&'static str, usize>,
    /// The nearest heading, except the title of the file.
    section: Option<String>,
    headings: usize,
    heading: Option<(HeadingLevel, String)>,
    items: Vec<ListItem>,
    paragraph: Option<InlineText>,
    /// The paragraph that introduces a list.
    lead: Option<String>,
    /// Content of the open code block.
    code: Option<String>,
    /// Number of open tables and HTML blocks, whose text is left out.
    open_skipped_blocks: usize,
    /// Targets of open links, with the start of the link text.
    links: Vec<(String, usize)>,
}

impl RuleFileParser {
    fn new() -> Self {
        Self {
            now: Instant::from_unix(0),
            bullets: Vec::new(),
            left_out: BTreeMap::new(),
            section: None,
            headings: 0,
            heading: None,
            items: Vec::new(),
            paragraph: None,
            lead: None,
            code: None,
            open_skipped_blocks: 0,
            links: Vec::new(),
        }
    }

    fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words(&text),
            Event::Code(code) => self.with(|inline| inline.code(&code), &code),
            Event::InlineHtml(html) if !html.starts_with("<!--") => self.words(&html),
            Event::SoftBreak | Event::HardBreak => self.words("\n"),
            _ => {}
        }
    }

    fn words(&mut self, words: &str) {
        match &mut self.code {
            Some(code) => code.push_str(words),
            None => self.with(|inline| inline.words(words), words),
        }
    }

    /// Appends inline text to the open heading, else to the innermost open list item, else to the open
    /// paragraph. A heading takes `plain`, the text without markup.
    fn with(&mut self, add: impl FnOnce(&mut InlineText), plain: &str) {
        if self.open_skipped_blocks > 0 {
            return;
        }
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(plain);
        } else if let Some(item) = self.items.last_mut() {
            add(&mut item.text);
        } else if let Some(paragraph) = &mut self.paragraph {
            add(paragraph);
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some((level, String::new())),
            Tag::Paragraph => match self.items.last_mut() {
                Some(item) => item.text.text.push(' '),
                None => self.paragraph = Some(InlineText::default()),
            },
            Tag::List(_) => self.list(),
            Tag::Item => {
                let above = self.items.last().map(|item| item.below.clone());
                let context = above.unwrap_or_else(|| self.lead.clone());
                self.items.push(ListItem { context, ..ListItem::default() });
            }
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            Tag::Table(_) => {
                self.leave_out("tables");
                self.open_skipped_blocks += 1;
            }
            Tag::HtmlBlock => self.open_skipped_blocks += 1,
            Tag::Link { dest_url, .. } => {
                let begin = self.items.last().map(|item| item.text.text.len());
                let begin = begin.or(self.paragraph.as_ref().map(|paragraph| paragraph.text.len()));
                self.links.push((dest_url.to_string(), begin.unwrap_or(0)));
            }
            _ => {}
        }
    }

    /// Starts a nested list: emits the parent item and makes its text the context of the nested
    /// items.
    fn list(&mut self) {
        let Some(item) = self.items.last_mut() else { return };
        let text = std::mem::take(&mut item.text);
        let own = fold_whitespace(&text.text);
        item.below = context(&own);
        let context = item.context.clone();
        if !own.is_empty() && !own.ends_with(':') {
            self.rule(&text, context.as_deref());
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Paragraph => {
                if let Some(paragraph) = self.paragraph.take() {
                    self.end_paragraph(&paragraph);
                }
            }
            TagEnd::List(_) if self.items.is_empty() => self.lead = None,
            TagEnd::Item => {
                if let Some(item) = self.items.pop().filter(|item| !item.text.text.trim().is_empty()) {
                    self.rule(&item.text, item.context.as_deref());
                }
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Table | TagEnd::HtmlBlock => {
                self.open_skipped_blocks = self.open_skipped_blocks.saturating_sub(1)
            }
            TagEnd::Link => self.end_link(),
            _ => {}
        }
    }

    /// Ends a heading; the first heading of level 1 is the title and starts no section.
    fn end_heading(&mut self) {
        let Some((level, text)) = self.heading.take() else { return };
        let title = self.headings == 0 && level == HeadingLevel::H1;
        self.headings += 1;
        self.lead = None;
        self.section = (!title).then_some(text);
    }

    fn end_paragraph(&mut self, paragraph: &InlineText) {
        let text = fold_whitespace(&paragraph.text);
        self.lead = None;
        if text.ends_with(':') {
            self.lead = context(&text);
        } else if let Some(rules) = lines_of_rules(&paragraph.text) {
            for line in rules {
                let mut inline = InlineText::default();
                inline.words(line);
                self.rule(&inline, None);
            }
        } else if imperative::is_one_sentence(&text) && imperative::is_imperative(&text) {
            self.rule(paragraph, None);
        } else if !text.is_empty() {
            self.leave_out("paragraphs with several rules or none");
        }
    }

    /// Ends a code block; a single line after an item that ends with `:` is appended to the item.
    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let line = code.trim();
        let fits = !line.contains(['\n', '`']) && (1..=MAX_CONTEXT_CHARS).contains(&line.chars().count());
        match self.items.last_mut().filter(|item| fits && item.text.text.trim_end().ends_with(':')) {
            Some(item) => {
                item.text.text.push(' ');
                item.text.code(line);
            }
            None => self.leave_out("code blocks"),
        }
    }

    /// Appends the target of a link to its text, unless they are equal.
    fn end_link(&mut self) {
        let Some((target, begin)) = self.links.pop() else { return };
        let open = self.items.last_mut().map(|item| &mut item.text).or(self.paragraph.as_mut());
        let Some(inline) = open else { return };
        let words = inline.text.get(begin..).unwrap_or("").trim_matches('`').to_owned();
        if words != target && !target.starts_with('#') {
            inline.text.push_str(&format!(" ({target})"));
        }
    }

    /// Adds the text as a rule, or counts the reason why it is not one.
    fn rule(&mut self, inline: &InlineText, context: Option<&str>) {
        let own = visible(&inline.text);
        if inline.letters < 3 {
            return self.leave_out("items with only names or code");
        }
        if own.ends_with(':') {
            return self.leave_out("texts that only introduce something else");
        }
        if names_something(&own) {
            return self.leave_out("items that describe something");
        }
        let within = context.map(|context| format!("{context} {own}"));
        let content = within.filter(|text| text.chars().count() <= *RULE.end()).unwrap_or(own);
        match content.chars().count() {
            _ if is_too_short(&content) => self.leave_out("texts shorter than 10 characters"),
            long if long > *RULE.end() => self.leave_out("texts longer than 500 characters"),
            _ => self.push(content),
        }
    }

    fn push(&mut self, content: String) {
        let category = self.section.as_deref().map_or_else(|| GENERAL.to_owned(), category);
        let avoids = imperative::is_negative(&content);
        let mut entropy = [0; 16];
        let seed = format!("cm rule\0{category}\0{content}");
        entropy.copy_from_slice(&blake3::hash(seed.as_bytes()).as_bytes()[..16]);
        let id = BulletId::generate(self.now, &entropy).into();
        let Ok(path) = NotePath::parse(&format!("playbook/{category}/{}", name::file_name(&content, &id)))
        else {
            return;
        };
        self.bullets.push(Bullet {
            id,
            path,
            bullet_type: if avoids { BulletType::AntiPattern } else { BulletType::Rule },
            category,
            scope: Scope::default(),
            workspace: None,
            state: BulletState::Draft,
            maturity: Maturity::Candidate,
            pinned: false,
            tags: vec![TAG.to_owned()],
            feedback: Vec::new(),
            created: Some(self.now),
            updated: Some(self.now),
            last_checked: None,
            fields: BulletFields {
                content,
                kind: if avoids { BulletKind::AntiPattern } else { BulletKind::ProjectConvention },
                ..BulletFields::default()
            },
        });
    }
}

/// Whether an item describes a file, command or type: code, a dash or colon, and a description.
fn names_something(own: &str) -> bool {
    let mut rest = own;
    while let Some(code) = rest.strip_prefix('`') {
        let Some(end) = code.find('`') else { return false };
        rest = code[end + 1..].trim_start_matches([' ', ',', '/', '|']);
    }
    let described = ["- ", "– ", "— ", ": ", "→ "].iter().find_map(|mark| rest.strip_prefix(mark));
    own.starts_with('`') && described.is_some_and(|text| !imperative::is_imperative(text))
}

/// The prefix that nested items inherit; `None` if it is too long.
fn context(text: &str) -> Option<String> {
    let words = visible(text);
    let words = words.trim_end_matches(['.', ':', ';', ',', ' ']);
    let fits = (1..=MAX_CONTEXT_CHARS).contains(&words.chars().count());
    fits.then(|| format!("{words}:"))
}

#[cfg(test)]
mod tests;
