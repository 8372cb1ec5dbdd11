//! Agents' logs as they lie on disk: what each tells, and what damage, growth and hostile content do to that.

mod cut;
mod database;
mod found;
mod golden;
mod growth;
mod ours;
mod real;
mod recorded;
mod told;
mod tolerance;
