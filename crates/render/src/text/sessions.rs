//! Text output of `cm sessions`, and sessions as Markdown.

use super::list::rows;
use super::style::{DIM, ID, STRONG, WARN, count, empty_page, one_line, paint, safe};
use cm_app::sessions::cass::ExternalHit;
use cm_app::sessions::list::SessionList;
use cm_app::sessions::reflection_log::{ReflectionResult, ReflectionState};
use cm_app::sessions::search::{SessionMatch, SessionSearchResult};
use cm_app::sessions::show::SessionPage;
use cm_app::sessions::timeline::{Timeline, TimelineDay};
use cm_app::sessions::{SessionRow, ShownEvent};
use cm_note::instant::Instant;

/// A table of sessions.
pub fn list(outcome: &SessionList) -> String {
    if outcome.sessions.is_empty() && outcome.total == 0 {
        return nothing(outcome);
    }
    let table: Vec<Vec<String>> = outcome.sessions.iter().map(row).collect();
    let mut lines = rows(&table, |column, cell| match column {
        0 => paint(ID, cell),
        7 => cell.to_owned(),
        _ => paint(DIM, cell),
    });
    let shown = outcome.sessions.len();
    let of = if outcome.total > shown {
        let more = outcome.next.map(|next| format!("; continue with --offset {next}")).unwrap_or_default();
        format!("{shown} of {}{more}", count(outcome.total, "session"))
    } else {
        count(outcome.total, "session")
    };
    lines.push_str(&format!("{}\n", paint(DIM, &format!("{of}{}", looked_back(outcome.days)))));
    lines
}

fn nothing(outcome: &SessionList) -> String {
    let older = match outcome.older {
        Some(older) => format!("; {} older: --days 0", count(older, "session")),
        None => String::new(),
    };
    format!("no sessions{}{older}\n", looked_back(outcome.days))
}

fn looked_back(days: Option<f64>) -> String {
    match days {
        Some(days) => format!(" in the last {days} days"),
        None => String::new(),
    }
}

fn row(row: &SessionRow) -> Vec<String> {
    let mark = if row.mostly_unknown { " (mostly not parsed)" } else { "" };
    let title = row.info.title.as_deref().unwrap_or("(no title)");
    vec![
        one_line(&row.info.prefix),
        row.info.agent.clone(),
        row.age_days.map(age).unwrap_or_default(),
        count(row.events, "event"),
        size(row.bytes),
        state(row),
        one_line(row.info.workspace.as_deref().unwrap_or("-")),
        format!("{}{}{mark}", one_line(title), ended(row)),
    ]
}

/// The outcome in parentheses; empty if unknown.
fn ended(row: &SessionRow) -> String {
    row.outcome.as_deref().map(|outcome| format!(" ({})", safe(outcome))).unwrap_or_default()
}

/// The reflection state of a session, in one or two words.
fn state(row: &SessionRow) -> String {
    let came = row.reflected.as_ref().map(|reflected| match reflected.came {
        ReflectionResult::Learned => format!("learned {}", reflected.applied),
        ReflectionResult::Diary => "diary".to_owned(),
        ReflectionResult::Nothing => "nothing".to_owned(),
        ReflectionResult::Fork => "fork".to_owned(),
        ReflectionResult::Failed => "failed".to_owned(),
    });
    match (row.state, came) {
        (ReflectionState::New, _) => "new".to_owned(),
        (ReflectionState::Grown, _) => "grown".to_owned(),
        (ReflectionState::LeftOut, _) => "sub-agent".to_owned(),
        (ReflectionState::Failed, _) => "failed".to_owned(),
        (ReflectionState::Processed, came) => came.unwrap_or_default(),
    }
}

/// A number of days in minutes, hours or days.
fn age(days: f64) -> String {
    match days {
        days if days < 0.0 => "0 min".to_owned(),
        days if days < 1.0 / 24.0 => format!("{} min", (days * 1440.0) as u64),
        days if days < 2.0 => format!("{} h", (days * 24.0) as u64),
        days => format!("{} d", days as u64),
    }
}

