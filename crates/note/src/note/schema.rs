//! Frontmatter of each kind of note as it should be written: the source of the JSON Schemas in
//! `schema/`.
//!
//! These types are not used for reading, which is more lenient.

#![allow(dead_code, reason = "the fields are read by the schema's derive only")]

use schemars::{JsonSchema, Schema, schema_for};

use crate::bullet::blocked::BlockKind;
use crate::bullet::{BulletKind, BulletState, BulletType, Maturity, Scope, VerifyKind, VerifyMode};
use crate::note::{FeedbackSignal, Note, NoteKind, Priority};

/// Returns the JSON Schema (2020-12) of a kind's frontmatter; `None` for a kind without rules.
///
/// ```
/// use cm_note::note::{NoteKind, schema::schema};
/// assert!(schema(NoteKind::Memory).is_some_and(|schema| schema.get("required").is_some()));
/// ```
pub fn schema(kind: NoteKind) -> Option<Schema> {
    let schema = match kind {
        NoteKind::Memory => schema_for!(Memory),
        NoteKind::Edge => schema_for!(Edge),
        NoteKind::Bullet => schema_for!(Bullet),
        NoteKind::Blocked => schema_for!(Blocked),
        NoteKind::Episode => schema_for!(Episode),
        NoteKind::Diary => schema_for!(Diary),
        NoteKind::Stash | NoteKind::Plain => return None,
    };
    Some(with_id(schema, kind.name()))
}

/// Names of the frontmatter keys of a kind, in the order in which they are written.
pub(super) fn property_names(kind: NoteKind) -> Vec<String> {
    let schema = schema(kind);
    let properties = schema.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

/// Adds the `$id` of a schema, `urn:cm:schema:NAME`. It is the same in every version and names no
/// server.
pub fn with_id(mut schema: Schema, name: &str) -> Schema {
    let id = format!("urn:cm:schema:{name}");
    let map = schema.ensure_object();
    let at = map.keys().position(|key| key == "$schema").map_or(0, |at| at + 1);
    map.shift_insert(at, "$id".to_owned(), id.into());
    schema
}

/// A number from 0 to 1.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Fraction(#[schemars(range(min = 0.0, max = 1.0))] f64);

/// RFC 3339, such as 2026-11-01T09:30:00Z, or a date alone.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Date(#[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}([T ].+)?$"))] String);

/// Id of a note: a UUID, or the id written by another tool.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Id(#[schemars(length(min = 1, max = 200))] String);

/// A memory: `graph/<folder>/`, `vault/`.
#[derive(JsonSchema)]
#[schemars(title = "Memory")]
struct Memory {
    /// Id of the note, a UUID. It stays the same when the file is renamed or moved.
    id: Id,
    /// A built-in type (procedure, decision, insight, solution, code_pattern, configuration,
    /// preference, fact, fix, workflow, observation, problem, error, general) or one declared in
    /// cm.toml.
    r#type: String,
    /// The note's statement in one line.
    #[schemars(length(min = 1))]
    title: String,
    /// Alternative names for wikilinks.
    aliases: Option<Vec<String>>,
    /// Tags without `#`, written inline.
    tags: Option<Vec<String>>,
    /// Importance of the note.
    importance: Fraction,
    /// Confidence in the note; default 0.8.
    confidence: Option<Fraction>,
    /// Date of creation.
    created: Date,
    /// Date of the last change.
    updated: Date,
    /// Typed edges to and from other notes.
    relations: Option<Vec<Relation>>,
    /// The steps of a procedure, in order.
    steps: Option<Vec<String>>,
    /// Conditions that must hold before a procedure begins.
    preconditions: Option<Vec<String>>,
    /// Conditions that hold after a procedure.
    postconditions: Option<Vec<String>>,
    /// convention, gotcha, debugging, architecture, workflow, or any other text.
    category: Option<String>,
    /// How fast an observation loses weight.
    priority: Option<Priority>,
    /// Never loses weight, as if it were in `vault/`.
    pinned: Option<bool>,
    /// Person who recorded it.
    author: Option<String>,
    /// Agent that recorded it.
    agent: Option<String>,
    /// Session in which it was recorded.
    session: Option<String>,
    /// Project in which it was recorded.
    workspace: Option<String>,
    /// Ids of the reflections that summarize the memory.
    condensed_into: Option<Vec<Id>>,
    /// Date on which a person last confirmed it.
    last_checked: Option<Date>,
    /// Helpful and harmful feedback.
    feedback: Option<Vec<Feedback>>,
    /// `draft` or `unverified` until a person confirms the note, `retired` if it is no longer used;
    /// absent if it is in use.
    #[schemars(extend("examples" = [Note::DRAFT, Note::UNVERIFIED, Note::RETIRED]))]
    state: Option<String>,
    /// Level of confidence of an observation, based on its feedback.
    maturity: Option<Maturity>,
    /// Versions of parts of the note that a merge did not take.
    merge: Option<Vec<Leftover>>,
}

/// A version of one part of the note that a merge did not take. `cm review` shows and removes it.
#[derive(JsonSchema)]
struct Leftover {
    /// Name of the frontmatter key that has two values.
    key: Option<String>,
    /// Text of the body that has another version.
    paragraph: Option<String>,
    /// Path of the file on the other side, which deleted or renamed it.
    file: Option<String>,
    /// The other version; absent if the other side removed it.
    value: Option<serde_json::Value>,
    /// `updated` of the note on the other side.
    updated: Option<Date>,
    /// Author of the note on the other side.
    author: Option<String>,
}

/// A typed edge to or from another note.
#[derive(JsonSchema)]
struct Relation {
    /// Id of the other note.
    target: Id,
    /// SOLVES, CAUSES, BUILDS_ON, ALTERNATIVE_TO, REQUIRES, FOLLOWS, RELATED_TO, EXTENDS,
    /// CONTRADICTS, GROUNDS, EXEMPLIFIES, SUPERSEDES, DERIVED_FROM, or one declared in cm.toml.
    r#type: String,
    /// Direction of the edge; default outgoing.
    direction: Option<Direction>,
    /// Strength of the edge; default 1.
    strength: Option<Fraction>,
    /// Why the two notes are related.
    context: Option<String>,
    /// Id of the edge file that defines the same edge.
    edge_id: Option<Id>,
}

/// Direction of a relation.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Direction {
    /// From this note to the target.
    Outgoing,
    /// From the target to this note.
    Incoming,
}

