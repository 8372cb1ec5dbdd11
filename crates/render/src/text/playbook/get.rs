//! Text output of `cm playbook get`.

use crate::text::get::findings;
use crate::text::style::{DIM, ID, STRONG, paint, safe};
use cm_app::verbs::playbook::get::BulletDetails;
use cm_note::bullet::BulletType;
use cm_note::instant::Instant;
use cm_note::note::Feedback;

/// The rule, its state and score, then one line for each further field.
pub fn got(outcome: &BulletDetails) -> String {
    let row = &outcome.row;
    let mut lines = format!("{}\n", paint(STRONG, &safe(&row.content)));
    let vault = outcome.row.vault.name();
    lines.push_str(&format!("{}  {}  {}\n", paint(ID, &safe(&row.id)), safe(&row.path), paint(DIM, vault)));
    let kind = if row.bullet_type == BulletType::AntiPattern { "anti-pattern" } else { "rule" };
    let pinned = if row.pinned { ", pinned" } else { "" };
    lines.push_str(&format!(
        "{kind} in {}, {}, {}{pinned}\n",
        safe(&row.category),
        row.state.name(),
        row.maturity.name()
    ));
    lines.push_str(&score(outcome));
    for (key, value) in facts(outcome) {
        lines.push_str(&format!("{} {}\n", paint(DIM, &format!("{key}:")), safe(&value)));
    }
    if let Some(why) = &outcome.why {
        lines.push_str(&format!("\n{}\n{}\n", paint(STRONG, "Why"), safe(why)));
    }
    if !outcome.feedback.is_empty() {
        lines.push_str(&format!("\n{}\n", paint(STRONG, "Feedback")));
        lines.extend(outcome.feedback.iter().map(event));
    }
    lines + &findings(&outcome.findings)
}

/// The formula of the score with its values.
fn score(outcome: &BulletDetails) -> String {
    let (row, parts) = (&outcome.row, &outcome.parts);
    format!(
        "score {:.2} = ({:.2} helpful - {} × {:.2} harmful) × {}  {}\n",
        row.score.value(),
        parts.helpful,
        parts.harm_weight,
        parts.harmful,
        parts.multiplier,
        paint(DIM, &format!("half-life {} days", parts.half_life_days))
    )
}

/// Names and values of the fields that are set.
fn facts(outcome: &BulletDetails) -> Vec<(&'static str, String)> {
    let date = |at: &Option<Instant>| at.map(Instant::day);
    let joined = |texts: Vec<&str>| Some(texts.join(", ")).filter(|text| !text.is_empty());
    let scope = match &outcome.scope_key {
        Some(key) => format!("{} {key}", outcome.scope.name()),
        None => outcome.scope.name().to_owned(),
    };
    let sources = outcome.sources.iter().map(|source| source.session.as_str()).collect();
    let verify = outcome.verify.as_ref();
    let verify = verify.map(|it| format!("{} {} ({})", it.kind.name(), it.pattern, it.mode.name()));
    let facts = [
        ("kind", Some(outcome.kind.name().to_owned())),
        ("scope", Some(scope)),
        ("workspace", outcome.workspace.clone()),
        ("tags", joined(outcome.tags.iter().map(String::as_str).collect())),
        ("pinned because", outcome.pinned_reason.clone()),
        ("sources", joined(sources)),
        ("diaries", joined(outcome.derived_from.diaries.iter().map(String::as_str).collect())),
        ("search", outcome.search_pointer.clone()),
        ("verify", verify),
        ("supersedes", outcome.supersedes.clone()),
        ("replaced by", outcome.replaced_by.clone()),
        ("deprecated because", outcome.deprecation_reason.clone()),
        ("created", date(&outcome.created)),
        ("updated", date(&outcome.updated)),
        ("promoted", date(&outcome.promoted_at)),
        ("validated", date(&outcome.last_validated_at)),
        ("checked", date(&outcome.last_checked)),
    ];
    let set_facts = facts.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let quotes = outcome.derived_from.evidence.iter().map(|quote| ("evidence", quote.clone()));
    set_facts.chain(quotes).collect()
}

fn event(event: &Feedback) -> String {
    let signal = event.signal.name();
    let weight = (event.weight != 1.0).then(|| format!("× {}", event.weight));
    let details = [&event.reason, &event.note, &event.session, &event.agent, &event.author];
    let details: Vec<String> = weight.into_iter().chain(details.into_iter().flatten().cloned()).collect();
    let line = format!("  {}  {signal:<10}  {}", event.at.day(), safe(&details.join(", ")));
    format!("{}\n", line.trim_end())
}
