//! The pages: one file each. A page calls operations and fills a template.

mod checks;
mod conflicts;
mod core;
mod history;
mod home;
mod local_graph;
mod log;
mod note;
mod playbook;
mod review;
mod search;
mod sessions;
mod stale;

pub(super) mod edit;

use super::table::PageSpec;

/// All pages, by their path.
pub(super) static PAGES: [PageSpec; 15] = [
    PageSpec { path: "/", show: home::show },
    PageSpec { path: "/search", show: search::show },
    PageSpec { path: "/note/{*reference}", show: note::show },
    PageSpec { path: "/history/{*reference}", show: history::show },
    PageSpec { path: "/edit/{*reference}", show: edit::show },
    PageSpec { path: "/new", show: edit::new },
    PageSpec { path: "/review", show: review::show },
    PageSpec { path: "/playbook", show: playbook::show },
    PageSpec { path: "/sessions", show: sessions::list },
    PageSpec { path: "/sessions/{*reference}", show: sessions::receipt },
    PageSpec { path: "/conflicts", show: conflicts::show },
    PageSpec { path: "/stale", show: stale::show },
    PageSpec { path: "/core", show: core::show },
    PageSpec { path: "/log", show: log::show },
    PageSpec { path: "/checks", show: checks::show },
];
