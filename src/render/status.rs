//! The one table from kinds of failure to what surfaces answer.

use crate::ops::Kind;

/// The exit code of a failure of this kind.
pub fn exit(kind: Kind) -> u8 {
    match kind {
        Kind::Failed => 1,
        Kind::Usage => 2,
        Kind::NoVault => 3,
        Kind::NotFound => 4,
        Kind::Refused => 5,
        Kind::Locked => 6,
        Kind::Provider => 7,
        Kind::NothingDone => 8,
        Kind::Interrupted => 130,
        Kind::Terminated => 143,
    }
}
