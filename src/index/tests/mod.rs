//! The index end to end, over small vaults on disk.

mod damage;
mod fresh;
mod queries;
mod vault;
