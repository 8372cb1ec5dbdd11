//! The table of operations for agents and programs: name, input, output and implementation of each.
//!
//! MCP tools, HTTP endpoints and the OpenAPI document are generated from it. An operation parses
//! its input, calls the same function as the CLI command, and returns the same JSON.

mod add;
mod append;
mod caller;
mod catalog;
mod completion;
mod context;
mod core;
mod episode;
mod export;
mod feedback;
mod get;
mod handoff;
mod input;
mod observe;
mod outcome;
mod output;
mod progress;
mod propose;
mod recent;
mod reflect;
mod relate;
mod related;
mod resources;
mod search;
mod sessions;
mod update;
mod validate_rule;
mod wording;

use serde_json::Value;

pub use caller::Caller;
pub use catalog::{Catalog, CompletionKind, Contents, ListedNote, Resource};
pub(crate) use input::{in_snake_case, whole_number};

use cm_app::{Context, Result};
pub use cm_note::token::AccessRole;
pub use wording::{reword_result, worded};

/// An operation that agents can call as a tool, or programs over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct OperationSpec {
    /// Name, such as `memory_search`.
    pub name: &'static str,
    /// Names from earlier tools, which are accepted but not listed.
    pub aliases: &'static [&'static str],
    /// Display name.
    pub title: &'static str,
    /// Description for agents, one or two sentences; its length costs tokens in every session.
    pub description: &'static str,
    /// Effect on the vault.
    pub effect: Effect,
    /// Whether a repeated call has no further effect.
    pub idempotent: bool,
    /// Whether it is an MCP tool.
    pub tool: bool,
    /// Whether the tool result is text only. With structured content as well, clients pass the JSON
    /// to the model, which is several times longer.
    pub text_only: bool,
    /// HTTP endpoint; `None` for tools without one.
    pub endpoint: Option<Endpoint>,
    /// Aliases of input fields, as (alias, field), used by HTTP and earlier tools; both names are
    /// accepted.
    pub field_aliases: &'static [(&'static str, &'static str)],
    /// Example input as JSON, shown in error messages.
    pub example: &'static str,
    /// JSON Schema of the input object.
    pub input: fn() -> Value,
    /// Runs the operation. The input is unchecked; it is parsed here.
    pub run: fn(&Context, Value) -> Result<OperationResult>,
}

impl OperationSpec {
    /// A tool for agents without aliases and endpoint, whose result is both text and structured content.
    pub(crate) const fn tool(
        name: &'static str,
        input: fn() -> Value,
        run: fn(&Context, Value) -> Result<OperationResult>,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            title: "",
            description: "",
            effect: Effect::Changes,
            idempotent: false,
            tool: true,
            text_only: false,
            endpoint: None,
            field_aliases: &[],
            example: "",
            input,
            run,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct OperationResult {
    /// Structured result, equal to the output of the command with `--json`.
    pub json: Value,
    /// Short text for display, with notices appended.
    pub text: String,
}

/// Effect of an operation on the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Only reads.
    Reads,
    /// Only adds.
    Adds,
    /// Changes or removes existing data.
    Changes,
}

impl Effect {
    /// Minimum role for operations with this effect.
    pub fn role(self) -> AccessRole {
        match self {
            Self::Reads => AccessRole::Reader,
            Self::Adds | Self::Changes => AccessRole::Writer,
        }
    }
}

/// The HTTP endpoint of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    /// `GET` (input from the query string), `POST` (input from the JSON body), or both, the first of which
    /// is named in texts.
    pub methods: &'static [Method],
    /// Path, such as `/search`.
    pub path: &'static str,
    /// Status code on success: 200, or 201 if something was created.
    pub success_status: u16,
    /// Complete JSON Schema of the response.
    pub response_schema: fn() -> Value,
}

/// HTTP method of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Input from the query string.
    Get,
    /// Input from the JSON body.
    Post,
}

/// All operations, resources and completions for agents.
pub static CATALOG: Catalog = Catalog {
    operations: TABLE,
    resources: &resources::RESOURCES,
    note: resources::note,
    recent: resources::recent,
    complete: completion::complete,
};

/// All operations, in the order in which tools are listed.
pub static TABLE: &[OperationSpec] = &[
    context::OPERATION,
    search::OPERATION,
    get::OPERATION,
    add::OPERATION,
    append::OPERATION,
    update::OPERATION,
    relate::OPERATION,
    related::OPERATION,
    feedback::OPERATION,
    outcome::OPERATION,
    recent::OPERATION,
    core::OPERATION,
    validate_rule::OPERATION,
    episode::OPERATION,
    propose::OPERATION,
    handoff::OPERATION,
    reflect::OPERATION,
    observe::OPERATION,
    sessions::OPERATION,
    export::OPERATION,
];

/// The operations that are MCP tools.
pub fn tools() -> impl Iterator<Item = &'static OperationSpec> {
    TABLE.iter().filter(|operation| operation.tool)
}

/// The operations with an HTTP endpoint.
pub fn endpoints() -> impl Iterator<Item = (&'static OperationSpec, Endpoint)> {
    TABLE.iter().filter_map(|operation| Some((operation, operation.endpoint?)))
}

/// The tool with this name or alias.
pub fn tool(name: &str) -> Option<&'static OperationSpec> {
    tools()
        .find(|operation| operation.name == name)
        .or_else(|| tools().find(|operation| operation.aliases.contains(&name)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_endpoints_are_told_once() {
        let names: Vec<&str> =
            TABLE.iter().flat_map(|one| [one.name].into_iter().chain(one.aliases.iter().copied())).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let paths: Vec<&str> = endpoints().map(|(_, endpoint)| endpoint.path).collect();
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len());
        assert_eq!(tool("cm_mark").map(|found| found.name), Some("memory_feedback"));
        assert!(tool("export").is_none(), "what is no tool is none by name either");
    }

    #[test]
    fn tools_that_only_add_are_not_listed_as_destructive() {
        let adding: Vec<&str> =
            tools().filter(|tool| tool.effect == Effect::Adds).map(|tool| tool.name).collect();
        assert_eq!(
            adding,
            [
                "memory_add",
                "memory_append",
                "memory_relate",
                "memory_feedback",
                "memory_outcome",
                "memory_episode",
                "memory_propose"
            ]
        );
    }

    #[test]
    fn every_example_fits_its_schema() {
        for operation in TABLE {
            let example: Value = serde_json::from_str(operation.example).unwrap();
            for schema in [(operation.input)(), operation.endpoint_input()] {
                let validator = jsonschema::draft202012::new(&schema).unwrap();
                let renamed = operation.named_as_http(example.clone());
                assert!(
                    validator.is_valid(&example) || validator.is_valid(&renamed),
                    "{}: {schema}",
                    operation.name
                );
            }
        }
    }
}
