//! The web page: server-rendered views of the vault for people.
//!
//! A request passes the same middleware as the other endpoints; `sessions` finds its caller by a
//! cookie. Pages and actions (`table`) call operations and render their results; they decide nothing
//! themselves.

mod action_result;
mod actions;
mod assets;
mod data;
mod decisions;
mod embedded;
mod events;
mod forms;
mod headers;
mod links;
mod login;
mod page;
mod past;
mod response;
mod sessions;
mod setup;
mod site;
mod table;
mod views;
mod words;

pub use embedded::page as embedded_page;
pub use events::ChangeFeed;
pub use sessions::random as random_secret;
pub(crate) use setup::WebState;
pub use setup::{Visitor, WebSetup};
pub use site::site;
pub(crate) use table::{accepts_html, is_page, roots, router};
