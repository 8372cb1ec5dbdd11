//! Maps kinds of failure to exit codes, HTTP status codes and JSON-RPC error codes.

use cm_app::Kind;

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

pub fn http(kind: Kind) -> u16 {
    match kind {
        Kind::Failed => 500,
        Kind::Usage => 400,
        // The request may be right; the server has nothing to answer it with.
        Kind::NoVault => 503,
        Kind::NotFound => 404,
        Kind::Refused => 409,
        // Clients know that 503 with `Retry-After` means "again, later".
        Kind::Locked | Kind::Interrupted | Kind::Terminated => 503,
        Kind::Provider => 502,
        Kind::NothingDone => 422,
    }
}

/// The JSON-RPC error code; used where MCP has no tool result to report the error in.
pub fn json_rpc(kind: Kind) -> i32 {
    match kind {
        // "resource not found"; the newest revision has the code of wrong parameters for it, which the SDK puts in.
        Kind::NotFound => -32002,
        Kind::Usage => -32602,
        Kind::Failed
        | Kind::NoVault
        | Kind::Refused
        | Kind::Locked
        | Kind::Provider
        | Kind::NothingDone
        | Kind::Interrupted
        | Kind::Terminated => -32603,
    }
}
