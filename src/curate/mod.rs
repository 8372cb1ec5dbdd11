//! Pure plans for a better memory: what an import, an adoption or an export comes to.
//!
//! Nothing here touches a file, the clock or chance; plans are data, and `ops` carries them out.

pub mod adopt;
pub mod complete;
pub mod export;
pub mod import;
