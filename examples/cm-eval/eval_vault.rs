//! Creates a real vault from a set's documents: written as files, committed and indexed by the
//! regular operations.
//!
//! An existing vault for the same documents is reused, including its derived data.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cm_app::verbs::commit;
use cm_app::verbs::init;
use cm_app::verbs::reindex;
use cm_app::{CallerIdentity, Context, Request};
use cm_note::instant::Instant;

use crate::fault::{EvalError, Result};
use crate::set::{Document, LabelledSet};

/// Version of the notes' format. Vaults of another version are created again.
const LAYOUT: &str = "2";
/// Marker file of folders created by this program; contains a hash of their documents.
const MARKER: &str = "cm-eval";
/// Folder of the notes.
const NOTES: &str = "notes";

/// A vault with the documents of a set.
pub struct EvalVault {
    pub folder: PathBuf,
    /// Current time for all operations.
    pub now: Instant,
    documents: HashMap<String, String>,
}

impl EvalVault {
    /// Creates or reuses the set's vault in the working folder.
    ///
    /// # Errors
    ///
    /// The working folder is inside a repository or contains other files; a file or an operation
    /// fails.
    pub fn of(set: &LabelledSet, work: &Path) -> Result<Self> {
        let place = work.join(&set.name);
        std::fs::create_dir_all(&place).map_err(EvalError::file(&place))?;
        outside(&place)?;
        let (folder, marker) = (place.join("vault"), place.join(MARKER));
        let hash = format!("{LAYOUT} {}", set.corpus);
        let stand = Self { now: set.now(), documents: names(&set.documents), folder };
        if std::fs::read_to_string(&marker).is_ok_and(|marked_hash| marked_hash == hash) {
            return Ok(stand);
        }
        if stand.folder.exists() {
            if !marker.exists() {
                let place = stand.folder.display();
                return Err(EvalError::Usage(format!(
                    "{place} is there, and not from here: name another --work"
                )));
            }
            std::fs::remove_dir_all(&stand.folder).map_err(EvalError::file(&stand.folder))?;
        }
        std::fs::write(&marker, "unfinished").map_err(EvalError::file(&marker))?;
        fill(&stand.folder, &set.documents, stand.now)?;
        std::fs::write(&marker, hash).map_err(EvalError::file(&marker))?;
        Ok(stand)
    }

    /// Returns the document of a note.
    pub fn document(&self, path: &str) -> Option<&str> {
        self.documents.get(path).map(String::as_str)
    }

    /// Opens the indexed vault at another time.
    ///
    /// # Errors
    ///
    /// The operation fails.
    pub fn open_at(&self, settings: &[(&str, &str)], now: Instant) -> Result<Context> {
        Context::open(request(&self.folder, now, settings)).map_err(EvalError::operation("open"))
    }

    /// Opens the vault with these settings.
    ///
    /// # Errors
    ///
    /// The operation fails.
    pub fn open(&self, settings: &[(&str, &str)]) -> Result<Context> {
        let context =
            Context::open(request(&self.folder, self.now, settings)).map_err(EvalError::operation("open"))?;
        reindex::reindex(&context, reindex::Options::default(), &|| 0)
            .map_err(EvalError::operation("reindex"))?;
        Ok(context)
    }
}

/// Creates a vault of documents with one commit, and indexes it.
///
/// # Errors
///
/// A file or an operation fails.
pub fn fill<'a>(
    folder: &Path,
    documents: impl IntoIterator<Item = &'a Document>,
    now: Instant,
) -> Result<()> {
    let options = init::Options { folder: Some(folder.to_owned()), global: false };
    let (context, _) =
        init::init(request(folder, now, &[]), &options).map_err(EvalError::operation("init"))?;
    for document in documents {
        let file = folder.join(path(document));
        let above = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(above).map_err(EvalError::file(above))?;
        std::fs::write(&file, note(document)).map_err(EvalError::file(&file))?;
    }
    commit::commit(&context, Some("Take in the documents")).map_err(EvalError::operation("commit"))?;
    let context = Context::open(request(folder, now, &[])).map_err(EvalError::operation("open"))?;
    reindex::reindex(&context, reindex::Options::default(), &|| 0)
        .map_err(EvalError::operation("reindex"))?;
    Ok(())
}

/// Creates a request for this vault alone.
pub fn request(folder: &Path, now: Instant, settings: &[(&str, &str)]) -> Request {
    // Whatever git is set to here, nobody is asked for a key.
    let all = [("CM_GIT_SIGN", "false"), ("CM_GIT_COMMIT", "auto"), ("CM_EMBEDDINGS_BUDGET_MS", "0")];
    let fixed_settings =
        all.iter().chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    // Weights may be tried out through the environment, as everywhere.
    let tried = std::env::vars().filter(|(name, _)| name.starts_with("CM_SEARCH_"));
    Request {
        cwd: folder.to_owned(),
        vault: Some(folder.to_owned()),
        home: None,
        global: None,
        variables: tried.chain(fixed_settings).collect(),
        environment: std::collections::BTreeMap::new(),
        now,
        now_is_given: true,
        seed: None,
        no_refresh: false,
        for_prompts: false,
        private: Some(private()),
        caller: CallerIdentity::default(),
        clock: || 0,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        verb: "cm-eval".to_owned(),
        holder: format!("process {} (cm-eval)", std::process::id()),
        watch: Default::default(),
    }
}

