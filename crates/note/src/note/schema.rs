//! The frontmatter of each kind of note as it is written: the source of the JSON Schemas under `schema/`.
//!
//! Nothing is read through these types; reading is lenient, and this is what a writer should aim for.

#![allow(dead_code, reason = "the fields are read by the schema's derive only")]

use schemars::{JsonSchema, Schema, schema_for};

use crate::note::{Kind, Priority, Signal};

/// The JSON Schema (2020-12) of a kind's frontmatter; `None` for a kind without rules.
///
/// ```
/// use cm_note::note::{Kind, schema::schema};
/// assert!(schema(Kind::Memory).is_some_and(|schema| schema.get("required").is_some()));
/// ```
pub fn schema(kind: Kind) -> Option<Schema> {
    match kind {
        Kind::Memory => Some(schema_for!(Memory)),
        Kind::Edge => Some(schema_for!(Edge)),
        Kind::Bullet => Some(schema_for!(Bullet)),
        Kind::Blocked => Some(schema_for!(Blocked)),
        Kind::Episode => Some(schema_for!(Episode)),
        Kind::Diary => Some(schema_for!(Diary)),
        Kind::Stash | Kind::Plain => None,
    }
}

/// A number from 0 to 1.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Fraction(#[schemars(range(min = 0.0, max = 1.0))] f64);

/// RFC 3339, such as 2026-11-01T09:30:00Z, or a day alone.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Date(#[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}([T ].+)?$"))] String);

/// The identity of a note: a UUID, or what another tool wrote in its place.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Id(#[schemars(length(min = 1, max = 200))] String);

/// A memory: `graph/<folder>/`, `vault/`.
#[derive(JsonSchema)]
#[schemars(title = "Memory")]
struct Memory {
    /// The note's identity, a UUID; the file may be renamed and moved.
    id: Id,
    /// A built-in type (procedure, decision, insight, solution, code_pattern, configuration, preference, fact, fix,
    /// workflow, observation, problem, error, general) or one that cm.toml declares.
    r#type: String,
    /// What the note says, in a line.
    #[schemars(length(min = 1))]
    title: String,
    /// Other names that a wikilink may use.
    aliases: Option<Vec<String>>,
    /// Without `#`, written inline.
    tags: Option<Vec<String>>,
    /// How much it matters.
    importance: Fraction,
    /// How sure it is; 0.8 where nothing is written.
    confidence: Option<Fraction>,
    /// When it was first written.
    created: Date,
    /// When it was last changed.
    updated: Date,
    /// Typed edges to and from other notes.
    relations: Option<Vec<Relation>>,
    /// The steps of a procedure, in order.
    steps: Option<Vec<String>>,
    /// What must hold before a procedure begins.
    preconditions: Option<Vec<String>>,
    /// What holds after a procedure.
    postconditions: Option<Vec<String>>,
    /// convention, gotcha, debugging, architecture, workflow, or free.
    category: Option<String>,
    /// How fast an observation fades.
    priority: Option<Priority>,
    /// Never fades, as if it lay in `vault/`.
    pinned: Option<bool>,
    /// Who saw it.
    author: Option<String>,
    /// Through which agent.
    agent: Option<String>,
    /// In which session.
    session: Option<String>,
    /// In which project.
    workspace: Option<String>,
    /// The reflections that absorbed it.
    condensed_into: Option<Vec<Id>>,
    /// When somebody last confirmed that it still holds.
    last_checked: Option<Date>,
    /// Who found it helpful or harmful, and when.
    feedback: Option<Vec<Feedback>>,
}

/// A typed edge to or from another note.
#[derive(JsonSchema)]
struct Relation {
    /// The other note's id.
    target: Id,
    /// SOLVES, CAUSES, BUILDS_ON, ALTERNATIVE_TO, REQUIRES, FOLLOWS, RELATED_TO, EXTENDS, CONTRADICTS, GROUNDS,
    /// EXEMPLIFIES, SUPERSEDES, DERIVED_FROM, or one that cm.toml declares.
    r#type: String,
    /// Whether it leads from this note or to it; outgoing where nothing is written.
    direction: Option<Direction>,
    /// How strong it is; 1 where nothing is written.
    strength: Option<Fraction>,
    /// Why the two are related.
    context: Option<String>,
    /// The edge file that holds the same edge.
    edge_id: Option<Id>,
}

/// Which way a relation leads.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Direction {
    /// From this note to the target.
    Outgoing,
    /// From the target to this note.
    Incoming,
}

/// One word of feedback.
#[derive(JsonSchema)]
struct Feedback {
    /// When it was given.
    at: Date,
    /// What it says.
    signal: Signal,
    /// 1 for an explicit word, a fraction for an inferred one.
    #[schemars(range(min = 0.0))]
    weight: Option<f64>,
    /// In which session.
    session: Option<String>,
    /// Through which agent.
    agent: Option<String>,
    /// Who gave it.
    author: Option<String>,
    /// Why it did harm: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated, other.
    reason: Option<String>,
    /// Anything else about it.
    note: Option<String>,
}

