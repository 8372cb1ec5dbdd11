//! Reads an attachment of a note: a file, such as an image, that the note links to.

use std::io;

use crate::context::find::{ResolvedNote, find};
use crate::context::open::Context;
use crate::error::{Error, Result};
use cm_note::frontmatter::split::Split;
use cm_note::markdown;
use cm_note::path::NotePath;
use cm_store::config::keys;
use cm_store::vault::attachment;

/// Format of an image without scripts, recognized by the first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl ImageFormat {
    /// Recognizes the format of a file; `None` for other content.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Usual end of the names of such files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// A file that a note links to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// File name, without folders.
    pub name: String,
    pub bytes: Vec<u8>,
    /// Format of an image; `None` for files of every other kind.
    pub image: Option<ImageFormat>,
}

/// Reads the file that a link of a note leads to. `target` is its path in the vault, or the target as
/// written in the link.
///
/// # Errors
/// A note that is not found; `not-found` for a target that the note has no link to, and for files
/// that are missing, private, linked, too large or unreadable.
pub fn attachment(context: &Context, note: &str, target: &str) -> Result<Attachment> {
    let found = find(context, note)?;
    let exclude = found.open.settings.texts(keys::VAULT_EXCLUDE);
    let vault = &found.open.vault;
    for link in links_to(&found, target) {
        let near = [found.note.path.resolve(&link), rooted(&link)].into_iter().flatten();
        for path in near.chain(attachment::find_by_end(vault, &link, &exclude)) {
            match attachment::read(vault, &path, &exclude) {
                Ok(bytes) => {
                    let name = path.file_name().to_owned();
                    return Ok(Attachment { name, image: ImageFormat::of(&bytes), bytes });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::not_found(format!("`{path}` cannot be shown: {error}"))),
            }
        }
    }
    Err(Error::not_found(format!("{} has no such attachment", found.note.path)))
}

/// Targets of the links of the note, as written, that lead to the path `target`.
fn links_to(found: &ResolvedNote<'_>, target: &str) -> Vec<String> {
    let text = found.text();
    let mut links = markdown::attachments(Split::of(&text).body());
    let is_meant = |path: Option<NotePath>| path.is_some_and(|path| path.as_str() == target);
    links.retain(|link| is_meant(found.note.path.resolve(link)) || is_meant(rooted(link)));
    links
}

/// Path of a link that is relative to the root.
fn rooted(link: &str) -> Option<NotePath> {
    NotePath::parse(link.trim_start_matches('/')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_recognized_by_content_and_not_by_name() {
        assert_eq!(ImageFormat::of(b"\x89PNG\r\n\x1a\n..."), Some(ImageFormat::Png));
        assert_eq!(ImageFormat::of(b"\xff\xd8\xff\xe0"), Some(ImageFormat::Jpeg));
        assert_eq!(ImageFormat::of(b"GIF89a"), Some(ImageFormat::Gif));
        assert_eq!(ImageFormat::of(b"RIFF\0\0\0\0WEBPVP8 "), Some(ImageFormat::WebP));
        for other in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..],
            b"<!doctype html>",
            b"%PDF-1.7",
            b"",
            b"\x89PN",
        ] {
            assert_eq!(ImageFormat::of(other), None);
        }
    }
}
