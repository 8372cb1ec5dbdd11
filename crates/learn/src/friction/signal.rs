//! The signs of friction that a session can show: what they are called, who shows them, and where one was seen.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::instant::Instant;

/// Who shows a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The person.
    User,
    /// The agent.
    Llm,
    /// A tool that the agent called.
    Tool,
    /// The session as a whole.
    Session,
    /// The agent's program.
    System,
}

/// What a sign is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The person put the work aside with `/stash`.
    UserIntervention,
    /// Much friction at the end, and nothing that succeeded.
    SessionAbandoned,
    /// The agent claimed success, and the next command failed.
    FalseSuccess,
    /// Commands failed, and none succeeded.
    NoResolution,
    /// The same call of the same tool for the third time or more.
    ToolLoop,
    /// A short session that ends with a failure or an interruption.
    RapidExit,
    /// Two interruptions within a minute.
    InterruptCascade,
    /// The person swore.
    UserCurse,
    /// The person contradicted what the agent did; only among the observed signs.
    UserCorrection,
    /// The person stopped the agent.
    RequestInterrupted,
    /// A command failed.
    ExitError,
    /// The person asked the same again.
    RepeatedQuestion,
    /// The person was away for long.
    LongSilence,
    /// The person said no; only among the classic signs.
    UserNegation,
    /// The agent's context was summed up.
    Compaction,
    /// Calls that were dropped because one beside them failed.
    SiblingToolError,
    /// A command succeeded; counts towards momentum only.
    ExitSuccess,
    /// A stash, an end or a silence that nothing unpleasant came before; only among the observed signs.
    Checkpoint,
}

impl Kind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Self; 18] = [
        Self::UserIntervention,
        Self::SessionAbandoned,
        Self::FalseSuccess,
        Self::NoResolution,
        Self::ToolLoop,
        Self::RapidExit,
        Self::InterruptCascade,
        Self::UserCurse,
        Self::UserCorrection,
        Self::RequestInterrupted,
        Self::ExitError,
        Self::RepeatedQuestion,
        Self::LongSilence,
        Self::UserNegation,
        Self::Compaction,
        Self::SiblingToolError,
        Self::ExitSuccess,
        Self::Checkpoint,
    ];

    /// The name in JSON, such as `user_curse`.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserIntervention => "user_intervention",
            Self::SessionAbandoned => "session_abandoned",
            Self::FalseSuccess => "false_success",
            Self::NoResolution => "no_resolution",
            Self::ToolLoop => "tool_loop",
            Self::RapidExit => "rapid_exit",
            Self::InterruptCascade => "interrupt_cascade",
            Self::UserCurse => "user_curse",
            Self::UserCorrection => "user_correction",
            Self::RequestInterrupted => "request_interrupted",
            Self::ExitError => "exit_error",
            Self::RepeatedQuestion => "repeated_question",
            Self::LongSilence => "long_silence",
            Self::UserNegation => "user_negation",
            Self::Compaction => "compaction",
            Self::SiblingToolError => "sibling_tool_error",
            Self::ExitSuccess => "exit_success",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// What it tells, for reports.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::UserIntervention => "the person put the work aside with /stash",
            Self::SessionAbandoned => "much friction at the end, nothing succeeded",
            Self::FalseSuccess => "success was claimed, the next command failed",
            Self::NoResolution => "commands failed, none succeeded after",
            Self::ToolLoop => "the same call for the third time or more",
            Self::RapidExit => "a short session that ends with a failure",
            Self::InterruptCascade => "two interruptions within a minute",
            Self::UserCurse => "the person swore",
            Self::UserCorrection => "the person contradicted the agent",
            Self::RequestInterrupted => "the person stopped the agent",
            Self::ExitError => "a command failed",
            Self::RepeatedQuestion => "the person asked the same again",
            Self::LongSilence => "the person was away for long",
            Self::UserNegation => "the person said no",
            Self::Compaction => "the context was summed up",
            Self::SiblingToolError => "parallel calls dropped for the failure of one",
            Self::ExitSuccess => "a command succeeded",
            Self::Checkpoint => "a pause or an end without any reaction before it",
        }
    }

    /// Who shows it. A checkpoint keeps the source of what it was taken for.
    pub fn source(self) -> Source {
        match self {
            Self::UserIntervention
            | Self::InterruptCascade
            | Self::UserCurse
            | Self::UserCorrection
            | Self::RequestInterrupted
            | Self::RepeatedQuestion
            | Self::LongSilence
            | Self::UserNegation => Source::User,
            Self::FalseSuccess | Self::ToolLoop => Source::Llm,
            Self::ExitError | Self::ExitSuccess => Source::Tool,
            Self::SessionAbandoned | Self::NoResolution | Self::RapidExit | Self::Checkpoint => {
                Source::Session
            }
            Self::Compaction | Self::SiblingToolError => Source::System,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A sign that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// When; a session's own signs at its end.
    pub at: Option<Instant>,
    /// What it is.
    pub kind: Kind,
    /// Who showed it.
    pub source: Source,
    /// What was said, or counted.
    pub details: String,
    /// What some kinds tell besides.
    pub more: More,
    /// The record that shows it, by its position in the log; none where the whole session does.
    pub record: Option<usize>,
}

impl Signal {
    /// A sign of its kind's own source, and nothing besides.
    pub fn new(kind: Kind, at: Option<Instant>, record: Option<usize>, details: impl Into<String>) -> Self {
        Self { at, kind, source: kind.source(), details: details.into(), more: More::default(), record }
    }

    /// The same with what its kind tells besides.
    pub fn with(mut self, more: More) -> Self {
        self.more = more;
        self
    }
}

/// What some kinds of signs tell besides, each its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct More {
    /// How long a silence was, in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_minutes: Option<f64>,
    /// The tool that was called again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// For the how-many-eth time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_count: Option<u32>,
    /// How long there was between two interruptions, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_seconds: Option<f64>,
    /// How many calls were dropped together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<u32>,
    /// Of which tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_affected: Option<Vec<String>>,
    /// What a checkpoint was taken for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gated_from: Option<Kind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_written_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }
}