/// A size in B, kB or MB.
fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// The messages of a session with their line numbers in the log.
pub fn show(outcome: &SessionPage) -> String {
    let mut lines = head(&outcome.session);
    if let Some(diary) = &outcome.diary {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("diary in {}", safe(diary)))));
    }
    for event in &outcome.said {
        let at = event.at.map(Instant::date_and_time).unwrap_or_default();
        let text = safe(event.text.trim_end());
        let line = format!("{:>5}  {at:16}  {:6}", event.line, who(event));
        match text.contains('\n') {
            false if text.is_empty() => lines.push_str(&format!("{}\n", paint(DIM, line.trim_end()))),
            false => lines.push_str(&format!("{}  {text}\n", paint(DIM, &line))),
            true => {
                lines.push_str(&format!("{}\n", paint(DIM, line.trim_end())));
                text.lines().for_each(|line| lines.push_str(&format!("       {line}\n")));
            }
        }
    }
    if let Some(next) = outcome.next {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("… continue with --from {next}"))));
    }
    lines
}

pub(super) fn head(session: &SessionRow) -> String {
    let info = &session.info;
    let time = |at: Option<Instant>| at.map_or_else(|| "?".to_owned(), Instant::date_and_time);
    let mut lines = format!(
        "{}  {}\n{}\n",
        paint(ID, &one_line(&info.id)),
        paint(STRONG, &one_line(info.title.as_deref().unwrap_or("(no title)"))),
        paint(
            DIM,
            &format!(
                "{}  {}  {} to {}  {}, {}{}",
                info.agent,
                one_line(info.workspace.as_deref().unwrap_or("-")),
                time(info.started),
                time(info.ended),
                count(session.events, "event"),
                size(session.bytes),
                ended(session),
            )
        ),
    );
    if session.mostly_unknown {
        lines.push_str(&format!("{}\n", paint(WARN, "most of its log could not be parsed")));
    }
    lines
}

fn who(event: &ShownEvent) -> &str {
    match event.kind.as_str() {
        "interrupt" => "stop",
        "compaction" => "summed",
        "error" => "error",
        _ => event.speaker.as_deref().unwrap_or("-"),
    }
}

/// Search hits, grouped by session.
pub fn searched(outcome: &SessionSearchResult) -> String {
    if outcome.hits.is_empty() && outcome.elsewhere.is_empty() {
        return empty_page(outcome.total, "hit", "nothing found");
    }
    let mut lines = String::new();
    for hit in &outcome.hits {
        let info = &hit.info;
        let day = info.ended.map(|at| at.day()).unwrap_or_default();
        let score = if hit.score > 0.0 { format!(" · {:.2}", hit.score) } else { String::new() };
        lines.push_str(&format!(
            "{}  {}  {}\n",
            paint(ID, &one_line(&info.prefix)),
            paint(STRONG, &one_line(info.title.as_deref().unwrap_or("(no title)"))),
            paint(DIM, &format!("{} {day}{score}", info.agent)),
        ));
        hit.places.iter().for_each(|place| lines.push_str(&spot(place)));
        if hit.lines.len() > hit.places.len() {
            let rest: Vec<String> = hit.lines.iter().map(u64::to_string).collect();
            lines.push_str(&format!("       {}\n", paint(DIM, &format!("lines {}", rest.join(", ")))));
        }
    }
    if outcome.total > outcome.hits.len() {
        let more = outcome.next.map(|next| format!("; continue with --offset {next}")).unwrap_or_default();
        let of = format!("{} of {}{more}", outcome.hits.len(), count(outcome.total, "session"));
        lines.push_str(&format!("{}\n", paint(DIM, &of)));
    }
    outcome.elsewhere.iter().for_each(|found| lines.push_str(&outside(found)));
    lines
}

