//! The pages: one file each. A page calls operations and fills a template.

mod attachment;
mod checks;
mod conflicts;
mod core;
mod history;
mod home;
mod local_graph;
mod log;
mod map;
mod note;
mod origins;
mod playbook;
mod receipt;
mod review;
mod reviewed;
mod score_chart;
mod search;
mod sessions;
mod stale;

pub(super) mod edit;

use super::data::DataSpec;
use super::table::PageSpec;

/// All pages, by their path.
pub(super) static PAGES: [PageSpec; 17] = [
    PageSpec { path: "/", show: home::show },
    PageSpec { path: "/search", show: search::show },
    PageSpec { path: "/note/{*reference}", show: note::show },
    PageSpec { path: "/history/{*reference}", show: history::show },
    PageSpec { path: "/origins/{*reference}", show: origins::show },
    PageSpec { path: "/edit/{*reference}", show: edit::show },
    PageSpec { path: "/new", show: edit::new },
    PageSpec { path: "/review", show: review::show },
    PageSpec { path: "/playbook", show: playbook::show },
    PageSpec { path: "/sessions", show: sessions::list },
    PageSpec { path: "/sessions/{*reference}", show: receipt::show },
    PageSpec { path: "/conflicts", show: conflicts::show },
    PageSpec { path: "/stale", show: stale::show },
    PageSpec { path: "/core", show: core::show },
    PageSpec { path: "/graph", show: map::show },
    PageSpec { path: "/log", show: log::show },
    PageSpec { path: "/checks", show: checks::show },
];

/// All data that scripts of the pages load, by their path.
pub(super) static DATA: [DataSpec; 5] = [
    DataSpec { path: "/file/{*reference}", load: attachment::load },
    DataSpec { path: "/graph/map.bin", load: map::image },
    DataSpec { path: "/graph/community/{reference}", load: map::community },
    DataSpec { path: "/graph/near/{*reference}", load: map::near },
    DataSpec { path: "/graph/find", load: map::find },
];