/// One feedback event.
#[derive(JsonSchema)]
struct Feedback {
    /// Time of the feedback.
    at: Date,
    /// The rating.
    signal: FeedbackSignal,
    /// 1 for explicit feedback, a fraction for inferred feedback.
    #[schemars(range(min = 0.0))]
    weight: Option<f64>,
    /// Session in which the feedback was given.
    session: Option<String>,
    /// Agent through which the feedback was given.
    agent: Option<String>,
    /// Person who gave the feedback.
    author: Option<String>,
    /// Reason of harm: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated,
    /// other.
    reason: Option<String>,
    /// Additional text.
    note: Option<String>,
    /// Of harm: a person states that the opposite of the rule is true.
    invert: Option<bool>,
}

/// A typed edge with its own file: `graph/edges/`. The body explains why the two notes are related.
#[derive(JsonSchema)]
#[schemars(title = "Edge")]
struct Edge {
    /// Id of the edge, a UUID.
    id: Id,
    /// SOLVES, CAUSES, BUILDS_ON, ALTERNATIVE_TO, REQUIRES, FOLLOWS, RELATED_TO, EXTENDS,
    /// CONTRADICTS, GROUNDS, EXEMPLIFIES, SUPERSEDES, DERIVED_FROM, or one declared in cm.toml.
    r#type: String,
    /// Id of the note at the start of the edge.
    from_id: Id,
    /// Title of the note at the start of the edge when the edge was written.
    from_title: Option<String>,
    /// Id of the note at the end of the edge.
    to_id: Id,
    /// Title of the note at the end of the edge when the edge was written.
    to_title: Option<String>,
    /// Strength of the edge; default 1.
    strength: Option<Fraction>,
    /// Date of creation.
    created: Option<Date>,
    /// Date of the last change.
    updated: Option<Date>,
}

