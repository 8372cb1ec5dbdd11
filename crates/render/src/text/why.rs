//! Text output of `cm why`.

use super::short;
use super::short_ids::shown_id;
use super::style::{BAD, DIM, GOOD, ID, STRONG, WARN, one_line, paint, safe};
use cm_app::verbs::log::Commit;
use cm_app::verbs::why::{
    BulletScore, FeedbackEvent, NoteEvidence, NoteRef, ReplacementField, SuccessionSide, SuccessionStep,
};
use cm_note::bullet::{BulletState, Maturity};
use cm_note::instant::Instant;
use cm_note::note::FeedbackSignal;

/// The note and its state, its history, then sources and contradictions.
pub fn why(outcome: &NoteEvidence) -> String {
    let mut lines = head(outcome);
    let story = story(outcome);
    if !story.is_empty() {
        lines.push('\n');
        story.iter().for_each(|(at, line)| {
            let at = at.date_and_time();
            lines.push_str(&format!("{}  {line}\n", paint(DIM, &at)));
        });
    }
    let facts = facts(outcome);
    if !facts.is_empty() {
        lines.push('\n');
        facts.iter().for_each(|(word, fact)| {
            lines.push_str(&format!("{}  {fact}\n", paint(STRONG, &format!("{word:<13}"))))
        });
    }
    lines
}

fn head(outcome: &NoteEvidence) -> String {
    let mut standing = vec![outcome.note_type.clone().unwrap_or_else(|| outcome.kind.name().to_owned())];
    standing.extend(outcome.category.clone());
    standing.extend(outcome.state.map(|state| state.name().to_owned()));
    standing.extend(outcome.maturity.map(|maturity| maturity.name().to_owned()));
    if outcome.pinned {
        let reason = outcome.pinned_reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        standing.push(format!("pinned{reason}"));
    }
    let mut lines =
        format!("{}  {}\n", paint(ID, &safe(&outcome.id)), paint(DIM, &safe(&standing.join(", "))));
    let is_bullet = outcome.state.is_some();
    if !is_bullet {
        lines.push_str(&format!("{}\n", paint(STRONG, &safe(&outcome.title))));
    }
    if is_bullet || !outcome.content.is_empty() && outcome.content != outcome.title {
        lines.push_str(&format!("{}\n", safe(&outcome.content)));
    }
    if let Some(why) = &outcome.why {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("    {}", one_line(why)))));
    }
    if let Some(parts) = &outcome.score {
        lines.push_str(&score(parts, outcome.maturity.unwrap_or_default()));
    }
    if let Some(decay) = &outcome.decay {
        let read = match decay.last_access {
            Some(at) => format!("read {} times, last on {}", decay.accesses, at.day()),
            None => "never read with cm".to_owned(),
        };
        lines.push_str(&format!("score {:.3}, {}; {read}\n", decay.score.value(), decay.status.name()));
    }
    lines
}

/// The formula of a rule's score with its values.
fn score(parts: &BulletScore, maturity: Maturity) -> String {
    if parts.helpful == 0.0 && parts.harmful == 0.0 {
        return format!("score {:.2}, {}; no feedback yet\n", parts.score.value(), maturity.name());
    }
    format!(
        "score {:.2} = ({:.2} helpful − {} × {:.2} harmful) × {} for {}; {}, {:.0} % harmful, half-life {} days\n",
        parts.score.value(),
        parts.helpful,
        parts.harm_weight,
        parts.harmful,
        parts.multiplier,
        maturity.name(),
        parts.band.name(),
        parts.harmful_ratio * 100.0,
        parts.half_life_days
    )
}

/// Dated events, oldest first. An event that a commit of the same second records names that commit,
/// instead of a line for each.
fn story(outcome: &NoteEvidence) -> Vec<(Instant, String)> {
    let mut story = events(outcome);
    let event_count = story.len();
    let mut has_commit = vec![false; event_count];
    // They stand newest first; of those of one second the first made comes first.
    for commit in outcome.commits.iter().rev() {
        let same_second = |at: &usize| !has_commit[*at] && story[*at].0 == commit.at;
        match (0..event_count).find(same_second) {
            Some(at) => {
                has_commit[at] = true;
                let who = paint(DIM, &safe(&commit.actor));
                let line = format!("{}  {} {who}", story[at].1, paint(ID, short(&commit.id)));
                story[at].1 = line;
            }
            None => story.push((commit.at, committed(commit))),
        }
    }
    story.sort_by_key(|(at, _)| *at);
    story
}

/// What happened to the note by its own fields, in the order of their kinds.
fn events(outcome: &NoteEvidence) -> Vec<(Instant, String)> {
    let mut events: Vec<(Instant, String)> = Vec::new();
    let mut on = |at: Option<Instant>, line: String| events.extend(at.map(|at| (at, line)));
    on(outcome.created, "written".to_owned());
    outcome.feedback.iter().for_each(|event| on(Some(event.at), describe_event(event)));
    let maturity = outcome.maturity.map_or("", Maturity::name);
    on(
        outcome.promoted_at,
        format!(
            "promoted to {}",
            if outcome.maturity == Some(Maturity::Deprecated) { "a higher maturity" } else { maturity }
        ),
    );
    on(outcome.last_validated_at, "validated".to_owned());
    on(outcome.last_checked, "confirmed".to_owned());
    for block in &outcome.blocks {
        on(block.created, format!("{} “{}”", paint(BAD, "blocked"), one_line(&block.text)));
    }
    for conflict in &outcome.conflicts {
        on(conflict.since, format!("{} by {}", paint(WARN, "contradicted"), name_and_title(&conflict.note)));
    }
    events
}

