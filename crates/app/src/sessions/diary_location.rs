//! Locates the note of a session's diary and plans its change.

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::Result;
use crate::verbs::note_fields::sharded;
use cm_learn::diary::Diary;
use cm_learn::diary::note::note;
use cm_learn::diary::update::renewal;
use cm_note::change::VaultFileChange;
use cm_note::id::NoteId;
use cm_note::note::NoteKind;
use cm_note::note::name::file_name;
use cm_note::path::NotePath;

/// File of a session's diary note, existing or planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryLocation {
    /// Existing or planned path of the note.
    pub path: NotePath,
    /// Whether the note exists already.
    pub is_there: bool,
}

impl DiaryLocation {
    /// Path of the existing diary of a session.
    ///
    /// # Errors
    /// Returns an error if the notes cannot be read.
    pub fn find_existing(context: &Context, agent: &str, session: &str) -> Result<Option<NotePath>> {
        let notes = context.notes_of(context.target())?;
        let of = notes
            .iter()
            .filter(|note| note.kind == NoteKind::Diary && note.session.as_deref() == Some(session));
        // Ids are unique for an agent only; a diary that names none is taken for this one's.
        let mut of = of.filter(|note| note.agent.as_deref().is_none_or(|other| other == agent));
        Ok(of.next().map(|note| note.path.clone()))
    }

    /// Locates the diary's note by its session; plans a new path if there is none.
    ///
    /// # Errors
    /// Returns an error if the notes cannot be read or the session ID is invalid.
    pub fn of(context: &Context, diary: &Diary) -> Result<Self> {
        if let Some(path) = Self::find_existing(context, &diary.agent, &diary.session)? {
            return Ok(Self { path, is_there: true });
        }
        let id = NoteId::parse(&diary.id)?;
        let path = sharded(context.target(), "diary", &file_name(&diary.title, &id), &id)?;
        Ok(Self { path, is_there: false })
    }

    /// Plans the change that writes the diary, with a notice for the user if needed. Call it while
    /// the vault's lock is held.
    ///
    /// # Errors
    /// Returns an error if the note has uncommitted edits.
    pub fn change(
        &self,
        context: &Context,
        open: &OpenVault,
        diary: &Diary,
    ) -> Result<(Option<VaultFileChange>, Option<String>)> {
        let path = self.path.clone();
        let bytes = match open.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((Some(VaultFileChange::Create { path, text: note(diary) }), None));
            }
            Err(error) => {
                return Err(cm_store::vault::Error::io("read", &open.vault.file(&path))(error).into());
            }
        };
        let renewal = renewal(&String::from_utf8_lossy(&bytes), diary);
        let notice = renewal.is_rewritten.then(|| {
            format!("{path} was edited by hand, so its text stays; only its frontmatter is updated")
        });
        if renewal.edits.is_empty() {
            return Ok((None, notice));
        }
        write::refuse_uncommitted(context, open, &path, &bytes)?;
        Ok((Some(VaultFileChange::edit(path, renewal.edits)), notice))
    }
}
