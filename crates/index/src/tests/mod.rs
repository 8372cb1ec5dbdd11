//! The index end to end, over small vaults on disk.

mod damage;
mod fresh;
mod neighbours;
mod overview;
mod queries;
mod records;
mod spreading;
mod surroundings;
mod vault;
