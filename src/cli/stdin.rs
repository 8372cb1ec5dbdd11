//! Standard input as text.

use std::io::{self, IsTerminal as _, Read as _};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use cm_app::{Error, Result};

/// Maximum number of bytes of a command or hook message.
const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// Idle time after which a hook message counts as complete. Some agents never close the stream.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(1);
/// Some shells of Windows begin with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Reads standard input to its end.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn text() -> Result<String> {
    let text = io::read_to_string(io::stdin())
        .map_err(|error| Error::usage(format!("cannot read standard input as text: {error}")))?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text))
}

/// Reads a command or a hook message to the end of standard input; invalid UTF-8 is replaced.
///
/// # Errors
/// Standard input cannot be read.
pub fn command() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin()
        .take(MAX_MESSAGE_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::usage(format!("cannot read standard input: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).trim_start_matches(BYTE_ORDER_MARK).to_owned())
}

/// Reads a hook message, although the stream may stay open; empty at a terminal. Invalid UTF-8 is
/// replaced.
pub fn hook_message() -> String {
    if is_terminal() {
        return String::new();
    }
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut piece = vec![0; 64 << 10];
        while let Ok(read @ 1..) = stdin.read(&mut piece) {
            if sender.send(piece[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    let message = collect_message(&receiver);
    String::from_utf8_lossy(&message).trim_start_matches(BYTE_ORDER_MARK).to_owned()
}

/// Collects input until the stream ends, the JSON is complete, or no data arrives for
/// [`MESSAGE_TIMEOUT`].
fn collect_message(pieces: &Receiver<Vec<u8>>) -> Vec<u8> {
    let mut message = Vec::new();
    while let Ok(piece) = pieces.recv_timeout(MESSAGE_TIMEOUT) {
        message.extend(piece);
        let json = message.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&message);
        let is_complete = json.trim_ascii_end().ends_with(b"}")
            && serde_json::from_slice::<serde::de::IgnoredAny>(json).is_ok();
        if is_complete || message.len() > MAX_MESSAGE_BYTES {
            break;
        }
    }
    message.truncate(MAX_MESSAGE_BYTES);
    message
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_complete_message_does_not_wait_for_the_end_of_the_stream() {
        for mark in ["", "\u{feff}"] {
            let (sender, receiver) = channel();
            for piece in [mark, "{\"a\": ", "{}}\n"] {
                sender.send(piece.as_bytes().to_vec()).unwrap();
            }
            let begun = Instant::now();
            assert_eq!(collect_message(&receiver), format!("{mark}{{\"a\": {{}}}}\n").into_bytes());
            assert!(begun.elapsed() < MESSAGE_TIMEOUT, "with the mark {mark:?}");
        }
    }
}