/// A rule or anti-pattern: `playbook/<category>/`. The body is the rule, one statement of 10 to 500
/// characters; a `## Why` section may hold the reasoning.
#[derive(JsonSchema)]
#[schemars(title = "Bullet")]
struct Bullet {
    /// Id, `b-{base-36 time}-{random}`.
    id: Id,
    /// Whether the bullet recommends something or warns of it; default rule.
    r#type: Option<BulletType>,
    /// Subject of the bullet; default stack_pattern.
    kind: Option<BulletKind>,
    /// Category of the bullet; default: the name of its folder.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
    category: Option<String>,
    /// Where the bullet applies; default global.
    scope: Option<Scope>,
    /// Language, framework or task of the scope.
    scope_key: Option<String>,
    /// Project of the scope.
    workspace: Option<String>,
    /// Lifecycle state; default draft.
    state: Option<BulletState>,
    /// Level of confidence; default candidate.
    maturity: Option<Maturity>,
    /// Never deprecated because of its score.
    pinned: Option<bool>,
    /// Why the bullet is pinned.
    pinned_reason: Option<String>,
    /// Number of days after which feedback counts half; default 90.
    #[schemars(extend("exclusiveMinimum" = 0))]
    half_life_days: Option<f64>,
    /// Tags without `#`, written inline.
    tags: Option<Vec<String>>,
    /// Helpful and harmful feedback.
    feedback: Option<Vec<Feedback>>,
    /// Sessions from which the bullet was learned.
    sources: Option<Vec<Source>>,
    /// Diary entries and quotes from which the bullet was derived.
    derived_from: Option<DerivedFrom>,
    /// A search query that finds the details.
    search_pointer: Option<String>,
    /// How to check that a workspace complies with this bullet.
    verify: Option<Verify>,
    /// The destructive command that led to this bullet; `cm guard` compares commands with it.
    incident: Option<Incident>,
    /// Id of the older bullet that this one replaces.
    supersedes: Option<Id>,
    /// Id of the newer bullet that replaces this one.
    replaced_by: Option<Id>,
    /// Why this bullet is deprecated.
    deprecation_reason: Option<String>,
    /// Date of creation.
    created: Option<Date>,
    /// Date of the last change.
    updated: Option<Date>,
    /// Date on which its maturity last rose.
    promoted_at: Option<Date>,
    /// Date of the last search for evidence.
    last_validated_at: Option<Date>,
    /// Date on which a person last confirmed it.
    last_checked: Option<Date>,
    /// Versions of parts of the note that a merge did not take.
    merge: Option<Vec<Leftover>>,
}

/// A session from which a bullet was learned.
#[derive(JsonSchema)]
struct Source {
    /// Session id.
    session: String,
    /// Agent that ran the session.
    agent: Option<String>,
    /// Line in the session's log, from 1.
    #[schemars(range(min = 1))]
    line: Option<u64>,
}

/// Material that a bullet was made from.
#[derive(JsonSchema)]
struct DerivedFrom {
    /// Ids of the diary entries from which the bullet was derived.
    diaries: Option<Vec<Id>>,
    /// Quotes from sessions.
    evidence: Option<Vec<String>>,
}

/// How to check that a workspace complies with a bullet.
#[derive(JsonSchema)]
struct Verify {
    /// Kind of check.
    kind: VerifyKind,
    /// The regular expression, path or search query.
    pattern: String,
    /// Whether the pattern must match or must not match; default exists.
    mode: Option<VerifyMode>,
}

