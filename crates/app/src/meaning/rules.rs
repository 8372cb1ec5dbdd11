//! What curation is told of what rules mean: the static model that lies in the program.
//!
//! Not the model that searches use: whether two rules contradict each other must not depend on what a cache holds, which
//! provider is in reach, or how far an index is filled.

use crate::memory::OpenVault;
use cm_embed::builtin::Static;
use cm_playbook::meaning::{Meaning, NoMeaning};
use cm_text::embedding::Embedding;

struct BuiltIn;

impl Meaning for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = Static::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }
}

/// The model by which the rules of a vault are compared; none where its settings switch embeddings off.
pub(crate) fn meaning(open: &OpenVault) -> &'static dyn Meaning {
    let provider = open.settings.get("embeddings.provider").and_then(|(value, _)| value.as_str());
    if provider == Some("none") { &NoMeaning } else { &BuiltIn }
}
