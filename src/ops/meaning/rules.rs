//! What curation is told of what rules mean: the static model that lies in the program.
//!
//! Not the model that searches use: whether two rules contradict each other must not depend on what a cache holds, which
//! provider is in reach, or how far an index is filled.

use crate::curate::meaning::{Meaning, NoMeaning};
use crate::domain::embedding::Embedding;
use crate::embed::builtin::Static;
use crate::ops::memory::OpenVault;

struct BuiltIn;

impl Meaning for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = Static::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }
}

/// The model by which the rules of a vault are compared; none where its settings switch embeddings off.
pub(in crate::ops) fn meaning(open: &OpenVault) -> &'static dyn Meaning {
    let provider = open.settings.get("embeddings.provider").and_then(|(value, _)| value.as_str());
    if provider == Some("none") { &NoMeaning } else { &BuiltIn }
}
