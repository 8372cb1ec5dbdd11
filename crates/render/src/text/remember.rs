//! Text output of `cm remember`.

use super::committed;
use super::style::safe_lines;
use super::style::{BAD, DIM, GOOD, STRONG, count, one_line, paint, safe};
use cm_app::verbs::remember::{PreferenceChange, RememberPackage, RememberResult, SectionChange};

/// Maximum number of listed lines of the rule file; further ones are counted.
const MAX_LISTED_LINES: usize = 20;

pub fn package(outcome: &RememberPackage) -> String {
    safe_lines(&outcome.prompt)
}

pub fn remembered(outcome: &RememberResult) -> String {
    let mut lines = String::new();
    for fact in &outcome.facts {
        lines += &format!("fact        {}{}\n", one_line(&fact.text), waits(fact.draft.as_deref()));
    }
    for step in &outcome.superseded {
        let old = paint(DIM, &format!("{} replaces {}", one_line(&step.newer), one_line(&step.older)));
        lines += &format!("superseded  {old}\n");
    }
    outcome.preferences.iter().for_each(|one| lines += &preference(one));
    for fix in &outcome.fixes {
        lines += &format!("fix         {}{}\n", one_line(&fix.text), waits(fix.draft.as_deref()));
    }
    for episode in &outcome.episodes {
        let day = episode.path.trim_start_matches("episodes/").trim_end_matches(".md");
        lines += &format!("episode     {day} {}\n", one_line(&episode.entry));
    }
    lines += &figures(outcome);
    if let Some(part) = &outcome.section {
        lines += &section(part, outcome.dry_run);
    }
    for file in &outcome.files {
        let verb = if outcome.dry_run { "would write" } else { "wrote" };
        lines += &format!("{verb} {}\n", paint(STRONG, &safe(file)));
    }
    lines
}

fn waits(draft: Option<&str>) -> String {
    draft.map(|why| paint(BAD, &format!("  draft: {why}"))).unwrap_or_default()
}

fn preference(one: &PreferenceChange) -> String {
    let name = |level| format!("{level:?}").to_lowercase();
    let level = match one.before {
        Some(before) if before != one.level => format!("{} → {}", name(before), name(one.level)),
        _ => name(one.level),
    };
    let against = if one.against > 0 { format!(", {} against", one.against) } else { String::new() };
    let evidence = paint(DIM, &format!("({level}, {}{against})", count(one.observed, "observation")));
    format!("preference  {} {evidence}{}\n", one_line(&one.text), waits(one.draft.as_deref()))
}

fn figures(outcome: &RememberResult) -> String {
    let sources = &outcome.sources;
    let parts = [
        (sources.stashes, "stash", ""),
        (sources.diaries, "diary", ""),
        (sources.friction, "session", " with friction"),
    ];
    let read = parts.into_iter().filter(|(number, ..)| *number > 0);
    let counts: Vec<String> = read.map(|(number, noun, which)| count(number, noun) + which).collect();
    let before =
        if sources.before > 0 { format!(", {} remembered before", sources.before) } else { String::new() };
    if counts.is_empty() {
        return format!("nothing new to remember{before}\n");
    }
    let verb = if outcome.dry_run { "would remember" } else { "remembered" };
    let commit =
        if outcome.dry_run { String::new() } else { format!("  {}", committed(outcome.commit.as_deref())) };
    let empty = match sources.empty {
        0 => String::new(),
        number => format!(" ({number} with nothing to remember)"),
    };
    let model = outcome.model.as_ref().map(|name| format!(" with {}", safe(name))).unwrap_or_default();
    let refused = if outcome.refused > 0 {
        format!(", {} of its memories refused", outcome.refused)
    } else {
        String::new()
    };
    format!("{verb} {}{model}{refused}{empty}{before}{}{commit}\n", counts.join(", "), left_out(outcome))
}

/// The number of sentences that were left out, with the reasons.
fn left_out(outcome: &RememberResult) -> String {
    let left = outcome.left_out;
    let reasons = [
        (left.slight, "too slight"),
        (left.passing, "about one task"),
        (left.existing, "in a rule or decision"),
        (left.anger, "angry"),
        (left.too_long, "too long"),
    ];
    let all: usize = reasons.iter().map(|(number, _)| number).sum();
    let causes: Vec<String> = reasons
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, reason)| format!("{number} {reason}"))
        .collect();
    if all == 0 {
        return String::new();
    }
    format!("; {} left out: {}", count(all, "sentence"), causes.join(", "))
}

fn section(part: &SectionChange, dry_run: bool) -> String {
    let mut lines = String::new();
    for (sign, style, changed) in [("+", GOOD, &part.added), ("-", BAD, &part.removed)] {
        let shown = changed
            .iter()
            .take(MAX_LISTED_LINES)
            .map(|line| format!("{} {}\n", paint(style, sign), one_line(line)));
        lines.extend(shown);
        if changed.len() > MAX_LISTED_LINES {
            let more = format!("{sign} and {} more", changed.len() - MAX_LISTED_LINES);
            lines += &format!("{}\n", paint(DIM, &more));
        }
    }
    let verb = match (part.changed, dry_run, part.created) {
        (false, ..) => "unchanged:",
        (true, true, true) => "would create",
        (true, true, false) => "would write",
        (true, false, true) => "made",
        (true, false, false) => "wrote",
    };
    let what = format!(
        "{}, {} and {}",
        count(part.facts, "fact"),
        count(part.preferences, "preference"),
        count(part.episodes, "episode")
    );
    let left = if part.omitted > 0 {
        paint(DIM, &format!(", {} left out for space", part.omitted))
    } else {
        String::new()
    };
    lines
        + &format!("{verb} {} with {what} in {} lines{left}\n", paint(STRONG, &safe(&part.path)), part.lines)
}
