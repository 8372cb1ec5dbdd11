//! Reads a labelled set from its folder: documents, questions, and relevance labels.
//!
//! `corpus.jsonl` {id, title?, text, date?, group?, role?}, `queries.jsonl` {id, text, group?,
//! category_name? or category?} and `qrels.tsv` with a header line: question, document, degree.
//! Invalid lines are errors.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use cm_note::instant::Instant;

use crate::fault::{EvalError, Result};
use crate::lines::{self, Object};

#[derive(Debug)]
pub struct LabelledSet {
    /// Name of the folder.
    pub name: String,
    /// Hash of the corpus file.
    pub corpus: String,
    pub documents: Vec<Document>,
    /// Questions with at least one relevant document, in file order.
    pub questions: Vec<Question>,
    /// Questions that no document answers, in file order.
    pub unanswerable: Vec<Question>,
}

/// A searchable document.
#[derive(Debug, PartialEq)]
pub struct Document {
    /// Id in the labels.
    pub id: String,
    /// Title; empty if there is none.
    pub title: String,
    pub text: String,
    /// Time of writing.
    pub date: Option<Instant>,
    /// The same as the set writes it.
    pub date_text: Option<String>,
    /// Conversation that contains the document.
    pub group: Option<String>,
    /// Role of the speaker.
    pub role: Option<String>,
    /// Part of the conversation.
    pub session: Option<String>,
}

/// A question with its labels.
#[derive(Debug, PartialEq)]
pub struct Question {
    /// Id in the labels.
    pub id: String,
    pub text: String,
    /// Conversation that the question is about.
    pub group: Option<String>,
    /// When it was asked.
    pub date: Option<Instant>,
    /// Category of the question; `None` as text if the set has no categories.
    pub category: String,
    /// Relevant documents with their degree.
    pub relevant: BTreeMap<String, u32>,
}

impl LabelledSet {
    /// Reads a set from its folder.
    ///
    /// # Errors
    ///
    /// A file is missing, or contains an invalid line.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = |name: &str| folder.join(name);
        let corpus = lines::read(&path("corpus.jsonl"))?;
        let documents = documents(&path("corpus.jsonl"), &corpus)?;
        let mut questions = questions(&path("queries.jsonl"), &lines::read(&path("queries.jsonl"))?)?;
        label(&path("qrels.tsv"), &lines::read(&path("qrels.tsv"))?, &documents, &mut questions)?;
        let (questions, unanswerable) =
            questions.into_iter().partition(|question: &Question| !question.relevant.is_empty());
        let hash = blake3::hash(corpus.as_bytes()).to_hex().to_string();
        Ok(Self { name: name_of(folder), corpus: hash, documents, questions, unanswerable })
    }

    /// Reduces the questions to about `most`, spread evenly.
    pub fn limit(&mut self, most: usize) {
        let step = self.questions.len().div_ceil(most.max(1)).max(1);
        let mut at = 0;
        self.questions.retain(|_| {
            at += 1;
            (at - 1) % step == 0
        });
    }

    /// Returns the day after the newest document as the current time, or a fixed day if no document
    /// is dated.
    pub fn now(&self) -> Instant {
        let newest = self.documents.iter().filter_map(|document| document.date).max();
        let day = newest.unwrap_or_else(|| Instant::from_unix(1_780_000_000)).midnight();
        Instant::from_unix(day.unix() + 86_400)
    }
}

/// Returns the given folders, or the folders below `CM_EVAL` that contain this file.
///
/// # Errors
///
/// No folders are given and `CM_EVAL` is not set.
pub fn folders(named_folders: &[PathBuf], everywhere: Option<&Path>, file: &str) -> Result<Vec<PathBuf>> {
    if !named_folders.is_empty() {
        return Ok(named_folders.to_vec());
    }
    let Some(root) = everywhere else {
        return Err(EvalError::Usage(
            "name the folders of the sets, or set CM_EVAL to the folder that holds them".to_owned(),
        ));
    };
    let entries = std::fs::read_dir(root).map_err(EvalError::file(root))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.join(file).is_file()).collect();
    found.sort();
    if found.is_empty() {
        return Err(EvalError::Usage(format!("no folder in {} has a {file}", root.display())));
    }
    Ok(found)
}

/// Returns the name of a folder or file.
pub fn name_of(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn documents(path: &Path, text: &str) -> Result<Vec<Document>> {
    let mut seen = HashSet::new();
    let read = |object: Result<Object<'_>>| {
        let object = object?;
        let id = object.text("id")?;
        if !seen.insert(id.clone()) {
            return Err(object.line.fault(format!("a second document `{id}`")));
        }
        let date_text = object.maybe("date")?;
        let date = date_text.as_deref().map(Instant::parse).transpose();
        let date = date.map_err(|_| {
            object.line.fault(format!("`{}` is no date", date_text.as_deref().unwrap_or_default()))
        })?;
        Ok(Document {
            id,
            title: object.maybe("title")?.unwrap_or_default(),
            text: object.text("text")?,
            date,
            date_text,
            group: object.maybe("group")?,
            role: object.maybe("role")?,
            session: object.maybe("session")?,
        })
    };
    lines::objects(path, text).map(read).collect()
}

