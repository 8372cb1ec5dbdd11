//! The pages: one file each. A page calls operations and fills a template.

mod attachment;
mod charts;
mod checks;
pub(super) mod conflicts;
pub(super) mod core;
mod history;
pub(super) mod home;
mod learned;
mod local_graph;
pub(super) mod log;
pub(super) mod map;
pub(super) mod note;
mod origins;
mod past;
pub(super) mod playbook;
mod receipt;
mod review;
mod reviewed;
mod score_chart;
mod search;
mod sessions;
pub(super) mod stale;

pub(super) mod edit;
pub(super) mod notes;

use super::data::DataSpec;
use super::page::PageRequest;
use super::table::PageSpec;
use cm_app::{Context, Result};

/// All pages, by their path.
pub(super) static PAGES: [PageSpec; 20] = [
    through_time("/", home::show),
    through_time("/search", search::show),
    through_time("/note/{*reference}", note::show),
    through_time("/core", core::show),
    through_time("/graph", map::show),
    page("/past", past::show),
    page("/learned", learned::show),
    page("/history/{*reference}", history::show),
    page("/origins/{*reference}", origins::show),
    page("/edit/{*reference}", edit::show),
    page("/new", edit::new),
    page("/review", review::show),
    page("/playbook", playbook::show),
    page("/sessions", sessions::list),
    page("/sessions/{*reference}", receipt::show),
    page("/charts", charts::show),
    page("/conflicts", conflicts::show),
    page("/stale", stale::show),
    page("/log", log::show),
    page("/checks", checks::show),
];

/// Shows a page.
pub(super) type Show = fn(&Context, &PageRequest) -> Result<String>;

const fn page(path: &'static str, show: Show) -> PageSpec {
    PageSpec { path, show, has_past: false }
}

/// A page that can show the vault as of an earlier time.
const fn through_time(path: &'static str, show: Show) -> PageSpec {
    PageSpec { path, show, has_past: true }
}

/// All data that scripts of the pages load, by their path.
pub(super) static DATA: [DataSpec; 5] = [
    DataSpec { path: "/file/{*reference}", load: attachment::load },
    DataSpec { path: "/graph/map.bin", load: map::image },
    DataSpec { path: "/graph/community/{reference}", load: map::community },
    DataSpec { path: "/graph/near/{*reference}", load: map::near },
    DataSpec { path: "/graph/find", load: map::find },
];
