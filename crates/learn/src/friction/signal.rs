//! The signals of friction that a session can show: kinds, sources and occurrences.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::instant::Instant;
use cm_text::named_enum;

/// Originator of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalSource {
    User,
    /// The agent.
    Llm,
    /// A tool that the agent called.
    Tool,
    Session,
    /// The agent's program.
    System,
}

named_enum! {
    /// An event or pattern in a session that indicates friction.
    pub enum SignalKind {
        /// The user set the work aside with `/stash`.
        UserIntervention = "user_intervention",
        /// High friction at the end and no success.
        SessionAbandoned = "session_abandoned",
        /// The agent claimed success, but the next command failed.
        FalseSuccess = "false_success",
        /// Commands failed and none succeeded afterwards.
        NoResolution = "no_resolution",
        /// The third or later identical call of a tool.
        ToolLoop = "tool_loop",
        /// A short session that ends with a failure or an interruption.
        RapidExit = "rapid_exit",
        /// Two interruptions of the agent within a minute.
        InterruptCascade = "interrupt_cascade",
        /// The user swore.
        UserCurse = "user_curse",
        /// The user contradicted the agent; observed rules only.
        UserCorrection = "user_correction",
        /// The user interrupted the agent.
        RequestInterrupted = "request_interrupted",
        /// A command failed.
        ExitError = "exit_error",
        /// The user repeated a question.
        RepeatedQuestion = "repeated_question",
        /// A long gap between user messages.
        LongSilence = "long_silence",
        /// The user's message contains a negation; classic rules only.
        UserNegation = "user_negation",
        /// The agent's context was compacted.
        Compaction = "compaction",
        /// Calls that were cancelled because a parallel call failed.
        SiblingToolError = "sibling_tool_error",
        /// A command succeeded; counts towards momentum only.
        ExitSuccess = "exit_success",
        /// A stash, an abandoned session or a silence without a preceding reaction; observed rules
        /// only.
        Checkpoint = "checkpoint",
        /// A destructive command did harm; observed rules only.
        HarmDone = "harm_done",
    }
}

impl SignalKind {
    /// Description for reports.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::UserIntervention => "the user ended with /stash",
            Self::SessionAbandoned => "high friction at the end, no success",
            Self::FalseSuccess => "success was claimed, but the next command failed",
            Self::NoResolution => "commands failed and none succeeded afterwards",
            Self::ToolLoop => "the same call, three times or more",
            Self::RapidExit => "a short session that ended with a failure",
            Self::InterruptCascade => "two interruptions within a minute",
            Self::UserCurse => "the user swore",
            Self::UserCorrection => "the user corrected the agent",
            Self::RequestInterrupted => "the user interrupted the agent",
            Self::ExitError => "a command failed",
            Self::RepeatedQuestion => "the user repeated a request",
            Self::LongSilence => "the user was away for long",
            Self::UserNegation => "the user said no",
            Self::Compaction => "the context was compacted",
            Self::SiblingToolError => "parallel calls cancelled because one failed",
            Self::ExitSuccess => "a command succeeded",
            Self::Checkpoint => "a pause or end without any earlier reaction",
            Self::HarmDone => "a destructive command did harm",
        }
    }

    /// Originator of signals of this kind. A checkpoint's [`FrictionSignal::source`] is that of the
    /// original kind.
    pub fn source(self) -> SignalSource {
        match self {
            Self::UserIntervention
            | Self::InterruptCascade
            | Self::UserCurse
            | Self::UserCorrection
            | Self::RequestInterrupted
            | Self::RepeatedQuestion
            | Self::LongSilence
            | Self::UserNegation => SignalSource::User,
            Self::FalseSuccess | Self::ToolLoop | Self::HarmDone => SignalSource::Llm,
            Self::ExitError | Self::ExitSuccess => SignalSource::Tool,
            Self::SessionAbandoned | Self::NoResolution | Self::RapidExit | Self::Checkpoint => {
                SignalSource::Session
            }
            Self::Compaction | Self::SiblingToolError => SignalSource::System,
        }
    }
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One occurrence of friction in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionSignal {
    /// Time of the signal; for signals of the whole session, its end.
    pub at: Option<Instant>,
    pub kind: SignalKind,
    pub source: SignalSource,
    /// Excerpt of the message that caused the signal, or counts.
    pub details: String,
    /// Additional fields, set only for some kinds of signals.
    pub more: SignalDetails,
    /// Index of the record that caused the signal; `None` for signals about the whole session.
    pub record: Option<usize>,
}

impl FrictionSignal {
    /// Creates a signal with the usual source of its kind and without additional fields.
    pub fn new(
        kind: SignalKind,
        at: Option<Instant>,
        record: Option<usize>,
        details: impl Into<String>,
    ) -> Self {
        Self {
            at,
            kind,
            source: kind.source(),
            details: details.into(),
            more: SignalDetails::default(),
            record,
        }
    }

    /// Sets the additional fields.
    pub fn with(mut self, more: SignalDetails) -> Self {
        self.more = more;
        self
    }
}

/// Fields that only some kinds of signals have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct SignalDetails {
    /// Length of a silence in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_minutes: Option<f64>,
    /// Tool that was called repeatedly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Number of identical calls so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_count: Option<u32>,
    /// Seconds between two interruptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_seconds: Option<f64>,
    /// Number of calls that were cancelled together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<u32>,
    /// Tools of the cancelled calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_affected: Option<Vec<String>>,
    /// Original kind of a signal that became a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gated_from: Option<SignalKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_written_by_its_name() {
        for kind in SignalKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }
}
