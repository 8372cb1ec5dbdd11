//! CORE.md: what agents load at the start of a session.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use cm_app::verbs::generate;
use cm_app::{Context, Result};
use cm_render::html;

#[derive(Template)]
#[template(path = "core.html")]
struct CorePage {
    shell: Shell,
    body: String,
    entries: usize,
    omitted: usize,
    tokens: usize,
    is_current: bool,
}

pub(in crate::web) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let core = generate::core(memory, true)?;
    let text = core.text.unwrap_or_default();
    render(&CorePage {
        body: html::note(&text, &core.path),
        entries: core.entries,
        omitted: core.omitted,
        tokens: core.tokens,
        is_current: !core.changed,
        shell: Shell::of(memory, request, "core", "CORE.md"),
    })
}
