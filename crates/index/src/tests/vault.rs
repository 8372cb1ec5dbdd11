//! A small test vault with a minimal note parser.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::{Error, Index, IndexedNote, PendingRefresh, RefreshReport};
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::listing::{FileStat, VaultListing};
use cm_note::markdown::{Heading, Outline};
use cm_note::note::read::ParsedNote;
use cm_note::note::{Note, NoteKind};
use cm_note::passage::PassageKey;
use cm_note::path::NotePath;
use cm_note::query::Query;

pub(super) struct Vault {
    dir: TempDir,
    pub(super) index: Index,
}

impl Vault {
    /// Creates a vault from pairs of path and text. Lines `key: value` up to the first empty line
    /// are the frontmatter.
    pub(super) fn of(notes: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let index = Index::open(&dir.path().join("_index"));
        let vault = Self { dir, index };
        notes.iter().for_each(|(path, text)| vault.write(path, text));
        vault
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Opens the vault's index again, like another process.
    pub(super) fn another(&self) -> Index {
        Index::open(&self.path("_index"))
    }

    pub(super) fn listing(&self) -> VaultListing {
        let mut files = Vec::new();
        list(self.dir.path(), self.dir.path(), &mut files);
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        VaultListing { files, ..VaultListing::default() }
    }

    pub(super) fn refresh(&self) -> RefreshReport {
        let refreshed = self.refresh_by(&self.index, Duration::from_secs(60)).unwrap();
        assert_eq!(refreshed.version, self.index.version().ok());
        RefreshReport { version: None, base: None, ..refreshed }
    }

    pub(super) fn refresh_by(&self, index: &Index, patience: Duration) -> Result<RefreshReport, Error> {
        let read = |path: &NotePath| fs::read(self.path(path.as_str()));
        index.refresh(&self.listing(), &read, &parse, patience)
    }

    pub(super) fn rebuild(&self) -> RefreshReport {
        let read = |path: &NotePath| fs::read(self.path(path.as_str()));
        self.index.rebuild(&self.listing(), &read, &parse, Duration::from_secs(10)).unwrap()
    }

    pub(super) fn check(&self) -> PendingRefresh {
        self.index.check(&self.listing(), &|path| fs::read(self.path(path.as_str()))).unwrap()
    }

    /// Returns the file stems of the matches, best first.
    pub(super) fn search(&self, query: &str) -> Vec<String> {
        let found = self.index.search(&parsed(query), 0, 1000).unwrap();
        assert_eq!(found.total, found.hits.len());
        found.hits.iter().map(|hit| hit.note.path.stem().to_owned()).collect()
    }

    /// Returns search results with their scores and all notes as text, for comparing indexes.
    pub(super) fn seen(&self) -> String {
        let mut seen = String::new();
        for query in
            ["", "socket", "socket timeout retry", "tag:net", "\"connection reset\"", "sock*", "-socket"]
        {
            let found = self.index.search(&parsed(query), 0, 7).unwrap();
            let hits: Vec<_> = found.hits.iter().map(|hit| (hit.note.path.as_str(), hit.score)).collect();
            seen += &format!("{query}: {} {hits:?}\n", found.total);
        }
        format!("{seen}{:?}", self.index.notes().unwrap())
    }
}

pub(super) fn parsed(query: &str) -> Query {
    Query::parse(query, Instant::parse("2026-11-21T12:00:00Z").unwrap())
}

fn list(root: &Path, folder: &Path, files: &mut Vec<FileStat>) {
    use std::os::unix::fs::MetadataExt;
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, metadata) = (entry.path(), entry.metadata().unwrap());
        if metadata.is_dir() && !path.ends_with("_index") {
            list(root, &path, files);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            files.push(FileStat {
                path: NotePath::parse(path.strip_prefix(root).unwrap().to_str().unwrap()).unwrap(),
                size: metadata.len(),
                mtime_ns: metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec(),
                ctime_ns: metadata.ctime() * 1_000_000_000 + metadata.ctime_nsec(),
                inode: metadata.ino(),
            });
        }
    }
}

/// Returns the key of the whole body as a single passage.
pub(super) fn passage(body: &str) -> PassageKey {
    PassageKey::of(body.trim())
}

pub(super) fn parse(path: &NotePath, bytes: &[u8]) -> IndexedNote {
    let text = String::from_utf8_lossy(bytes);
    let has_head = text
        .lines()
        .next()
        .is_some_and(|line| line.split_once(": ").is_some_and(|(key, _)| !key.contains(' ')));
    let (head, body) = if has_head { text.split_once("\n\n").unwrap_or((&text, "")) } else { ("", &*text) };
    let value = |key: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        line.map(str::to_owned)
    };
    let date = |key: &str| value(key).and_then(|date| Instant::parse(&date).ok());
    let headings = body.lines().filter_map(|line| line.strip_prefix("# "));
    let headings = headings.map(|text| Heading { level: 1, text: text.to_owned(), line: 1, at: 0 }).collect();
    let note = Note {
        path: path.clone(),
        kind: NoteKind::of(path),
        id: value("id").and_then(|id| NoteId::parse(&id).ok()),
        note_type: value("type"),
        title: value("title").unwrap_or_else(|| path.stem().to_owned()),
        aliases: Vec::new(),
        tags: value("tags").map_or(Vec::new(), |tags| tags.split(' ').map(str::to_owned).collect()),
        importance: value("importance").and_then(|number| number.parse().ok()),
        confidence: None,
        created: date("created"),
        updated: date("updated"),
        last_checked: None,
        priority: None,
        pinned: value("pinned").is_some(),
        category: value("category"),
        author: value("author"),
        agent: value("agent"),
        session: None,
        speaker: None,
        workspace: value("workspace"),
        state: value("state"),
        maturity: value("maturity"),
        scope: value("scope"),
        relations: Vec::new(),
        edge: None,
        feedback: Vec::new(),
        condensed_into: Vec::new(),
        bullet: None,
        blocked: None,
        links: Vec::new(),
        anchored: Vec::new(),
        attachments: Vec::new(),
        summary: String::new(),
        findings: Vec::new(),
    };
    let outline = Outline { text: body.to_owned(), headings, ..Outline::default() };
    let reading = ParsedNote { note, outline, properties: String::new(), labels: Vec::new() };
    let passages = vec![passage(body)];
    IndexedNote { reading, passages }
}
