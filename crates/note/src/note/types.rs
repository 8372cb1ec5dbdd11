//! Which types of memories and edges a vault knows: the built-in ones and what its settings add.

use serde::{Deserialize, Serialize};

/// A type of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryType {
    /// As in `type:`.
    pub name: String,
    /// The folder below `graph/`.
    pub folder: String,
    /// The factor in the decay score.
    pub weight: f64,
    /// Keys that a note of this type must have, beyond what every memory has.
    pub required: Vec<String>,
}

/// The types of memories of a vault, in a fixed order.
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
    /// Adds a type, or replaces the one of that name.
    pub fn declare(&mut self, declared: MemoryType) {
        match self.0.iter_mut().find(|known| known.name == declared.name) {
            Some(known) => *known = declared,
            None => self.0.push(declared),
        }
    }

    /// The type of that name.
    pub fn get(&self, name: &str) -> Option<&MemoryType> {
        self.0.iter().find(|known| known.name == name)
    }

    /// The type whose notes lie in `graph/<folder>/`.
    pub fn of_folder(&self, folder: &str) -> Option<&MemoryType> {
        self.0.iter().find(|known| known.folder == folder)
    }

    /// All types, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = &MemoryType> {
        self.0.iter()
    }
}

/// The types of edges of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationTable(Vec<String>);

/// The type of an edge that a plain link makes.
pub const LINKS_TO: &str = "LINKS_TO";

/// The type of an edge from a note to the one whose place it takes.
pub const SUPERSEDES: &str = "SUPERSEDES";
/// The `from` note adds to the `to` note, which stays in use.
pub const EXTENDS: &str = "EXTENDS";

/// The type of an edge between notes that cannot both be followed.
pub const CONTRADICTS: &str = "CONTRADICTS";

/// The type of an edge to what a note was made from.
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
    /// Adds a type; its name is written in upper case.
    pub fn declare(&mut self, name: &str) {
        let name = name.to_uppercase();
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// Whether notes may use it; links' own type is known too.
    pub fn knows(&self, name: &str) -> bool {
        name == LINKS_TO || self.0.iter().any(|known| known == name)
    }

    /// All types, built-in ones first, without LINKS_TO.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