fn questions(path: &Path, text: &str) -> Result<Vec<Question>> {
    let mut seen = HashSet::new();
    let read = |object: Result<Object<'_>>| {
        let object = object?;
        let id = object.text("id")?;
        if !seen.insert(id.clone()) {
            return Err(object.line.fault(format!("a second question `{id}`")));
        }
        let category = match object.maybe("category_name")? {
            Some(name) => Some(name),
            None => object.maybe("category")?,
        };
        Ok(Question {
            id,
            text: object.text("text")?,
            group: object.maybe("group")?,
            date: object.maybe("date")?.and_then(|text| Instant::parse(&text).ok()),
            category: category.unwrap_or_else(|| "None".to_owned()),
            relevant: BTreeMap::new(),
        })
    };
    lines::objects(path, text).map(read).collect()
}

fn label(path: &Path, text: &str, documents: &[Document], questions: &mut [Question]) -> Result<()> {
    let document_ids: HashSet<&str> = documents.iter().map(|document| document.id.as_str()).collect();
    let at: HashMap<String, usize> =
        questions.iter().enumerate().map(|(at, question)| (question.id.clone(), at)).collect();
    for line in lines::lines(path, text).skip(1) {
        let cells: Vec<&str> = line.text.split('\t').collect();
        let [question, document, degree] = cells.as_slice() else {
            return Err(line.fault(format!("a label has 3 cells between tabs, and this one {}", cells.len())));
        };
        let Some(at) = at.get(*question) else {
            return Err(line.fault(format!("there is no question `{question}`")));
        };
        if !document_ids.contains(document) {
            return Err(line.fault(format!("there is no document `{document}`")));
        }
        let degree = degree.trim().parse().ok().filter(|degree| (1..=30).contains(degree));
        let degree = degree.ok_or_else(|| line.fault("a degree is a whole number from 1 to 30"))?;
        questions[*at].relevant.insert((*document).to_owned(), degree);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: &str = "{\"id\":\"a\",\"text\":\"One.\",\"date\":\"2023/10/30 (Mon) 00:58\",\"group\":\"g\"}\n\n{\"id\":\"b\",\"title\":\"B\",\"text\":\"Two.\"}\n";
    const QUERIES: &str =
        "{\"id\":\"q\",\"text\":\"Which?\",\"category\":2}\n{\"id\":\"r\",\"text\":\"None?\"}\n";
    const QRELS: &str = "query-id\tcorpus-id\tscore\nq\tb\t2\n";

    fn set(corpus: &str, queries: &str, qrels: &str) -> (tempfile::TempDir, Result<LabelledSet>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels.tsv", qrels)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let set = LabelledSet::read(folder.path());
        (folder, set)
    }

    #[test]
    fn a_set_is_read_with_dates_and_degrees_and_without_questions_that_nothing_answers() {
        let (_folder, set) = set(CORPUS, QUERIES, QRELS);
        let set = set.unwrap();
        assert_eq!(set.documents.len(), 2);
        assert_eq!(set.documents[0].date.unwrap().to_string(), "2023-10-30T00:58:00Z");
        assert_eq!(set.now().to_string(), "2023-10-31T00:00:00Z");
        let [question] = set.questions.as_slice() else { panic!("{:?}", set.questions) };
        assert_eq!((question.category.as_str(), question.relevant["b"]), ("2", 2));
    }

    #[test]
    fn a_bad_line_is_named_with_its_file_and_number() {
        for (corpus, queries, qrels, expected) in [
            ("{\"id\":\"a\"}", QUERIES, QRELS, "corpus.jsonl:1: the line has no `text`"),
            (
                "{\"id\":\"a\",\"text\":\"x\"}\n\n[1]",
                QUERIES,
                QRELS,
                "corpus.jsonl:3: a line is a JSON object",
            ),
            ("{\"id\":\"a\",\"text\":", QUERIES, QRELS, "corpus.jsonl:1: no JSON: EOF"),
            ("{\"id\":\"a\",\"text\":[]}", QUERIES, QRELS, "corpus.jsonl:1: `text` is not text"),
            (
                "{\"id\":\"a\",\"text\":\"\",\"date\":\"soon\"}",
                QUERIES,
                QRELS,
                "corpus.jsonl:1: `soon` is no date",
            ),
            (
                "{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"a\",\"text\":\"\"}",
                QUERIES,
                QRELS,
                "corpus.jsonl:2: a second document `a`",
            ),
            (CORPUS, "{\"id\":\"q\"}", QRELS, "queries.jsonl:1: the line has no `text`"),
            (CORPUS, QUERIES, "h\nq b 1", "qrels.tsv:2: a label has 3 cells between tabs, and this one 1"),
            (CORPUS, QUERIES, "h\nx\tb\t1", "qrels.tsv:2: there is no question `x`"),
            (CORPUS, QUERIES, "h\nq\tx\t1", "qrels.tsv:2: there is no document `x`"),
            (CORPUS, QUERIES, "h\nq\tb\tmuch", "qrels.tsv:2: a degree is a whole number"),
        ] {
            let (_folder, set) = set(corpus, queries, qrels);
            let said = set.unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let said = LabelledSet::read(folder.path()).unwrap_err().to_string();
        assert!(said.contains("corpus.jsonl: No such file"), "{said}");
    }

    #[test]
    fn a_limit_spreads_the_questions() {
        let question = |id: usize| Question {
            id: id.to_string(),
            text: String::new(),
            group: None,
            date: None,
            category: String::new(),
            relevant: BTreeMap::new(),
        };
        let (_folder, set) = set(CORPUS, QUERIES, QRELS);
        let mut set = LabelledSet { questions: (0..10).map(question).collect(), ..set.unwrap() };
        set.limit(3);
        assert_eq!(
            set.questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>(),
            ["0", "4", "8"]
        );
    }
}
