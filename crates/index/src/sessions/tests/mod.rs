//! Tests of the session index on real folders.

mod crash;
mod damage;
mod evidence;
mod finding;
mod forks;
mod listing;
mod meaning;
mod order;
mod sample_session;
mod writers;
