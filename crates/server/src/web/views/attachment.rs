//! Attachments: the files that notes link to.

use crate::web::data::WebData;
use crate::web::page::PageRequest;
use cm_app::verbs::attachment;
use cm_app::{Context, Error, Result};

/// The file that a link of the note `note` leads to.
pub(super) fn load(context: &Context, request: &PageRequest) -> Result<WebData> {
    let note = request.query.get("note").ok_or_else(|| Error::usage("the address lacks `note`"))?;
    attachment::attachment(context, note, &request.reference).map(WebData::File)
}
