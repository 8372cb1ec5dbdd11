//! Who calls, and what follows of it: what agents may not do, what waits until it is confirmed, and whose sessions a
//! vault reads.

mod poisons;
mod scope;
mod sessions;
mod table;
mod unverified;
