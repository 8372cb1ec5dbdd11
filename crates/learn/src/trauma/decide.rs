//! Decides whether a command may run, by its most severe danger and by past incidents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path_class::PathContext;
use super::{Danger, DangerClass, DangerSeverity, dangers, shape};
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuardVerdict {
    /// The command has no known danger.
    Allow,
    /// May run, but a person should confirm it.
    Warn,
    /// Must not run.
    Block,
}

/// Verdict on a command before it runs, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardDecision {
    pub judgement: GuardVerdict,
    /// Reason, as a sentence without a final period; empty if the command is allowed.
    pub reason: String,
    /// Class of the danger; `None` if the command is allowed.
    pub class: Option<DangerClass>,
    /// Past incident with the same class of danger, command and kind of path, if there is one.
    pub incident: Option<PastIncident>,
    /// Command with the same purpose that is allowed; `None` if none is known.
    pub instead: Option<String>,
}

/// A past incident with a destructive command, as recorded in an anti-pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastIncident {
    /// Id of the bullet that records it.
    pub bullet: String,
    pub class: DangerClass,
    /// Normalized command, in the format of `Danger::shape`.
    pub shape: String,
    /// Session in which it happened; empty if unknown.
    pub session: String,
    /// Day, such as `2026-11-01`; empty if unknown.
    pub date: String,
    /// All sessions that the bullet cites, including those where it happened again.
    #[serde(skip)]
    pub sessions: Vec<String>,
}

impl PastIncident {
    /// Returns the incident that a bullet records; `None` if the bullet is not about an incident.
    /// The bullet does not have to be active.
    #[must_use]
    pub fn of(bullet: &Bullet) -> Option<Self> {
        let incident = bullet.fields.incident.as_ref()?;
        Some(Self {
            bullet: bullet.id.to_string(),
            class: DangerClass::of(&incident.class)?,
            shape: incident.shape.clone(),
            session: incident.session.clone().unwrap_or_default(),
            date: incident.date.clone().or_else(|| bullet.created.map(|at| at.day())).unwrap_or_default(),
            sessions: bullet.fields.sources.iter().map(|source| source.session.clone()).collect(),
        })
    }

    /// Returns `true` if this incident occurred in the session with this id.
    #[must_use]
    pub fn happened_in(&self, session: &str) -> bool {
        self.session == session || self.sessions.iter().any(|other| other == session)
    }

    /// Returns `true` if a danger has the same class, command and kind of path as the incident;
    /// flags are ignored.
    fn is_like(&self, danger: &Danger) -> bool {
        self.class == danger.class && shape::without_flags(&self.shape) == shape::without_flags(&danger.shape)
    }
}

/// A command pattern that the vault blocks or warns about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedPattern {
    /// Id of the note that blocks the pattern.
    pub name: String,
    /// Substring that a command must not contain.
    pub pattern: String,
    /// Whether the pattern is only deprecated, so that it causes a warning instead of a block.
    pub warns: bool,
    /// Why the pattern is blocked and, if the note says so, what to use instead.
    pub reason: String,
}

impl BlockedPattern {
    /// Returns the command pattern of a blocked note; `None` if the note blocks a rule instead of a
    /// command.
    #[must_use]
    pub fn of(blocked: &BlockedNote) -> Option<Self> {
        let fields = &blocked.fields;
        let pattern = fields.pattern.clone().filter(|pattern| !pattern.trim().is_empty())?;
        let instead = fields.replacement.as_deref().map(|instead| format!("use {instead} instead"));
        let reasons: Vec<String> = fields.reason.clone().into_iter().chain(instead).collect();
        let reason = if reasons.is_empty() { "no reason given".to_owned() } else { reasons.join("; ") };
        let warns = blocked.kind == BlockKind::Deprecated;
        Some(Self { name: blocked.id.to_string(), pattern, warns, reason })
    }
}

/// Decides whether a command line may run. `incidents` are past incidents that a person confirmed.
#[must_use]
pub fn decide(
    text: &str,
    path_context: &PathContext<'_>,
    incidents: &[PastIncident],
    blocked: &[BlockedPattern],
) -> GuardDecision {
    let own = blocked_pattern(text, blocked);
    let found = dangers(text, path_context)
        .into_iter()
        .map(|danger| decide_danger(danger, path_context, incidents, blocked));
    most_severe(own.into_iter().chain(found))
}