/// A destructive command that was run or attempted.
#[derive(JsonSchema)]
struct Incident {
    /// Class of the damage: files, database, force-push, hard-reset, history, infrastructure, disk,
    /// permissions, remote-script, system, exfiltration, publishing, persistence or obscured.
    class: String,
    /// The command without its case-specific arguments.
    shape: String,
    /// Session in which it happened.
    session: Option<String>,
    /// Date of the incident.
    date: Option<Date>,
}

/// A blocked pattern: `blocked/`. It has a `pattern` or a `content`.
#[derive(JsonSchema)]
#[schemars(title = "Blocked", extend("anyOf" = [{"required": ["pattern"]}, {"required": ["content"]}]))]
struct Blocked {
    /// Id of the blocked pattern.
    id: Id,
    /// Whether matching rules are rejected or only cause a warning.
    kind: BlockKind,
    /// Text to look for in tasks and other texts.
    pattern: Option<String>,
    /// Text of the rejected bullet.
    content: Option<String>,
    /// SHA-256 of the rejected bullet's text in lower case with single spaces, as 64 hexadecimal
    /// digits.
    content_hash: Option<String>,
    /// Why it is blocked.
    reason: Option<String>,
    /// What to do instead.
    replacement: Option<String>,
    /// Id of the bullet from which the blocked pattern was made.
    source_bullet: Option<Id>,
    /// Id of the anti-pattern that was made from the blocked bullet.
    inverted_to: Option<Id>,
    /// Date on which it was blocked.
    created: Option<Date>,
}

/// A daily log: `episodes/YYYY-MM-DD.md`.
#[derive(JsonSchema)]
#[schemars(title = "Episode")]
struct Episode {
    /// The date, such as 2026-11-01.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    date: String,
}

/// A summary of an agent's session: `diary/`.
#[derive(JsonSchema)]
#[schemars(title = "Diary")]
struct Diary {
    /// A hash of the session's path and content.
    id: Id,
    /// Session id.
    session: String,
    /// Agent that ran the session.
    agent: Option<String>,
    /// Project of the session.
    workspace: Option<String>,
    /// Start of the session.
    started: Option<Date>,
    /// Duration of the session, in seconds.
    #[schemars(range(min = 0.0))]
    duration_s: Option<f64>,
    /// Result of the session.
    status: Option<DiaryStatus>,
    /// Result stated by a person or an agent; takes precedence over `status`.
    outcome: Option<StatedOutcome>,
    /// Tags without `#`, written inline.
    tags: Option<Vec<String>>,
    /// Keywords that find the session.
    search_anchors: Option<Vec<String>>,
    /// Sessions about the same topic.
    related_sessions: Option<Vec<RelatedSession>>,
}

cm_text::named_enum! {
    /// Result of a session.
    pub(super) enum DiaryStatus {
        /// The session reached its goal.
        Success = "success",
        /// The session did not reach its goal.
        Failure = "failure",
        /// The session reached part of its goal.
        Mixed = "mixed",
    }
}

/// Stated result of a session: the result alone, or with details.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(clippy::large_enum_variant, reason = "only its schema is used")]
enum StatedOutcome {
    Word(SessionResult),
    Said {
        /// The result.
        status: SessionResult,
        /// Date of the statement.
        at: Option<Date>,
        /// Person who stated it.
        author: Option<String>,
        /// Agent that stated it.
        agent: Option<String>,
        /// Reason for the stated result.
        reason: Option<String>,
    },
}

/// Result of a session that can be stated.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum SessionResult {
    /// The session reached its goal.
    Success,
    /// The session did not reach its goal.
    Failure,
    /// The session reached part of its goal, and its end is open.
    Partial,
    /// Some signs point to success and some to failure.
    Mixed,
}

/// A session about the same topic.
#[derive(JsonSchema)]
struct RelatedSession {
    /// Session id.
    session: String,
    /// Agent that ran the session.
    agent: Option<String>,
    /// Day on which the session started.
    date: Option<String>,
    /// Similarity to this session.
    relevance: Option<Fraction>,
    /// Excerpt of the session.
    snippet: Option<String>,
}
