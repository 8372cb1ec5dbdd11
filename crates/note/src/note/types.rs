//! Types of memories and edges that a vault declares: built-in types and those from its settings.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryType {
    /// Name, as in the frontmatter key `type`.
    pub name: String,
    /// Name of the folder below `graph/` that contains the memories of this type.
    pub folder: String,
    /// Factor in the decay score of every memory of this type.
    pub weight: f64,
    /// Required keys, in addition to those of every memory.
    pub required: Vec<String>,
}

/// Types of memories of a vault, in a fixed order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeTable(Vec<MemoryType>);

const BUILT_IN: [(&str, &str, f64); 14] = [
    ("procedure", "procedures", 1.4),
    ("decision", "decisions", 1.3),
    ("insight", "insights", 1.25),
    ("solution", "solutions", 1.2),
    ("code_pattern", "code-patterns", 1.1),
    ("configuration", "configurations", 1.1),
    ("preference", "preferences", 1.1),
    ("fact", "facts", 1.0),
    ("fix", "fixes", 1.0),
    ("workflow", "workflows", 1.0),
    ("observation", "observations", 1.0),
    ("problem", "problems", 0.9),
    ("error", "errors", 0.8),
    ("general", "general", 0.8),
];

impl Default for TypeTable {
    fn default() -> Self {
        let types = BUILT_IN.map(|(name, folder, weight)| MemoryType {
            name: name.to_owned(),
            folder: folder.to_owned(),
            weight,
            required: Vec::new(),
        });
        Self(types.into())
    }
}

impl TypeTable {
    /// Adds a type, or replaces the type with the same name.
    pub fn declare(&mut self, declared: MemoryType) {
        match self.0.iter_mut().find(|declared_type| declared_type.name == declared.name) {
            Some(declared_type) => *declared_type = declared,
            None => self.0.push(declared),
        }
    }

    pub fn get(&self, name: &str) -> Option<&MemoryType> {
        self.0.iter().find(|declared_type| declared_type.name == name)
    }

    /// Returns the type with notes in `graph/<folder>/`.
    pub fn of_folder(&self, folder: &str) -> Option<&MemoryType> {
        self.0.iter().find(|declared_type| declared_type.folder == folder)
    }

    /// Iterates over all types, built-in types first.
    pub fn iter(&self) -> impl Iterator<Item = &MemoryType> {
        self.0.iter()
    }
}

/// Types of edges of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationTable(Vec<String>);

/// Type of the edge for a plain link.
pub const LINKS_TO: &str = "LINKS_TO";

/// Edge type: the `from` note replaces the `to` note.
pub const SUPERSEDES: &str = "SUPERSEDES";
/// Edge type: the `from` note adds to the `to` note, which stays in use.
pub const EXTENDS: &str = "EXTENDS";

/// Edge type: the two notes contradict each other.
pub const CONTRADICTS: &str = "CONTRADICTS";

/// Edge type: the `from` note was made from the `to` note.
pub const DERIVED_FROM: &str = "DERIVED_FROM";

const RELATIONS: [&str; 13] = [
    "SOLVES",
    "CAUSES",
    "BUILDS_ON",
    "ALTERNATIVE_TO",
    "REQUIRES",
    "FOLLOWS",
    "RELATED_TO",
    EXTENDS,
    CONTRADICTS,
    "GROUNDS",
    "EXEMPLIFIES",
    SUPERSEDES,
    DERIVED_FROM,
];

impl Default for RelationTable {
    fn default() -> Self {
        Self(RELATIONS.map(str::to_owned).into())
    }
}

impl RelationTable {
    /// Adds a type, in upper case.
    pub fn declare(&mut self, name: &str) {
        let name = name.to_uppercase();
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// Whether the type is declared; `LINKS_TO` always is.
    pub fn contains(&self, name: &str) -> bool {
        name == LINKS_TO || self.0.iter().any(|declared_type| declared_type == name)
    }

    /// Iterates over all types, built-in types first, without `LINKS_TO`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
