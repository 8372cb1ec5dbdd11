//! The reading views of a vault as files that a plain file server can show, from any folder.
//!
//! The pages are those of the server, for a reader. Their forms are left out, and links lead to
//! other files of the site or nowhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::assets;
use super::forms::Fields;
use super::links::{NewLink, replace_links};
use super::page::PageRequest;
use super::sessions::WebSession;
use super::views::{self, Show};
use super::words::note_address;
use cm_app::verbs::{attachment, map};
use cm_app::{Context, Error, ErrorKind, Result};
use cm_note::graph::{Graph, LinkedNotes, Resolution};
use cm_note::note::{Note, NoteKind};

/// A file of a site: its path in the folder of the site, and its content.
pub type SiteFile = (String, Vec<u8>);

/// Beginning of an address that already names a file of the site.
const OWN: &str = "/site/";

/// Pages that exist once, with their file.
const PAGES: [(&str, &str, Show); 6] = [
    ("/", "index.html", views::home::show),
    ("/core", "core.html", views::core::show),
    ("/graph", "map.html", views::map::show),
    ("/conflicts", "conflicts.html", views::conflicts::show),
    ("/stale", "stale.html", views::stale::show),
    ("/log", "log.html", views::log::show),
];

/// Returns the files of the site of the target vault, and the number of its notes. Nothing counts
/// as read.
///
/// # Errors
/// Unreadable notes, or a page that cannot be shown.
pub fn site(context: &Context) -> Result<(usize, Vec<SiteFile>)> {
    let linked = context.notes_of(context.target())?;
    let site = Site::of(context, &linked);
    let mut files: Vec<SiteFile> =
        assets::all().map(|(name, bytes)| (format!("assets/{name}"), bytes.to_vec())).collect();
    for (address, file, show) in PAGES {
        files.push(site.page(address, file, show)?);
    }
    site.add_playbook(&mut files)?;
    site.add_notes(&mut files)?;
    site.add_map(&mut files)?;
    files.extend(site.images.take());
    Ok((site.notes.len(), files))
}

