//! The syntax of zk notebooks: tags enabled in the settings (`:a:b:`, `#several words#`,
//! `keywords`), and links by a prefix of the file name.
//!
//! Bodies stay unchanged; only information that cm cannot read there is added to the frontmatter.

use std::collections::{BTreeMap, BTreeSet};

use super::prose;
use cm_note::markdown;
use cm_note::note::LinkForm;
use cm_note::path::NotePath;

/// Tag syntaxes that the notebook's settings enable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagSyntax {
    /// Tags such as `:a:b:`.
    pub colon_tags: bool,
    /// Tags such as `#several words#`.
    pub multiword_tags: bool,
}

impl TagSyntax {
    /// Parses `.zk/config.toml`; missing settings are off, as in zk.
    pub fn of(config: &str) -> Self {
        let table = config.parse::<toml::Table>().unwrap_or_default();
        let markdown = table.get("format").and_then(|format| format.get("markdown"));
        let flag = |key: &str| markdown.and_then(|table| table.get(key)).and_then(toml::Value::as_bool);
        Self {
            colon_tags: flag("colon-tags").unwrap_or(false),
            multiword_tags: flag("multiword-tags").unwrap_or(false) && flag("hashtags").unwrap_or(true),
        }
    }

    /// The tags of a body in these syntaxes, in order, without duplicates.
    pub fn tags(self, body: &str) -> Vec<String> {
        let mut tags = Vec::new();
        for line in prose::lines(body) {
            if self.colon_tags {
                line.split_whitespace().flat_map(colon_tags).for_each(|tag| add(&mut tags, tag));
            }
            if self.multiword_tags {
                multiword_tags(&line).into_iter().for_each(|tag| add(&mut tags, tag));
            }
        }
        tags
    }
}

fn add(tags: &mut Vec<String>, tag: &str) {
    if tags.iter().all(|other| other != tag) {
        tags.push(tag.to_owned());
    }
}

/// The tags of a word `:a:b:`.
fn colon_tags(word: &str) -> Vec<&str> {
    let inside =
        word.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).filter(|inside| !inside.is_empty());
    let tags: Vec<&str> = inside.map(|inside| inside.split(':').collect()).unwrap_or_default();
    let sound =
        |tag: &&str| !tag.is_empty() && !tag.chars().all(|c| c.is_ascii_digit() || c.is_ascii_punctuation());
    if tags.iter().all(sound) { tags } else { Vec::new() }
}

/// The tags `#several words#` of a line.
fn multiword_tags(line: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find('#').map(|found| at + found) {
        at = open + 1;
        let begins = line[..open].chars().next_back().is_none_or(char::is_whitespace);
        let Some(length) = line[at..].find('#').filter(|_| begins) else { continue };
        let inside = &line[at..at + length];
        let after = line[at + length + 1..].chars().next();
        let sound = inside.contains(char::is_whitespace)
            && inside.trim() == inside
            && after.is_none_or(|c| !c.is_alphanumeric() && c != '#');
        if sound {
            tags.push(inside);
            at += length + 1;
        }
    }
    tags
}

/// Additional names of notes that links of the notebook use: prefixes that match exactly one file
/// name, such as `abcd` for `abcd-some-title.md`.
pub(crate) fn short_names(notes: &[(&NotePath, &str)]) -> BTreeMap<NotePath, Vec<String>> {
    let stems: BTreeMap<String, Vec<&NotePath>> =
        notes.iter().fold(BTreeMap::new(), |mut stems, (path, _)| {
            stems.entry(path.stem().to_lowercase()).or_default().push(path);
            stems
        });
    let mut used = BTreeSet::new();
    for (_, body) in notes {
        for link in markdown::outline(body, 1).links {
            let climbs = link.form == LinkForm::Markdown && link.target.contains("..");
            if !climbs && !link.target.ends_with(".md") {
                used.insert(link.target);
            }
        }
    }
    let mut names: BTreeMap<NotePath, Vec<String>> = BTreeMap::new();
    for name in used {
        let last = name.rsplit('/').next().unwrap_or(&name).to_lowercase();
        let starting: Vec<_> =
            stems.range(last.clone()..).take_while(|(stem, _)| stem.starts_with(&last)).collect();
        if let [(stem, paths)] = starting.as_slice()
            && let [path] = paths.as_slice()
            && **stem != last
            && !last.is_empty()
        {
            names.entry((*path).clone()).or_default().push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_only_where_the_settings_allow_them() {
        let body = "\
:book:to-read: and 12:30:45 or a:b:
#several words# then #one #two, # no # and #three four#.
`:code:` `#not this#`
    ::
";
        let both = "[format.markdown]\nhashtags = true\ncolon-tags = true\nmultiword-tags = true\n";
        assert_eq!(TagSyntax::of(both).tags(body), ["book", "to-read", "several words", "three four"]);
        assert_eq!(TagSyntax::of("[format.markdown]\ncolon-tags = true").tags(body), ["book", "to-read"]);
        let off = "[format.markdown]\nhashtags = false\nmultiword-tags = true\n";
        assert!(TagSyntax::of(off).tags(body).is_empty());
        assert!(TagSyntax::of("no toml [").tags(body).is_empty());
    }

    #[test]
    fn the_beginning_of_one_files_name_is_a_name() {
        let path = |text: &str| NotePath::parse(text).unwrap();
        let (a, b, c) = (path("inbox/abcd-first.md"), path("abce-second.md"), path("x.md"));
        let text = "[one](inbox/abcd) [[abce]] [[abc]] [[x]] [[abcd-first]] [gone](zz) [file](../abcd)";
        let names = short_names(&[(&a, text), (&b, ""), (&c, "")]);
        assert_eq!(names[&a], ["inbox/abcd"]);
        assert_eq!(names[&b], ["abce"]);
        assert_eq!(names.len(), 2);
    }
}
