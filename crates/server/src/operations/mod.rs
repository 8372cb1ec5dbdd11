//! The one table of operations as agents and programs meet them: what each is called, takes and gives, and what runs it.
//!
//! The tools of MCP, the endpoints of HTTP and the OpenAPI document are made from it. An operation parses what it is
//! given, calls the same function as the command of its name, and answers with the same JSON; it holds no rule of the
//! product.

mod add;
mod append;
mod caller;
mod context;
mod core;
mod episode;
mod export;
mod feedback;
mod get;
mod input;
mod observe;
mod offer;
mod outcome;
mod output;
mod progress;
mod recent;
mod reflect;
mod relate;
mod related;
mod resources;
mod search;
mod sessions;
mod suggest;
mod update;
mod validate_rule;

use serde_json::Value;

pub use caller::Caller;
pub use offer::{Contents, Found, Offer, Resource, Suggest};

use cm_app::{Memory, Result};
pub use cm_note::token::Role;

/// An operation.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its name, such as `memory_search`.
    pub name: &'static str,
    /// Names of earlier tools that still work and are not listed.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// What it does and when to use it, in a sentence or two; agents pay for every word.
    pub description: &'static str,
    /// What it does to the vault.
    pub effect: Effect,
    /// The same call again changes nothing more.
    pub idempotent: bool,
    /// Whether agents have it as a tool.
    pub tool: bool,
    /// Its answer as a tool is text to be read, without structured content: a client that gets both gives the model the
    /// JSON, which is several times as long.
    pub prose: bool,
    /// Where HTTP has it; `None` for tools alone.
    pub endpoint: Option<Endpoint>,
    /// What HTTP and earlier tools call some of its fields, beside the field's own name; both are taken.
    pub also: &'static [(&'static str, &'static str)],
    /// What it may be given, as JSON; refusals show it.
    pub example: &'static str,
    /// The JSON Schema of what it takes: an object.
    pub input: fn() -> Value,
    /// The JSON Schema of what it gives: an object, of which only the first level is described.
    pub output: fn() -> Value,
    /// Runs it. What it is given was not checked by the schema: it parses, and refuses what it cannot.
    pub run: fn(&Memory, Value) -> Result<Answer>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// As data: the same JSON that the command line prints with `--json`.
    pub json: Value,
    /// As text for a reader, short, with what there is to hear besides.
    pub text: String,
}

/// What an operation does to the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Adds, and takes nothing away.
    Adds,
    /// Changes what is there.
    Changes,
}

impl Effect {
    /// The least role that may ask for it.
    pub fn role(self) -> Role {
        match self {
            Self::Reads => Role::Reader,
            Self::Adds | Self::Changes => Role::Writer,
        }
    }
}

/// Where HTTP has an operation.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    /// `GET` (input from the query) or `POST` (input from the JSON body).
    pub method: Method,
    /// Its path, such as `/search`.
    pub path: &'static str,
    /// The status where it is done: 200, or 201 where something was made.
    pub done: u16,
    /// The JSON Schema of what it gives, whole.
    pub gives: fn() -> Value,
}

/// How it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// With a query.
    Get,
    /// With a body of JSON.
    Post,
}

/// All that agents are offered.
pub static OFFER: Offer = Offer {
    operations: TABLE,
    resources: &resources::RESOURCES,
    note: resources::note,
    recent: resources::recent,
    suggest: suggest::suggest,
};

/// All of them, in the order in which tools are listed.
pub static TABLE: &[Operation] = &[
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
    reflect::OPERATION,
    observe::OPERATION,
    sessions::OPERATION,
    export::OPERATION,
];

/// Those that agents have as tools.
pub fn tools() -> impl Iterator<Item = &'static Operation> {
    TABLE.iter().filter(|operation| operation.tool)
}

/// Those that HTTP has, with where.
pub fn endpoints() -> impl Iterator<Item = (&'static Operation, Endpoint)> {
    TABLE.iter().filter_map(|operation| Some((operation, operation.endpoint?)))
}

/// The tool of that name, or the one that had it earlier.
pub fn tool(name: &str) -> Option<&'static Operation> {
    tools()
        .find(|operation| operation.name == name)
        .or_else(|| tools().find(|operation| operation.aliases.contains(&name)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a client pays for the list of tools, in bytes of JSON.
    const MOST: usize = 10 * 1024;

    /// A tool as it is listed, its annotations as MCP names them.
    fn listed(operation: &Operation) -> Value {
        let mut hints = serde_json::json!({ "readOnlyHint": operation.effect == Effect::Reads });
        if operation.effect != Effect::Reads {
            hints["destructiveHint"] = (operation.effect == Effect::Changes).into();
            hints["idempotentHint"] = operation.idempotent.into();
        }
        hints["openWorldHint"] = false.into();
        serde_json::json!({
            "name": operation.name, "title": operation.title, "description": operation.description,
            "inputSchema": (operation.input)(), "outputSchema": (operation.output)(),
            "annotations": hints,
        })
    }

    #[test]
    fn the_list_of_tools_costs_an_agent_little() {
        let list: Vec<Value> = tools().map(listed).collect();
        let sizes: Vec<String> =
            list.iter().map(|tool| format!("{} {}", tool["name"], tool.to_string().len())).collect();
        let size = serde_json::json!({ "tools": list }).to_string().len();
        assert!(size <= MOST, "{size} bytes\n{}", sizes.join("\n"));
    }

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
                "memory_episode"
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
