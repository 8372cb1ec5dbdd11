//! Learns from sessions: diaries, outcomes, friction, lessons, incidents and handoffs. Pure.
//!
//! A sentence of a message becomes one of several types, by what is learned from it. An utterance
//! matches a pattern and is listed in the diary; a claim is what a source of `cm remember` states. A
//! statement is classified by how probably it lasts. A remark is a sentence that explains a command or
//! a failure next to it.
//!
//! ```text
//! prose::Sentence ┬ diary::Utterance ─ DiaryItem ─ remember::Claim ─ fact, preference or episode
//!                 ├ statement::Statement ┬ LastingStatement ─ reflect::ReflectionDraft
//!                 │                      ├ Withdrawal ─ replaces or deprecates rules and memories
//!                 │                      └ RequestCandidate ─ recurring::TracedRequest ─ ReflectionDraft
//!                 └ recurring: remark or explanation ─ TracedStep ─ counted pattern ─ ReflectionDraft
//! ```

pub mod confidence;
mod content_words;
pub mod diary;
pub mod evidence_quote;
pub mod friction;
pub mod handoff;
pub mod onboard;
pub mod outcome;
pub mod prose;
pub mod recurring;
pub mod reflect;
pub mod remember;
pub mod stash;
pub mod statement;
pub mod tool_call;
pub mod trauma;
pub mod workspace_path;
