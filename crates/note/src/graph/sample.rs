//! Note builders for tests of the graph and of its users.
#![allow(clippy::expect_used, reason = "for tests only")]

use crate::id::NoteId;
use crate::instant::Instant;
use crate::markdown::outline;
use crate::note::{EdgeEnds, Note, NoteKind, RelationEntry};
use crate::path::NotePath;

/// Creates a note with only a path and a title.
pub fn note(path: &str, title: &str) -> Note {
    let path = NotePath::parse(path).expect("the tests' own paths are sound");
    Note {
        kind: NoteKind::of(&path),
        pinned: path.top() == "vault",
        path,
        id: None,
        note_type: None,
        title: title.to_owned(),
        aliases: Vec::new(),
        tags: Vec::new(),
        importance: None,
        confidence: None,
        created: None,
        updated: None,
        last_checked: None,
        priority: None,
        category: None,
        author: None,
        agent: None,
        session: None,
        speaker: None,
        workspace: None,
        state: None,
        maturity: None,
        scope: None,
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
    }
}

impl Note {
    pub fn with_id(mut self, id: &str) -> Self {
        self.id = Some(NoteId::parse(id).expect("the tests' own ids are sound"));
        self
    }

    pub fn with_type(mut self, note_type: &str) -> Self {
        self.note_type = Some(note_type.to_owned());
        self
    }

    pub fn with_tags(mut self, tags: &[&str]) -> Self {
        self.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self
    }

    pub fn with_created(mut self, day: &str) -> Self {
        self.created = Some(Instant::parse(day).expect("the tests' own dates are sound"));
        self
    }

    /// Sets the links and the summary of a note with this body, which begins on line 5 of its file.
    pub fn with_body(mut self, body: &str) -> Self {
        let found = outline(body, 5);
        self.links = found.links;
        self.summary = found.text.chars().take(Self::MAX_SUMMARY_CHARS).collect();
        self
    }

    pub fn with_relation(
        mut self,
        relation: &str,
        target: &str,
        outgoing: bool,
        edge_id: Option<&str>,
    ) -> Self {
        self.relations.push(RelationEntry {
            target: target.to_owned(),
            relation: relation.to_owned(),
            outgoing,
            strength: 0.7,
            context: None,
            edge_id: edge_id.map(str::to_owned),
            line: 3,
        });
        self
    }
}

/// Builds a note as parsed from a typed edge file `graph/edges/{id}.md`.
pub fn edge(id: &str, relation: &str, from: &str, to: &str, strength: f64) -> Note {
    let ends = EdgeEnds { from: from.to_owned(), to: to.to_owned(), strength };
    Note { edge: Some(ends), ..note(&format!("graph/edges/{id}.md"), id).with_id(id).with_type(relation) }
}