struct Site<'a> {
    context: &'a Context,
    /// Notes with a page, sorted by kind and path.
    notes: Vec<&'a Note>,
    /// Keys that several notes have.
    shared: HashSet<&'a str>,
    graph: Graph<'a>,
    /// Files by the address of the page.
    files: HashMap<String, String>,
    /// Images that the pages show, by their file.
    images: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<'a> Site<'a> {
    fn of(context: &'a Context, linked: &'a LinkedNotes) -> Self {
        // The file of an edge says nothing that the notes at its ends do not.
        let mut notes: Vec<&Note> = linked.iter().filter(|note| note.kind != NoteKind::Edge).collect();
        notes.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
        let mut keys = HashSet::new();
        let shared = notes.iter().map(|note| note.key()).filter(|key| !keys.insert(*key)).collect();
        let mut files: HashMap<String, String> =
            PAGES.iter().map(|(address, file, _)| ((*address).to_owned(), (*file).to_owned())).collect();
        files.insert("/playbook".to_owned(), "playbook.html".to_owned());
        for page in 1..=views::notes::pages(notes.len()) {
            files.insert(format!("/notes?page={page}"), numbered("notes", page));
        }
        files.insert("/notes".to_owned(), numbered("notes", 1));
        Self { context, notes, shared, graph: linked.graph(), files, images: RefCell::default() }
    }

    fn page(&self, address: &str, file: &str, show: Show) -> Result<SiteFile> {
        let request = self.request(address, "");
        Ok(self.finish(file, &show(self.context, &request)?))
    }

    /// All pages of the playbook: each names the next one.
    fn add_playbook(&self, files: &mut Vec<SiteFile>) -> Result<()> {
        let (mut address, mut number) = ("/playbook".to_owned(), 1);
        loop {
            let html = views::playbook::show(self.context, &self.request(&address, ""))?;
            let mut next = None;
            replace_links(&html, |link| {
                if link.address.starts_with("/playbook?") && link.address.contains("offset=") {
                    next = Some(link.address.clone());
                }
                NewLink::Unchanged
            });
            let next = next.filter(|next| *next != address);
            let html = match &next {
                Some(next) => replace_links(&html, |link| match link.address == *next {
                    true => NewLink::To(format!("{OWN}{}", numbered("playbook", number + 1))),
                    false => NewLink::Unchanged,
                }),
                None => html,
            };
            files.push(self.finish(&numbered("playbook", number), &html));
            let Some(next) = next else { return Ok(()) };
            (address, number) = (next, number + 1);
        }
    }

    /// The page of each note, and the list of all notes.
    fn add_notes(&self, files: &mut Vec<SiteFile>) -> Result<()> {
        for note in &self.notes {
            let name = self.name(note);
            let html = views::note::show(self.context, &self.request(&note_address(name), name))?;
            files.push(self.finish(&note_file(name), &html));
        }
        for page in 1..=views::notes::pages(self.notes.len()) {
            let request = self.request("/notes", "");
            let html = views::notes::show(self.context, &request, &self.notes, page)?;
            files.push(self.finish(&numbered("notes", page), &html));
        }
        Ok(())
    }

    /// Adds the files that the script of the map loads: the picture, and the notes of each community.
    fn add_map(&self, files: &mut Vec<SiteFile>) -> Result<()> {
        files.push(("graph/map.bin".to_owned(), map::image(self.context)?.gzip));
        let communities = map::table(self.context)?
            .regions
            .iter()
            .map(|region| region.communities.len() + region.more)
            .sum();
        for number in 0..communities {
            let part = map::community(self.context, number)?;
            let notes: Vec<BTreeMap<&str, serde_json::Value>> = part
                .notes
                .iter()
                .map(|note| {
                    let address = note_file(&note.id);
                    BTreeMap::from([
                        ("place", note.place.into()),
                        ("id", note.id.as_str().into()),
                        ("title", note.title.as_str().into()),
                        ("type", note.kind.as_str().into()),
                        ("address", address.into()),
                    ])
                })
                .collect();
            let json = serde_json::json!({ "notes": notes, "edges": part.edges });
            let bytes = serde_json::to_vec(&json);
            let bytes = bytes.map_err(|error| Error::new(ErrorKind::Failed, "json", error.to_string()))?;
            files.push((format!("graph/community/{number}"), bytes));
        }
        Ok(())
    }

    fn request(&self, address: &str, reference: &str) -> PageRequest {
        let query = address.split_once('?').map_or("", |(_, query)| query);
        PageRequest {
            session: Arc::new(WebSession::reader(self.context.request.caller.clone())),
            reference: reference.to_owned(),
            query: Fields::parse(query.as_bytes()),
            address: address.to_owned(),
            is_demo: false,
            is_of_script: false,
            has_past: false,
            is_static: true,
        }
    }

    /// Makes a page a file: without forms, with relative links, and with dates for ages.
    fn finish(&self, file: &str, html: &str) -> SiteFile {
        let up = "../".repeat(file.matches('/').count());
        let html = replace_links(&without_forms(html), |link| self.link(&up, &link.address));
        (file.to_owned(), with_dates(&html).into_bytes())
    }

    fn link(&self, up: &str, address: &str) -> NewLink {
        if !address.starts_with('/') {
            return NewLink::Unchanged;
        }
        let (path, anchor) = match address.find('#') {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        let file = if path.starts_with("/assets/") {
            Some(path[1..].to_owned())
        } else if let Some(file) = path.strip_prefix(OWN) {
            Some(file.to_owned())
        } else if let Some(attachment) = path.strip_prefix("/file/") {
            self.image(attachment)
        } else {
            self.files.get(path).cloned().or_else(|| self.note(path))
        };
        file.map_or(NewLink::Nowhere, |file| NewLink::To(format!("{up}{file}{anchor}")))
    }

    /// The file of the image that an address of an attachment names; `None` for other attachments,
    /// which a file server would not show as safely. Its name is a hash of its content, so that no
    /// name of the vault decides where a file is written.
    fn image(&self, address: &str) -> Option<String> {
        let (path, query) = address.split_once('?')?;
        let query = Fields::parse(query.as_bytes());
        let path = cm_note::markdown::percent_decode(path);
        let found = attachment::attachment(self.context, query.get("note")?, &path).ok()?;
        let hash = blake3::hash(&found.bytes).to_hex();
        let file = format!("image/{}.{}", &hash[..20], found.image?.extension());
        self.images.borrow_mut().entry(file.clone()).or_insert(found.bytes);
        Some(file)
    }

    /// The file of the note that an address names.
    fn note(&self, path: &str) -> Option<String> {
        let reference = path.strip_prefix("/note/")?.split('?').next()?;
        let Resolution::One(at) = self.graph.resolve(&cm_note::markdown::percent_decode(reference)) else {
            return None;
        };
        let note = &self.graph.notes()[at];
        (note.kind != NoteKind::Edge).then(|| note_file(self.name(note)))
    }

    /// The key of a note, or its path if another note has the same key.
    fn name<'n>(&self, note: &'n Note) -> &'n str {
        if self.shared.contains(note.key()) { note.path.as_str() } else { note.key() }
    }
}

