//! Finds the templates of new memories: the vault's own, else the built-in ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::trust;
use crate::error::Result;
use cm_note::note::template::{FOLDER, NoteTemplate};
use cm_note::path::NotePath;
use cm_store::vault::external_folder;

/// The templates of all types of the vault.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TemplateList {
    pub templates: Vec<TypeTemplate>,
}

/// Template for the memories of one type.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TypeTemplate {
    /// Type of memories, such as `decision`.
    #[serde(rename = "type")]
    pub note_type: String,
    /// The vault's own template, relative to the vault root; null for a built-in one.
    pub path: Option<String>,
    /// The prompts of the template, in order.
    pub questions: Vec<String>,
}

/// Lists the templates in the order of the types.
///
/// # Errors
/// The errors of reading the template of a type.
pub fn list(context: &Context) -> Result<TemplateList> {
    let open = context.target();
    let one = |note_type: &str| {
        let (template, path) = template_of(context, open, note_type)?;
        let questions = template.questions().into_iter().map(str::to_owned).collect();
        Ok(TypeTemplate { note_type: note_type.to_owned(), path: path.map(Into::into), questions })
    };
    let templates =
        open.settings.types.iter().map(|memory_type| one(&memory_type.name)).collect::<Result<_>>()?;
    Ok(TemplateList { templates })
}

/// Returns the template for a type, with its path if it is the vault's own. A vault that the user
/// does not trust gives its templates to persons only.
///
/// # Errors
/// Returns an error if the file is too large, is not a regular file, or is outside the vault.
pub(crate) fn template_of(
    context: &Context,
    open: &OpenVault,
    note_type: &str,
) -> Result<(NoteTemplate, Option<NotePath>)> {
    let path = NotePath::parse(&format!("{FOLDER}/{note_type}.md")).ok();
    if let Some(path) = path
        && let Some(bytes) = external_folder::below(open.vault.root(), &path)?
        && (context.is_person() || trust::is_trusted(open)?)
    {
        return Ok((NoteTemplate::of_file(&String::from_utf8_lossy(&bytes)), Some(path)));
    }
    Ok((NoteTemplate::built_in(note_type), None))
}
