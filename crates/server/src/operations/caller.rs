//! Identity and permissions of the caller of an operation.

use super::{AccessRole, OperationSpec};
use cm_app::server_audit::{AuditedRequest, Surface};
use cm_app::{CallerIdentity, Error};

/// The caller of an operation. The HTTP server stores it in the extensions of each authenticated
/// request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Person and agent that changes are attributed to.
    pub identity: CallerIdentity,
    /// Permissions of the caller.
    pub role: AccessRole,
    /// ID of the token; `None` if no token is required.
    pub token: Option<String>,
}

impl Caller {
    /// The local user, with all permissions.
    pub fn local() -> Self {
        Self { identity: CallerIdentity::default(), role: AccessRole::Admin, token: None }
    }

    /// The audit log entry for an operation.
    pub fn attempt(&self, surface: Surface, operation: &'static str) -> AuditedRequest {
        let (person, agent) = (self.identity.actor.clone(), self.identity.agent.clone());
        AuditedRequest {
            surface,
            operation,
            token: self.token.clone(),
            person,
            agent,
            query: None,
            ids: Vec::new(),
            sessions: Vec::new(),
        }
    }

    /// Checks that the caller's role permits an operation.
    ///
    /// # Errors
    /// `forbidden`, with the required role.
    pub fn require_permission(&self, operation: &OperationSpec) -> Result<(), Error> {
        self.require_role(operation.effect.role())
    }

    /// Checks that the caller has at least this role.
    ///
    /// # Errors
    /// `forbidden`, with the required role.
    pub fn require_role(&self, least: AccessRole) -> Result<(), Error> {
        if self.role >= least {
            return Ok(());
        }
        let message = format!("this requires the role {least}; the token has the role {}", self.role);
        Err(Error::forbidden(message)
            .hint(format!("ask the server's owner for a token with the role {least}")))
    }
}