/// Decides whether a command with these dangers may run. `incidents` are past incidents that a
/// person confirmed.
pub(super) fn judge(
    dangers: impl Iterator<Item = Danger>,
    path_context: &PathContext<'_>,
    incidents: &[PastIncident],
) -> GuardDecision {
    most_severe(dangers.map(|danger| decide_danger(danger, path_context, incidents, &[])))
}

/// Returns the most severe decision, the first on ties; allows the command if the list is empty.
fn most_severe(decisions: impl Iterator<Item = GuardDecision>) -> GuardDecision {
    let gravest = decisions.fold(None::<GuardDecision>, |best, next| match best {
        Some(best) if best.judgement >= next.judgement => Some(best),
        _ => Some(next),
    });
    gravest.unwrap_or(GuardDecision {
        judgement: GuardVerdict::Allow,
        reason: String::new(),
        class: None,
        incident: None,
        instead: None,
    })
}

fn decide_danger(
    danger: Danger,
    path_context: &PathContext<'_>,
    incidents: &[PastIncident],
    blocked: &[BlockedPattern],
) -> GuardDecision {
    let past = incidents.iter().rfind(|incident| incident.is_like(&danger)).cloned();
    let judgement = match (danger.severity, &past) {
        (DangerSeverity::Warn, None) => GuardVerdict::Warn,
        _ => GuardVerdict::Block,
    };
    let is_safe =
        |form: &String| dangers(form, path_context).is_empty() && blocked_pattern(form, blocked).is_none();
    let instead = danger.instead.filter(is_safe);
    let mut reason = format!("this {}", danger.reason);
    if let Some(past) = &past {
        reason +=
            &format!("; it went wrong before on {} (session {}, {})", past.date, past.session, past.bullet);
        if let Some(instead) = &instead {
            reason += &format!("; use `{instead}` instead");
        }
    }
    GuardDecision { judgement, reason, class: Some(danger.class), incident: past, instead }
}

/// Returns the decision on a command that contains a blocked pattern, if it does. Commands that
/// only display or search text are ignored.
fn blocked_pattern(text: &str, blocked: &[BlockedPattern]) -> Option<GuardDecision> {
    if !blocked.iter().any(|pattern| !pattern.pattern.trim().is_empty()) {
        return None;
    }
    let lines: Vec<String> = cm_shell::read(text)
        .commands
        .iter()
        .filter(|command| !only_displays(&command.program))
        .map(cm_shell::SimpleCommand::line)
        .collect();
    let found = |pattern: &&BlockedPattern| {
        let wanted = pattern.pattern.trim();
        !wanted.is_empty() && lines.iter().any(|line| contains_pattern(line, wanted))
    };
    let pattern = blocked.iter().filter(found).min_by_key(|pattern| pattern.warns)?;
    let judgement = if pattern.warns { GuardVerdict::Warn } else { GuardVerdict::Block };
    let reason =
        format!("`{}` is a blocked pattern ({}): {}", pattern.pattern.trim(), pattern.name, pattern.reason);
    Some(GuardDecision {
        judgement,
        reason,
        class: Some(DangerClass::Blocked),
        incident: None,
        instead: None,
    })
}

/// Returns `true` if a command line contains a blocked pattern. A long flag at its end is a whole
/// flag: `--force` does not block its safe form `--force-with-lease`.
fn contains_pattern(line: &str, pattern: &str) -> bool {
    let is_flag = pattern.rsplit(char::is_whitespace).next().is_some_and(|last| last.starts_with("--"));
    line.match_indices(pattern).any(|(at, _)| {
        let rest = &line[at + pattern.len()..];
        !(is_flag && rest.starts_with(|next: char| next == '-' || next.is_alphanumeric()))
    })
}

/// Returns `true` if a program only displays or searches the text in its arguments.
fn only_displays(program: &str) -> bool {
    matches!(program, "echo" | "printf" | "grep" | "rg" | "ag" | "cat" | "man" | "tldr")
}