/// The file of the n-th page of a list; the first one has no number.
fn numbered(name: &str, number: usize) -> String {
    if number == 1 { format!("{name}.html") } else { format!("{name}-{number}.html") }
}

/// The file of a note. A path as a key gets a hash, because characters that not every file system
/// knows are replaced.
fn note_file(key: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if key.chars().all(is_plain) {
        return format!("note/{key}.html");
    }
    let plain: String = key.chars().map(|c| if is_plain(c) { c } else { '-' }).take(60).collect();
    format!("note/{plain}-{}.html", &blake3::hash(key.as_bytes()).to_hex()[..10])
}

/// The page without its forms, which nothing would answer.
fn without_forms(html: &str) -> String {
    let mut page = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, form)) = rest.split_once("<form") {
        page.push_str(before);
        rest = form.split_once("</form>").map_or("", |(_, after)| after);
    }
    page.push_str(rest);
    page
}

/// Replaces ages such as `3 days ago`, which become wrong in a file, by dates.
fn with_dates(html: &str) -> String {
    const TIME: &str = "<time datetime=\"";
    let mut dated = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(TIME) {
        dated.push_str(before);
        dated.push_str(TIME);
        let Some((tag, content)) = after.split_once('>') else {
            rest = after;
            break;
        };
        dated.push_str(tag);
        dated.push('>');
        dated.push_str(tag.get(..10).unwrap_or_default());
        rest = content.find("</time>").map_or("", |end| &content[end..]);
    }
    dated.push_str(rest);
    dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_left_out_and_ages_become_dates() {
        let html = r#"<p>a</p><form action="/x"><b>y</b></form><time datetime="2026-11-05T10:00:00Z" title="t">3 days ago</time>."#;
        let expected = r#"<p>a</p><time datetime="2026-11-05T10:00:00Z" title="t">2026-11-05</time>."#;
        assert_eq!(with_dates(&without_forms(html)), expected);
    }

    #[test]
    fn the_file_of_a_note_has_a_portable_name_of_its_own() {
        assert_eq!(note_file("b-mt2ssunl-000001"), "note/b-mt2ssunl-000001.html");
        let (upper, lower) = (note_file("notes/A:b.md"), note_file("notes/a:b.md"));
        assert!(upper.starts_with("note/notes--") && upper != lower);
        assert!(upper.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.".contains(c)));
    }
}
