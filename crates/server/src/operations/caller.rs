//! Who calls an operation over a wire, and what they may ask for.

use super::{Operation, Role};
use cm_app::server_audit::Attempt;
use cm_app::{By, Error};

/// Who calls. The HTTP server puts one into the extensions of each request that it lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whom a change is attributed to.
    pub by: By,
    /// What they may do.
    pub role: Role,
    /// The id of their token; `None` where none is asked for.
    pub token: Option<String>,
}

impl Caller {
    /// The person whose machine it is: may do everything.
    pub fn local() -> Self {
        Self { by: By::default(), role: Role::Admin, token: None }
    }

    /// What the audit log says of an operation that they ask for.
    pub fn attempt(&self, surface: &'static str, operation: &'static str) -> Attempt {
        let (person, agent) = (self.by.actor.clone(), self.by.agent.clone());
        Attempt { surface, operation, token: self.token.clone(), person, agent }
    }

    /// Refuses an operation that is beyond the caller's role.
    ///
    /// # Errors
    /// `forbidden`, with the role that it takes.
    pub fn may(&self, operation: &Operation) -> Result<(), Error> {
        self.has(operation.effect.role())
    }

    /// Refuses what is beyond the caller's role.
    ///
    /// # Errors
    /// `forbidden`, with the role that it takes.
    pub fn has(&self, least: Role) -> Result<(), Error> {
        if self.role >= least {
            return Ok(());
        }
        let message = format!("this takes the role {least}, and the token is a {}'s", self.role);
        Err(Error::refused("forbidden", message)
            .hint(format!("ask who runs the server for a token of the role {least}")))
    }
}