/// A typed edge with a file of its own: `graph/edges/`. The body says why the two are related.
#[derive(JsonSchema)]
#[schemars(title = "Edge")]
struct Edge {
    /// The edge's identity, a UUID.
    id: Id,
    /// SOLVES, CAUSES, BUILDS_ON, ALTERNATIVE_TO, REQUIRES, FOLLOWS, RELATED_TO, EXTENDS, CONTRADICTS, GROUNDS,
    /// EXEMPLIFIES, SUPERSEDES, DERIVED_FROM, or one that cm.toml declares.
    r#type: String,
    /// The note that it leads from.
    from_id: Id,
    /// That note's title when the edge was written.
    from_title: Option<String>,
    /// The note that it leads to.
    to_id: Id,
    /// That note's title when the edge was written.
    to_title: Option<String>,
    /// How strong it is; 1 where nothing is written.
    strength: Option<Fraction>,
    /// When it was first written.
    created: Option<Date>,
    /// When it was last changed.
    updated: Option<Date>,
}

/// A rule or anti-pattern: `playbook/<category>/`. The body is the rule, 10 to 500 characters, one statement; a
/// `## Why` section may hold the reasoning.
#[derive(JsonSchema)]
#[schemars(title = "Bullet")]
struct Bullet {
    /// `b-{base-36 time}-{random}`.
    id: Id,
    /// rule where nothing is written.
    r#type: Option<BulletType>,
    /// stack_pattern where nothing is written.
    kind: Option<BulletKind>,
    /// The folder's name where nothing is written.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
    category: Option<String>,
    /// global where nothing is written.
    scope: Option<Scope>,
    /// The language, framework or task that the scope names.
    scope_key: Option<String>,
    /// The project that it holds for.
    workspace: Option<String>,
    /// draft where nothing is written.
    state: Option<State>,
    /// candidate where nothing is written.
    maturity: Option<Maturity>,
    /// Never deprecated by its score.
    pinned: Option<bool>,
    /// Why it is pinned.
    pinned_reason: Option<String>,
    /// In how many days feedback counts half; 90 where nothing is written.
    #[schemars(extend("exclusiveMinimum" = 0))]
    half_life_days: Option<f64>,
    /// Without `#`, written inline.
    tags: Option<Vec<String>>,
    /// Who found it helpful or harmful, and when.
    feedback: Option<Vec<Feedback>>,
    /// The sessions that it comes from.
    sources: Option<Vec<Source>>,
    /// What it was made from.
    derived_from: Option<DerivedFrom>,
    /// A query that finds the details.
    search_pointer: Option<String>,
    /// How to see whether it is kept.
    verify: Option<Verify>,
    /// The destructive command that it was made from; `cm guard` compares commands with it.
    incident: Option<Incident>,
    /// The bullet that it replaces.
    supersedes: Option<Id>,
    /// The bullet that replaces it.
    replaced_by: Option<Id>,
    /// Why it is deprecated.
    deprecation_reason: Option<String>,
    /// When it was first written.
    created: Option<Date>,
    /// When it was last changed.
    updated: Option<Date>,
    /// When its maturity last rose.
    promoted_at: Option<Date>,
    /// When evidence for it was last looked for.
    last_validated_at: Option<Date>,
}

/// What a bullet says.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum BulletType {
    /// What to do.
    Rule,
    /// What to avoid.
    AntiPattern,
}

/// What a bullet is about.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum BulletKind {
    /// A convention of one project.
    ProjectConvention,
    /// A pattern of a language, framework or tool.
    StackPattern,
    /// A rule of how people and agents work.
    WorkflowRule,
    /// Something to avoid.
    AntiPattern,
}

/// How far a bullet reaches.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Scope {
    /// Everywhere.
    Global,
    /// In one project.
    Workspace,
    /// In one language.
    Language,
    /// In one framework.
    Framework,
    /// In one kind of task.
    Task,
}

/// Whether a bullet is in use.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum State {
    /// Not shown to agents yet.
    Draft,
    /// In use.
    Active,
    /// No longer in use.
    Retired,
}

/// How well a bullet has proven itself.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Maturity {
    /// New.
    Candidate,
    /// Helped more than once.
    Established,
    /// Helped often and did hardly any harm.
    Proven,
    /// Did more harm than good.
    Deprecated,
}

/// A session that something comes from.
#[derive(JsonSchema)]
struct Source {
    /// The session's id.
    session: String,
    /// The agent whose session it was.
    agent: Option<String>,
    /// The line in the session's log, from 1.
    #[schemars(range(min = 1))]
    line: Option<u64>,
}

