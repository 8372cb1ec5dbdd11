//! Reads agents' logs from disk, including damaged, growing and hostile ones.

mod cut;
mod database;
mod event_recorder;
mod found;
mod golden;
mod growth;
mod ours;
mod real;
mod recorded;
mod tolerance;
