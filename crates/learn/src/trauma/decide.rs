//! Whether a command may run: the gravest of its dangers, with what happened the last time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reach::Ground;
use super::{Class, Danger, Severity, dangers, shape};
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::{BlockKind, Blocked};

/// What the guard answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Nothing speaks against it.
    Allow,
    /// It may run; a person should know.
    Warn,
    /// It must not run.
    Block,
}

/// The answer with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What becomes of the command.
    pub judgement: Judgement,
    /// Why, as a sentence without its full stop; empty where it is allowed.
    pub reason: String,
    /// What is endangered.
    pub class: Option<Class>,
    /// The past incident that it is like.
    pub incident: Option<PastIncident>,
}

/// A destructive command that went wrong before, as an anti-pattern keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastIncident {
    /// The bullet that keeps it.
    pub bullet: String,
    /// What was endangered.
    pub class: Class,
    /// The command's shape, as `Danger::shape` has it.
    pub shape: String,
    /// The session in which it happened.
    pub session: String,
    /// The day, as `2026-11-01`.
    pub date: String,
    /// The sessions that the bullet comes from: those in which the same happened again are among them.
    #[serde(skip)]
    pub sessions: Vec<String>,
}

impl PastIncident {
    /// The incident that a bullet keeps, whether it is in use or not.
    #[must_use]
    pub fn of(bullet: &Bullet) -> Option<Self> {
        let incident = bullet.fields.incident.as_ref()?;
        Some(Self {
            bullet: bullet.id.to_string(),
            class: Class::of(&incident.class)?,
            shape: incident.shape.clone(),
            session: incident.session.clone().unwrap_or_default(),
            date: incident.date.clone().or_else(|| bullet.created.map(|at| at.day())).unwrap_or_default(),
            sessions: bullet.fields.sources.iter().map(|source| source.session.clone()).collect(),
        })
    }

    /// Whether it tells of what happened in this session too.
    #[must_use]
    pub fn tells_of(&self, session: &str) -> bool {
        self.session == session || self.sessions.iter().any(|other| other == session)
    }

    /// Whether a danger is the same thing again: of the same class, done by the same command to the same kind of place.
    fn is_like(&self, danger: &Danger) -> bool {
        self.class == danger.class && shape::kin(&self.shape) == shape::kin(&danger.shape)
    }
}

/// A pattern that the vault keeps out or warns of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedPattern {
    /// The note that says so.
    pub name: String,
    /// The words that must not occur in a command that runs.
    pub pattern: String,
    /// Whether it only warns.
    pub warns: bool,
    /// Why, and what to do instead.
    pub reason: String,
}

impl BlockedPattern {
    /// The pattern that a note in `blocked/` keeps out of commands; none where it blocks a rule.
    #[must_use]
    pub fn of(blocked: &Blocked) -> Option<Self> {
        let fields = &blocked.fields;
        let pattern = fields.pattern.clone().filter(|pattern| !pattern.trim().is_empty())?;
        let instead = fields.replacement.as_deref().map(|instead| format!("use {instead} instead"));
        let said: Vec<String> = fields.reason.clone().into_iter().chain(instead).collect();
        let reason = if said.is_empty() { "no reason is given".to_owned() } else { said.join("; ") };
        let warns = blocked.kind == BlockKind::Deprecated;
        Some(Self { name: blocked.id.to_string(), pattern, warns, reason })
    }
}

/// Judges a command line before it runs. `incidents` are those that a person accepted.
#[must_use]
pub fn decide(
    text: &str,
    ground: &Ground<'_>,
    incidents: &[PastIncident],
    blocked: &[BlockedPattern],
) -> Decision {
    let own = kept_out(text, blocked);
    let found = dangers(text, ground).into_iter().map(|danger| judged(danger, incidents));
    gravest(own.into_iter().chain(found))
}

/// Judges dangers that were found. `incidents` are those that a person accepted.
pub(super) fn judge(dangers: impl Iterator<Item = Danger>, incidents: &[PastIncident]) -> Decision {
    gravest(dangers.map(|danger| judged(danger, incidents)))
}

/// The gravest decision, the first of equally grave ones; allowed where there is none.
fn gravest(decisions: impl Iterator<Item = Decision>) -> Decision {
    let gravest = decisions.fold(None::<Decision>, |best, next| match best {
        Some(best) if best.judgement >= next.judgement => Some(best),
        _ => Some(next),
    });
    gravest.unwrap_or(Decision {
        judgement: Judgement::Allow,
        reason: String::new(),
        class: None,
        incident: None,
    })
}

fn judged(danger: Danger, incidents: &[PastIncident]) -> Decision {
    let past = incidents.iter().rfind(|incident| incident.is_like(&danger)).cloned();
    let judgement = match (danger.severity, &past) {
        (Severity::Warn, None) => Judgement::Warn,
        _ => Judgement::Block,
    };
    let mut reason = format!("this {}", danger.reason);
    if let Some(past) = &past {
        reason +=
            &format!("; the same went wrong on {} (session {}, {})", past.date, past.session, past.bullet);
    }
    Decision { judgement, reason, class: Some(danger.class), incident: past }
}

/// The first blocked pattern that occurs in a command that would run; quoted text that is only shown does not count.
fn kept_out(text: &str, blocked: &[BlockedPattern]) -> Option<Decision> {
    if !blocked.iter().any(|pattern| !pattern.pattern.trim().is_empty()) {
        return None;
    }
    let lines: Vec<String> = cm_shell::read(text)
        .commands
        .iter()
        .filter(|command| !shows(&command.program))
        .map(cm_shell::Simple::line)
        .collect();
    let found = |pattern: &&BlockedPattern| {
        let wanted = pattern.pattern.trim();
        !wanted.is_empty() && lines.iter().any(|line| line.contains(wanted))
    };
    let pattern = blocked.iter().filter(found).min_by_key(|pattern| pattern.warns)?;
    let judgement = if pattern.warns { Judgement::Warn } else { Judgement::Block };
    let reason =
        format!("`{}` is a blocked pattern ({}): {}", pattern.pattern.trim(), pattern.name, pattern.reason);
    Some(Decision { judgement, reason, class: Some(Class::Blocked), incident: None })
}

/// Whether a program only shows or searches the text that it is given.
fn shows(program: &str) -> bool {
    matches!(program, "echo" | "printf" | "grep" | "rg" | "ag" | "cat" | "man" | "tldr")
}
