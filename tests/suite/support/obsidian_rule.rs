//! Obsidian's rule for links, written without code of the program, to check the program against it.
//!
//! A link is followed by path or end of a path; among several files, the nearest one wins. Titles,
//! ids and slugs do not count. Aliases are a separate step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of a folder as Obsidian sees them: all but hidden ones.
pub struct ObsidianVault {
    /// Text of each note, by path.
    notes: BTreeMap<String, String>,
    /// Paths of all files by their folded name, with and without `.md`.
    named: BTreeMap<String, Vec<String>>,
    /// Notes by folded alias.
    aliases: BTreeMap<String, Vec<String>>,
}

/// A link as it is written in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLink {
    /// Path of the note.
    pub from: String,
    /// Target without heading, block and display text; percent-decoded in a Markdown link.
    pub target: String,
    /// Line in the file, from 1.
    pub line: usize,
}

impl ObsidianVault {
    pub fn read(root: &Path) -> Self {
        let (mut paths, mut notes) = (Vec::new(), BTreeMap::new());
        collect(root, "", &mut paths);
        for path in paths.iter().filter(|path| path.ends_with(".md")) {
            let bytes = std::fs::read(root.join(path)).unwrap();
            notes.insert(path.clone(), String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in paths {
            let name = fold(path.rsplit('/').next().unwrap());
            if let Some(stem) = name.strip_suffix(".md") {
                named.entry(stem.to_owned()).or_default().push(path.clone());
            }
            named.entry(name).or_default().push(path);
        }
        let mut aliases: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in &notes {
            for alias in aliases_of(text) {
                aliases.entry(fold(&alias)).or_default().push(path.clone());
            }
        }
        Self { notes, named, aliases }
    }

    /// Text of each note, by path.
    pub fn notes(&self) -> &BTreeMap<String, String> {
        &self.notes
    }

    /// Returns the file that a target leads to from a note, by path or file name.
    pub fn follow(&self, from: &str, target: &str) -> Option<&str> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let wanted = fold(target.trim());
        let candidates = self.named.get(wanted.rsplit('/').next().unwrap())?;
        let fixed = ["/", "./", "../"].iter().any(|begin| wanted.starts_with(begin));
        let whole = if fixed { joined(&fold(folder), &wanted)? } else { wanted };
        let is = |path: &str| {
            let path = fold(path);
            path == whole || path.strip_suffix(".md") == Some(&*whole)
        };
        let ends = |path: &str| {
            let path = fold(path);
            let end = format!("/{whole}");
            path.ends_with(&end) || path.strip_suffix(".md").is_some_and(|path| path.ends_with(&end))
        };
        if let Some(exact) = candidates.iter().find(|path| is(path)) {
            return Some(exact);
        }
        let below = |path: &str| !folder.is_empty() && path.starts_with(&format!("{folder}/"));
        let fitting = candidates.iter().filter(|path| !fixed && ends(path));
        fitting.min_by_key(|path| (!below(path), path.chars().count(), *path)).map(String::as_str)
    }

    /// Returns the notes with an alias.
    pub fn with_alias(&self, alias: &str) -> &[String] {
        self.aliases.get(&fold(alias.trim())).map_or(&[], Vec::as_slice)
    }

    /// Returns the links of all notes outside code and comments, without those to addresses and to
    /// headings of the same note.
    pub fn links(&self) -> Vec<WrittenLink> {
        self.notes.iter().flat_map(|(path, text)| links_of(path, text)).collect()
    }

    /// Returns the distinct pairs of two notes, `from > to`, that a link joins by path or file
    /// name.
    pub fn pairs(&self) -> BTreeSet<String> {
        let mut pairs = BTreeSet::new();
        for link in self.links() {
            let to =
                self.follow(&link.from, &link.target).filter(|to| to.ends_with(".md") && *to != link.from);
            pairs.extend(to.map(|to| format!("{} > {to}", link.from)));
        }
        pairs
    }

    /// Returns the links that lead nowhere, as `path:line: target`. An alias is enough.
    pub fn broken(&self) -> Vec<String> {
        let links = self.links().into_iter();
        let broken = links.filter(|link| {
            self.follow(&link.from, &link.target).is_none() && self.with_alias(&link.target).len() != 1
        });
        broken.map(|link| format!("{}:{}: {}", link.from, link.line, link.target)).collect()
    }
}

fn collect(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if entry.path().is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path);
        }
    }
}

