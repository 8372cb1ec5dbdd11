//! Completion of arguments: ids of notes, categories, types.

use rmcp::ErrorData;
use rmcp::model::{ArgumentInfo, CompleteResult, CompletionInfo, Reference};

use super::{failure, prompts, resources};
use crate::operations::CompletionKind;

/// The kind of values for an argument; `None` if it takes arbitrary text.
///
/// # Errors
/// The prompt, template or argument does not exist.
pub(super) fn wanted(
    reference: &Reference,
    argument: &ArgumentInfo,
) -> Result<Option<CompletionKind>, ErrorData> {
    match reference {
        Reference::Prompt(prompt) => prompts::suggest(prompts::find(&prompt.name)?, &argument.name),
        Reference::Resource(template) => {
            let templates = resources::templates().resource_templates;
            if templates.iter().all(|listed| listed.uri_template != template.uri) {
                let message = format!("unknown resource template {:?}", template.uri);
                return Err(failure::of_params(message, "the only template is cm://note/{id}"));
            }
            match argument.name.as_str() {
                "id" => Ok(Some(CompletionKind::Id)),
                other => Err(failure::of_params(
                    format!("the template has no argument {other:?}"),
                    "its argument is id",
                )),
            }
        }
        _ => Err(failure::of_params(
            "completion is not supported for this reference",
            "use a ref/prompt or ref/resource",
        )),
    }
}

/// The completion result, truncated to the protocol's maximum.
pub(super) fn result(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    let mut completion = CompletionInfo::default();
    completion.values = values;
    completion.has_more = Some(has_more);
    completion.total = (!has_more).then(|| u32::try_from(total).ok()).flatten();
    CompleteResult::new(completion)
}
