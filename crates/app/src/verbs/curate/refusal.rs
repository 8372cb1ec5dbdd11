//! Refused deltas as errors.

use crate::error::{Error, ErrorKind, Result};
use cm_playbook::curation::report::{CurationReport, UnappliedCode};

/// Returns an error if a delta was refused.
pub(crate) fn check_refusals(report: &CurationReport) -> Result<()> {
    refusal(report).map_or(Ok(()), Err)
}

/// Converts the first refused delta to an error: a refusal, a usage error or not found.
fn refusal(report: &CurationReport) -> Option<Error> {
    let passed = report.refused.first()?;
    let id = passed.id.clone().unwrap_or_default();
    let reason = passed.reason.clone();
    let about = if id.is_empty() { reason.clone() } else { format!("{reason} ({id})") };
    let refused = |about: String| Error::refused(passed.code.name(), about);
    Some(match passed.code {
        UnappliedCode::NotARule => Error::usage(reason).hint(
            "for example `cm playbook add --category testing \"Run the whole suite before you push.\"`",
        ),
        UnappliedCode::BadCategory | UnappliedCode::BadWeight => Error::usage(reason),
        UnappliedCode::UnknownBullet => Error::not_found(about).hint("`cm playbook list` lists the rules"),
        UnappliedCode::Blocked => refused(about).hint(format!("`cm unforget {id}` removes the block")),
        UnappliedCode::Deprecated => refused(about).hint(format!("`cm history {id}` shows its history")),
        UnappliedCode::Pinned => refused(about).hint(format!("run `cm unpin {id}` yourself first")),
        UnappliedCode::Duplicate => {
            refused(about).hint(format!("`cm review --merge` merges the two; `cm get {id}` shows the other"))
        }
        UnappliedCode::Suspicious => refused(reason).hint("a person can add it as a draft"),
        UnappliedCode::Conflict => {
            refused(about).hint(format!("`cm why {id}` shows the evidence for the existing rule"))
        }
        UnappliedCode::EvidenceAgainst => refused(reason).hint("a person can still add it"),
        UnappliedCode::CannotEdit => refused(about).hint("`cm validate` shows the problem and the fix"),
        UnappliedCode::Ambiguous => {
            Error::new(ErrorKind::NotFound, passed.code.name(), about).hint("`cm validate` lists both files")
        }
        UnappliedCode::DuplicateElsewhere
        | UnappliedCode::EqualDelta
        | UnappliedCode::FeedbackRepeated
        | UnappliedCode::Merged
        | UnappliedCode::MixedTypes
        | UnappliedCode::NearDuplicate
        | UnappliedCode::NotPinned
        | UnappliedCode::PersonsOnly
        | UnappliedCode::TooFew
        | UnappliedCode::TooMany
        | UnappliedCode::TooManyTags
        | UnappliedCode::Unchanged
        | UnappliedCode::Unfounded => refused(about),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::actor::PERSONS_ONLY;
    use cm_playbook::curation::report::UnappliedDelta;

    #[test]
    fn the_error_for_a_refused_delta_has_its_code() {
        let error = |code: UnappliedCode| {
            let (op, reason) = ("add".to_owned(), "it has 51 tags".to_owned());
            let refused = vec![UnappliedDelta { delta: 1, op, id: None, code, reason, credited: false }];
            refusal(&CurationReport { refused, ..CurationReport::default() }).unwrap()
        };
        assert_eq!(error(UnappliedCode::TooManyTags).code, "too-many-tags");
        assert_eq!(error(UnappliedCode::PersonsOnly).code, PERSONS_ONLY);
        assert_eq!(error(UnappliedCode::UnknownBullet).kind, ErrorKind::NotFound);
    }
}