/// Letter case does not count.
fn fold(text: &str) -> String {
    text.to_lowercase()
}

fn joined(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Splits a note's text into the lines of its frontmatter and its body.
fn split(text: &str) -> (&str, &str) {
    let Some(rest) = text.trim_start_matches('\u{feff}').strip_prefix("---\n") else { return ("", text) };
    match rest.find("\n---\n") {
        Some(end) => rest.split_at(end + 1),
        None => rest.strip_suffix("\n---").map_or(("", text), |yaml| (yaml, "")),
    }
}

fn aliases_of(text: &str) -> Vec<String> {
    let bare = |item: &str| item.trim().trim_matches(['"', '\'']).to_owned();
    let mut found = Vec::new();
    let mut lines = split(text).0.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(value) = line.strip_prefix("aliases:").or_else(|| line.strip_prefix("alias:")) else {
            continue;
        };
        let value = value.trim();
        match value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            Some(list) => found.extend(list.split(',').map(bare)),
            None if value.is_empty() => {
                while let Some(item) = lines.next_if(|line| line.trim_start().starts_with("- ")) {
                    found.push(bare(item.trim_start().trim_start_matches("- ")));
                }
            }
            None => found.push(bare(value)),
        }
    }
    found.retain(|alias| !alias.is_empty());
    found
}

fn links_of(path: &str, text: &str) -> Vec<WrittenLink> {
    let (yaml, _) = split(text);
    let shown = without_code_and_comments(text);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(shown.lines()) {
        let is_property = number <= yaml.lines().count() + 1;
        let markdown = if is_property { Vec::new() } else { destinations(line) };
        for target in wiki_targets(line).into_iter().chain(markdown) {
            let target = target.split(['#', '^']).next().unwrap().trim().to_owned();
            if !target.is_empty() {
                found.push(WrittenLink { from: path.to_owned(), target, line: number });
            }
        }
    }
    found
}

fn wiki_targets(line: &str) -> Vec<String> {
    let inside = line.split("[[").skip(1).filter_map(|rest| rest.split_once("]]")).map(|(inside, _)| inside);
    inside.map(|inside| inside.split('|').next().unwrap().trim_end_matches('\\').to_owned()).collect()
}

fn destinations(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in line.split("](").skip(1) {
        let destination = match rest.strip_prefix('<') {
            Some(rest) => rest.split('>').next().unwrap(),
            None => rest.split([')', ' ']).next().unwrap(),
        };
        let is_address = destination.starts_with("//")
            || destination.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '.']));
        if !is_address {
            // The heading is cut before decoding, because a name can contain an encoded `#`.
            found.push(decoded(destination.split('#').next().unwrap()));
        }
    }
    found
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.filter(|_| *first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Blanks fenced code, inline code, `%%comments%%` and HTML comments; lines stay where they are.
fn without_code_and_comments(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '-' | '*'));
        let run = |mark| bare.chars().take_while(|c| *c == mark).count();
        let ticks = run('`').max(run('~'));
        let marks = bare.get(..ticks).unwrap_or_default();
        match &fence {
            Some(open) if marks.starts_with(open.as_str()) && bare[ticks..].trim().is_empty() => fence = None,
            Some(_) => {}
            None if ticks >= 3 && !bare[ticks..].contains('`') => fence = Some(marks.to_owned()),
            None => {
                prose.push_str(line);
                continue;
            }
        }
        prose.push('\n');
    }
    let mut shown = String::with_capacity(prose.len());
    let mut rest = prose.as_str();
    while let Some(c) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('`').len();
        let hidden = match c {
            '`' => code_span(rest, run).or(Some(run)),
            '%' if rest.starts_with("%%") => rest[2..].find("%%").map(|end| end + 4),
            '<' if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            _ => None,
        };
        match hidden {
            Some(length) => {
                shown.extend(rest[..length].chars().filter(|c| *c == '\n'));
                rest = &rest[length..];
            }
            None => {
                shown.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    shown
}

/// Length of the code span at the beginning of a text, with its delimiters of `run` backticks.
fn code_span(text: &str, run: usize) -> Option<usize> {
    let paragraph = text.find("\n\n").unwrap_or(text.len());
    let mut at = run;
    while let Some(next) = text[at..paragraph].find('`') {
        let begin = at + next;
        let length = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        at = begin + length;
        if length == run {
            return Some(at);
        }
    }
    None
}