fn describe_event(event: &FeedbackEvent) -> String {
    let word = match event.signal {
        FeedbackSignal::Helpful => paint(GOOD, "helpful"),
        FeedbackSignal::Harmful => paint(BAD, "harmful"),
        FeedbackSignal::Irrelevant => "irrelevant".to_owned(),
        FeedbackSignal::Ignored => paint(WARN, "ignored"),
    };
    let weight = if event.weight == 1.0 { String::new() } else { format!(" × {}", event.weight) };
    let who: Vec<&str> = [&event.author, &event.agent].into_iter().flatten().map(String::as_str).collect();
    let who = if who.is_empty() { String::new() } else { format!(", says {}", safe(&who.join(" through "))) };
    let session = event.session.as_ref().map(|session| format!(" in {}", safe(session))).unwrap_or_default();
    let why: Vec<String> =
        [&event.reason, &event.note].into_iter().flatten().map(|text| one_line(text)).collect();
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.join("; ")) };
    format!("{word}{weight}{who}{session}{why}")
}

fn committed(commit: &Commit) -> String {
    format!("{} {}  {}", paint(ID, short(&commit.id)), safe(&commit.subject), actor(commit))
}

/// Who made a commit, through which agent, in which session and why.
fn actor(commit: &Commit) -> String {
    let agent = commit.agent.as_ref().map(|agent| format!(" through {}", safe(agent))).unwrap_or_default();
    let session = commit.session.as_ref().map(|session| format!(" in {}", safe(session))).unwrap_or_default();
    let reason = commit.reason.as_ref().map(|reason| format!(": {}", safe(reason))).unwrap_or_default();
    paint(DIM, &format!("{}{agent}{session}{reason}", safe(&commit.actor)))
}

/// How the explained note relates to a predecessor or successor.
pub fn succession(step: &SuccessionStep) -> &'static str {
    match (step.side, step.through) {
        (SuccessionSide::Before, ReplacementField::InvertedTo) => "inverted from",
        (SuccessionSide::After, ReplacementField::InvertedTo) => "inverted to",
        (SuccessionSide::Before, ReplacementField::CondensedInto) => "condensed from",
        (SuccessionSide::After, ReplacementField::CondensedInto) => "condensed into",
        (SuccessionSide::Before, _) => "replaces",
        (SuccessionSide::After, _) => "replaced by",
    }
}

/// Sources, predecessors and contradictions, as label and value.
fn facts(outcome: &NoteEvidence) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for source in &outcome.sources {
        let agent = source.agent.as_ref().map(|agent| format!(", {}", safe(agent))).unwrap_or_default();
        let line = source.line.map(|line| format!(", line {line}")).unwrap_or_default();
        facts.push(("session", format!("{}{agent}{line}", safe(&source.session))));
    }
    facts.extend(outcome.derived_from.diaries.iter().map(|diary| ("diary", name_and_title(diary))));
    facts.extend(outcome.derived_from.notes.iter().map(|note| ("derived from", name_and_title(note))));
    facts.extend(outcome.derived_from.quotes.iter().map(|quote| ("quote", quoted(quote))));
    for step in &outcome.succession {
        facts.push((succession(step), name_and_title(&step.note)));
    }
    facts.extend(outcome.conflicts.iter().map(|conflict| ("contradicts", name_and_title(&conflict.note))));
    for block in &outcome.blocks {
        let reason = block.reason.as_ref().map(|reason| format!(": {}", safe(reason))).unwrap_or_default();
        facts.push((
            "blocked",
            format!("{} “{}”{reason}", paint(ID, &shown_id(&safe(&block.id))), one_line(&block.text)),
        ));
    }
    if let Some(reason) = &outcome.deprecation_reason {
        facts.push(("retired", safe(reason)));
    }
    if outcome.state == Some(BulletState::Draft) {
        facts
            .push(("draft", format!("not shown to agents until `cm review --accept {}`", safe(&outcome.id))));
    }
    facts
}

/// A quote in quotation marks; who typed it and where stand before them.
fn quoted(quote: &str) -> String {
    let ends_place = |(place, _): &(&str, &str)| {
        let line = place.rsplit_once(" line ").map(|(_, line)| line);
        line.is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match quote.split_once(": ").filter(ends_place) {
        Some((place, words)) => format!("{}: “{}”", safe(place), safe(words)),
        None => format!("“{}”", safe(quote)),
    }
}

fn name_and_title(note: &NoteRef) -> String {
    match &note.title {
        Some(title) => {
            format!("{} {}", paint(ID, &shown_id(&safe(&note.id))), one_line(title))
        }
        None => format!("{} {}", paint(ID, &safe(&note.id)), paint(DIM, "(gone)")),
    }
}