/// A hit from another program: two lines, with the program's name.
fn outside(found: &ExternalHit) -> String {
    let of = |text: &Option<String>| one_line(text.as_deref().unwrap_or("-"));
    let day = found.at.map(|at| format!(" {}", at.day())).unwrap_or_default();
    let line = found.line.map(|line| line.to_string()).unwrap_or_default();
    format!(
        "{}  {}  {}\n{}  {}\n",
        paint(WARN, found.source),
        paint(STRONG, &of(&found.title)),
        paint(DIM, &format!("{}{day}  {}", of(&found.agent), of(&found.log))),
        paint(DIM, &format!("{line:>5}")),
        one_line(&found.snippet)
    )
}

fn spot(spot: &SessionMatch) -> String {
    let who = spot.speaker.as_deref().unwrap_or("-");
    format!("{}  {}\n", paint(DIM, &format!("{:>5}  {who:6}", spot.line)), one_line(&spot.snippet))
}

/// A table of days.
pub fn timeline(outcome: &Timeline) -> String {
    if outcome.days.is_empty() {
        return format!("no sessions{}\n", looked_back(outcome.lookback_days));
    }
    let table: Vec<Vec<String>> = outcome.days.iter().map(day).collect();
    rows(&table, |column, cell| if column == 0 { paint(STRONG, cell) } else { cell.to_owned() })
}

fn day(day: &TimelineDay) -> Vec<String> {
    let each = |of: &std::collections::BTreeMap<String, usize>| {
        let each: Vec<String> = of.iter().map(|(name, n)| format!("{} {n}", one_line(name))).collect();
        each.join(", ")
    };
    vec![
        day.day.clone().unwrap_or_else(|| "no time".to_owned()),
        count(day.sessions, "session"),
        count(day.prompts, "prompt"),
        each(&day.agents),
        each(&day.workspaces),
    ]
}

/// A session as a Markdown document.
pub fn markdown(outcome: &SessionPage) -> String {
    let info = &outcome.session.info;
    let mut text = format!("# {}\n\n", info.title.as_deref().unwrap_or("Session"));
    let facts = [
        ("Session", Some(info.id.clone())),
        ("Agent", Some(info.agent.clone())),
        ("Workspace", info.workspace.clone()),
        ("Branch", info.branch.clone()),
        ("Model", info.model.clone()),
        ("Started", info.started.map(Instant::date_and_time)),
        ("Ended", info.ended.map(Instant::date_and_time)),
    ];
    for (name, value) in facts {
        text.extend(value.map(|value| format!("- **{name}**: {value}\n")));
    }
    for event in &outcome.said {
        let at = event.at.map(|at| format!(", {}", at.minute())).unwrap_or_default();
        let kind = event.kind.replace('_', " ");
        text.push_str(&format!("\n## {} ({kind}, line {}{at})\n", heading(event), event.line));
        text.push_str(if event.speaker.is_some() { "\n" } else { "" });
        match event.speaker.as_deref() {
            None => {}
            Some("tool") => text.push_str(&fenced(&event.text)),
            _ => text.push_str(&format!("{}\n", event.text.trim_end())),
        }
    }
    text
}

fn heading(event: &ShownEvent) -> &str {
    match event.speaker.as_deref() {
        Some("person") => "Person",
        Some("agent") => "Agent",
        Some(_) => "Tool",
        None => "Event",
    }
}

/// A fenced code block; the fence is longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_are_told_in_the_unit_that_suits_them() {
        for (days, expected) in
            [(-1.0, "0 min"), (0.02, "28 min"), (0.5, "12 h"), (1.5, "36 h"), (40.2, "40 d")]
        {
            assert_eq!(age(days), expected);
        }
        assert_eq!([size(9_999), size(10_000), size(12_000_000)], ["9999 B", "10 kB", "12 MB"]);
    }

    #[test]
    fn fences_are_longer_than_any_within() {
        assert_eq!(fenced("a ``` b"), "````\na ``` b\n````\n");
        assert_eq!(fenced("a"), "```\na\n```\n");
    }
}
