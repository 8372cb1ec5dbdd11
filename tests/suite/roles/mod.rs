//! Permissions by actor: what agents may not do, what waits for confirmation, and which sessions a
//! vault may read.

mod poisons;
mod scope;
mod sessions;
mod table;
mod unverified;
