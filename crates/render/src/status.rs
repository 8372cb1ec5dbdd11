//! Maps kinds of failure to exit codes, HTTP status codes and JSON-RPC error codes.

use cm_app::ErrorKind;

pub fn exit(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Failed => 1,
        ErrorKind::Usage => 2,
        ErrorKind::NoVault => 3,
        ErrorKind::NotFound => 4,
        ErrorKind::Refused | ErrorKind::Forbidden => 5,
        ErrorKind::Locked => 6,
        ErrorKind::Provider => 7,
        ErrorKind::NothingDone => 8,
        ErrorKind::Interrupted => 130,
        ErrorKind::Terminated => 143,
    }
}

pub fn http(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Failed => 500,
        ErrorKind::Usage => 400,
        // The request may be right; the server has nothing to answer it with.
        ErrorKind::NoVault => 503,
        ErrorKind::NotFound => 404,
        ErrorKind::Refused => 409,
        ErrorKind::Forbidden => 403,
        // Clients know that 503 with `Retry-After` means "again, later".
        ErrorKind::Locked | ErrorKind::Interrupted | ErrorKind::Terminated => 503,
        ErrorKind::Provider => 502,
        ErrorKind::NothingDone => 422,
    }
}

/// The JSON-RPC error code; used where MCP has no tool result to report the error in.
pub fn json_rpc(kind: ErrorKind) -> i32 {
    match kind {
        // "resource not found"; the newest revision has the code of wrong parameters for it, which the SDK puts in.
        ErrorKind::NotFound => -32002,
        ErrorKind::Usage => -32602,
        ErrorKind::Failed
        | ErrorKind::NoVault
        | ErrorKind::Refused
        | ErrorKind::Forbidden
        | ErrorKind::Locked
        | ErrorKind::Provider
        | ErrorKind::NothingDone
        | ErrorKind::Interrupted
        | ErrorKind::Terminated => -32603,
    }
}