/// Returns temporary folders for private files, so that those of the user stay unchanged.
fn private() -> cm_app::PrivateHome {
    let folder = std::env::temp_dir().join("cm-eval");
    cm_app::PrivateHome { state: folder.join("state"), config: folder.join("config") }
}

/// Returns the query filter for the notes of a group.
pub fn filter(group: &str) -> String {
    format!("folder:\"{NOTES}/{}\"", safe(group))
}

/// Maps the paths of notes to document ids.
pub fn names<'a>(documents: impl IntoIterator<Item = &'a Document>) -> HashMap<String, String> {
    documents.into_iter().map(|document| (path(document), document.id.clone())).collect()
}

fn path(document: &Document) -> String {
    let name = document.id.replace('/', "_");
    match &document.group {
        Some(group) => format!("{NOTES}/{}/{name}.md", safe(group)),
        None => format!("{NOTES}/{name}.md"),
    }
}

/// Converts a group's name to a folder name.
fn safe(group: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    group.chars().map(keep).collect()
}

/// Writes a document as a note of another tool: its own keys in the frontmatter, the title as a heading.
fn note(document: &Document) -> String {
    let fields = [
        ("title", document.title.as_str()),
        ("date", document.date_text.as_deref().unwrap_or_default()),
        ("group", document.group.as_deref().unwrap_or_default()),
        ("role", document.role.as_deref().unwrap_or_default()),
        ("session", document.session.as_deref().unwrap_or_default()),
    ];
    // A text in JSON is one in YAML.
    let line = |(key, value): (&str, &str)| format!("{key}: {}\n", serde_json::Value::from(value));
    let keys: String = fields.into_iter().filter(|(_, value)| !value.is_empty()).map(line).collect();
    let heading = match document.title.as_str() {
        "" => String::new(),
        title => format!("# {title}\n\n"),
    };
    format!("---\n{keys}---\n\n{heading}{}\n", document.text)
}

/// Rejects a folder inside a repository, where the vault would become part of that project.
fn outside(folder: &Path) -> Result<()> {
    let folder = folder.canonicalize().map_err(EvalError::file(folder))?;
    match folder.ancestors().find(|above| above.join(".git").exists()) {
        None => Ok(()),
        Some(above) => Err(EvalError::Usage(format!(
            "{} lies in the repository {}: name another --work",
            folder.display(),
            above.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cm_app::verbs::search;

    use super::*;
    use crate::set::Question;

    fn set() -> LabelledSet {
        let document = |id: &str, text: &str, group: &str| Document {
            id: id.to_owned(),
            title: format!("About: \"{id}\""),
            text: text.to_owned(),
            date: Instant::parse("2024-03-15").ok(),
            date_text: Some("2024-03-15".to_owned()),
            group: Some(group.to_owned()),
            role: None,
            session: None,
        };
        LabelledSet {
            name: "small".to_owned(),
            corpus: "0".to_owned(),
            documents: vec![
                document("a/1", "The pool was empty.", "G 1"),
                document("b", "The pool is full.", "g2"),
            ],
            unanswerable: Vec::new(),
            questions: vec![Question {
                id: "q".to_owned(),
                text: "pool?".to_owned(),
                group: None,
                date: None,
                category: String::new(),
                relevant: BTreeMap::new(),
            }],
        }
    }

    fn found(stand: &EvalVault, query: &str) -> Vec<String> {
        let options = search::Options { query: query.to_owned(), ..search::Options::default() };
        let searched = search::search(&stand.open(&[]).unwrap(), &options).unwrap();
        assert_eq!(searched.notices, Vec::<String>::new());
        searched.hits.iter().map(|hit| stand.document(&hit.path).unwrap().to_owned()).collect()
    }

    #[test]
    fn documents_become_notes_that_are_found_pooled_and_by_group_and_made_once() {
        let work = tempfile::tempdir().unwrap();
        let stand = EvalVault::of(&set(), work.path()).unwrap();
        assert_eq!(found(&stand, "pool").len(), 2);
        assert_eq!(found(&stand, &format!("{} pool", filter("G 1"))), ["a/1"]);
        let file = stand.folder.join("notes/g2/own.md");
        std::fs::write(&file, "Something else.").unwrap();
        EvalVault::of(&set(), work.path()).unwrap();
        assert!(file.exists());
        EvalVault::of(&LabelledSet { corpus: "1".to_owned(), ..set() }, work.path()).unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn a_folder_in_a_repository_or_with_something_else_is_left_alone() {
        let work = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(work.path().join("small/vault")).unwrap();
        let said = EvalVault::of(&set(), work.path()).map(|_| ()).unwrap_err().to_string();
        assert!(said.contains("not from here"), "{said}");
        std::fs::create_dir(work.path().join(".git")).unwrap();
        let said = EvalVault::of(&set(), work.path()).map(|_| ()).unwrap_err().to_string();
        assert!(said.contains("lies in the repository"), "{said}");
    }
}