/// What a bullet was made from.
#[derive(JsonSchema)]
struct DerivedFrom {
    /// Ids of diaries.
    diaries: Option<Vec<Id>>,
    /// Quotes from sessions.
    evidence: Option<Vec<String>>,
}

/// How to see whether a bullet is kept.
#[derive(JsonSchema)]
struct Verify {
    /// What kind of look.
    kind: VerifyKind,
    /// The expression, path or query.
    pattern: String,
    /// Whether the pattern must occur or must not.
    mode: Option<VerifyMode>,
}

/// A destructive command that went wrong.
#[derive(JsonSchema)]
struct Incident {
    /// What was endangered: files, database, force-push, hard-reset, history, infrastructure, disk, permissions,
    /// remote-script, system, exfiltration, publishing, persistence or obscured.
    class: String,
    /// The command without what differs from case to case.
    shape: String,
    /// The session in which it happened.
    session: Option<String>,
    /// The day.
    date: Option<Date>,
}

/// What kind of look at the work tree.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum VerifyKind {
    /// A regular expression over the files' text.
    Regex,
    /// A path.
    FileExists,
    /// A query of the vault.
    Query,
}

/// Whether a pattern must occur.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum VerifyMode {
    /// It must.
    Exists,
    /// It must not.
    Absent,
}

/// A blocked pattern: `blocked/`. It has a `pattern` or a `content`.
#[derive(JsonSchema)]
#[schemars(title = "Blocked", extend("anyOf" = [{"required": ["pattern"]}, {"required": ["content"]}]))]
struct Blocked {
    /// The blocked pattern's identity.
    id: Id,
    /// Whether it is kept out or warned of.
    kind: BlockedKind,
    /// What to look for in a task or a text.
    pattern: Option<String>,
    /// The bullet's text that is kept out.
    content: Option<String>,
    /// The hash of that text.
    content_hash: Option<String>,
    /// Why it is blocked.
    reason: Option<String>,
    /// What to do in its place.
    replacement: Option<String>,
    /// The bullet that it was.
    source_bullet: Option<Id>,
    /// The anti-pattern that was made of it.
    inverted_to: Option<Id>,
    /// When it was blocked.
    created: Option<Date>,
}

/// How a pattern is blocked.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum BlockedKind {
    /// Equal and near-equal bullets are kept out for ever.
    Toxic,
    /// A warning is shown wherever the pattern occurs.
    Deprecated,
}

/// A day's log: `episodes/YYYY-MM-DD.md`.
#[derive(JsonSchema)]
#[schemars(title = "Episode")]
struct Episode {
    /// The day, such as 2026-11-01.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    date: String,
}

/// A summary of an agent's session: `diary/`.
#[derive(JsonSchema)]
#[schemars(title = "Diary")]
struct Diary {
    /// A hash of the session's path and content: the same session gives the same id.
    id: Id,
    /// The session's id.
    session: String,
    /// The agent whose session it was.
    agent: Option<String>,
    /// The project that it was about.
    workspace: Option<String>,
    /// When it began.
    started: Option<Date>,
    /// How long it took, in seconds.
    #[schemars(range(min = 0.0))]
    duration_s: Option<f64>,
    /// How it ended.
    status: Option<Status>,
    /// What somebody said of how it ended; it counts rather than `status`.
    outcome: Option<Outcome>,
    /// Without `#`, written inline.
    tags: Option<Vec<String>>,
    /// Words that find it again.
    search_anchors: Option<Vec<String>>,
    /// Sessions about the same.
    related_sessions: Option<Vec<RelatedSession>>,
}

/// How a session ended.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Status {
    /// It reached its goal.
    Success,
    /// It did not.
    Failure,
    /// In part.
    Mixed,
}

/// How somebody said that a session ended: a word, or the word with its circumstances.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(clippy::large_enum_variant, reason = "only its schema is used")]
enum Outcome {
    Word(Ended),
    Said {
        /// How it ended.
        status: Ended,
        /// When that was said.
        at: Option<Date>,
        /// The person who said it.
        author: Option<String>,
        /// The agent that said it.
        agent: Option<String>,
        /// Why.
        reason: Option<String>,
    },
}

/// What may be said of how a session ended.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Ended {
    /// It reached its goal.
    Success,
    /// It did not.
    Failure,
    /// Something was reached, and the end of it is open.
    Partial,
    /// Some of it speaks for it and some against.
    Mixed,
}

/// A session about the same.
#[derive(JsonSchema)]
struct RelatedSession {
    /// The session's id.
    session: String,
    /// The agent whose session it was.
    agent: Option<String>,
    /// How near it is.
    relevance: Option<Fraction>,
    /// Words of it.
    snippet: Option<String>,
}
