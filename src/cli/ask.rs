//! Questions to a person at a terminal.

use std::io::{self, IsTerminal as _};

use inquire::InquireError;

use super::answer::Output;
use super::stdin;
use cm_app::{Error, ErrorKind};

/// Whether a question can be asked: input and messages are on a terminal, and the output is not JSON.
pub fn can_ask(output: &Output) -> bool {
    !output.json && stdin::is_terminal() && io::stderr().is_terminal()
}

/// The error of a question without an answer. `cancelled` is the message if the person cancelled it.
pub fn answer_error(error: &InquireError, cancelled: &str) -> Error {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => {
            Error::new(ErrorKind::NothingDone, "cancelled", cancelled)
        }
        error => Error::new(ErrorKind::Failed, "terminal", format!("cannot ask on this terminal: {error}")),
    }
}
