//! Text output of `cm usage`.

use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, STRONG, WARN, count, one_line, paint, safe};
use super::top::{judged, rest};
use cm_app::context::receipts::ReceiptEntry;
use cm_app::verbs::usage::{
    KindTokens, NoteUsage, RuleReceipt, SessionReceipt, SessionTokens, TokenUsage, UsageReport,
};

/// The totals, then the notes by use.
pub fn usage(outcome: &UsageReport) -> String {
    match &outcome.receipt {
        Some(receipt) => session(receipt),
        None => {
            let tokens = tokens(&outcome.tokens);
            // Agents can be shown text that is no note, such as past sessions.
            if outcome.total == 0 && !tokens.is_empty() { tokens } else { notes(outcome) + &tokens }
        }
    }
}

/// What one session was shown, in order.
fn session(receipt: &SessionReceipt) -> String {
    let head = format!("{}: {}", receipt.session, total(receipt.tokens, &receipt.kinds));
    let table: Vec<Vec<String>> = receipt.entries.iter().map(entry_cells).collect();
    let shown = rows(&table, |column, cell| shade(column != 3, cell));
    format!("{}\n{shown}{}", paint(STRONG, &head), rules(&receipt.rules))
}

/// The rules that a session was shown, and whether it cited or ignored them.
fn rules(receipts: &[RuleReceipt]) -> String {
    if receipts.is_empty() {
        return String::new();
    }
    let cells = |rule: &RuleReceipt| {
        let became = match (rule.ignored, rule.cited) {
            (true, Some(true)) => "cited, ignored",
            (true, _) => IGNORED,
            (false, Some(true)) => "cited",
            (false, _) => "",
        };
        vec![format!("shown {}", rule.shown), became.to_owned(), shown_id(&rule.id), one_line(&rule.content)]
    };
    let table: Vec<Vec<String>> = receipts.iter().map(cells).collect();
    let lines = rows(&table, |column, cell| match column {
        1 if cell.contains(IGNORED) => paint(WARN, cell),
        2 => paint(ID, cell),
        column => shade(column < 2, cell),
    });
    format!("{}\n{lines}", paint(STRONG, "rules"))
}

const IGNORED: &str = "ignored";

fn entry_cells(entry: &ReceiptEntry) -> Vec<String> {
    let ids: Vec<String> =
        entry.ids.iter().filter(|id| !id.contains('/')).map(|id| shown_id(id).clone()).collect();
    let about = match &entry.name {
        Some(name) => name.clone(),
        None => ids.join(" "),
    };
    vec![entry.at.to_string(), entry.kind.name().to_owned(), count(entry.tokens, "token"), one_line(&about)]
}

/// What agents were shown, by session; empty if there are no receipts.
fn tokens(usage: &TokenUsage) -> String {
    let mut lines = String::new();
    if usage.session_count > 0 {
        let head = format!("agents were shown {}", total(usage.shown, &usage.kinds));
        lines.push_str(&format!("{}\n", paint(STRONG, &head)));
        let cells = |one: &SessionTokens| {
            let session = one.session.as_deref().unwrap_or("session unknown");
            vec![one.last.day(), count(one.tokens, "token"), one_line(&one.agent), one_line(session)]
        };
        let table: Vec<Vec<String>> = usage.sessions.iter().map(cells).collect();
        lines.push_str(&rows(&table, |column, cell| shade(column == 0, cell)));
        if usage.session_count > usage.sessions.len() {
            let rest = format!("… of {}", count(usage.session_count, "session"));
            lines.push_str(&format!("{}\n", paint(DIM, &rest)));
        }
    }
    if usage.models > 0 {
        lines.push_str(&format!("models read and wrote {} tokens for cm\n", usage.models));
    }
    lines
}

fn total(tokens: usize, kinds: &[KindTokens]) -> String {
    let kinds: Vec<String> = kinds.iter().map(|one| format!("{} {}", one.kind.name(), one.tokens)).collect();
    format!("{} ({})", count(tokens, "token"), kinds.join(", "))
}

fn shade(is_dim: bool, cell: &str) -> String {
    if is_dim { paint(DIM, cell) } else { cell.to_owned() }
}

fn notes(outcome: &UsageReport) -> String {
    if outcome.total == 0 {
        return "no note was read or shown yet\n".to_owned();
    }
    let mut head = format!(
        "{}: read {}, shown {}",
        count(outcome.total, "note"),
        times(outcome.accesses),
        times(outcome.retrievals)
    );
    if outcome.unjudged > 0 {
        head.push_str(&format!("; {} shown without feedback", count(outcome.unjudged, "rule")));
    }
    let mut lines = format!("{}\n", paint(STRONG, &head));
    let table: Vec<Vec<String>> = outcome.notes.iter().map(cells).collect();
    lines.push_str(&rows(&table, |column, cell| match column {
        2 if cell.trim() == UNJUDGED => paint(WARN, cell),
        2 | 3 | 5 => paint(DIM, cell),
        4 => paint(ID, cell),
        _ => cell.to_owned(),
    }));
    if outcome.total > outcome.notes.len() {
        lines.push_str(&rest(outcome.total, "note", "--limit"));
    }
    if let Some(first) = outcome.notes.iter().find(|note| note.unjudged()) {
        let hint = format!(
            "`cm mark {} --helpful` gives feedback on the first unjudged rule",
            safe(&shown_id(&first.id))
        );
        lines.push_str(&format!("{}\n", paint(DIM, &hint)));
    }
    lines
}

const UNJUDGED: &str = "unjudged";

fn cells(note: &NoteUsage) -> Vec<String> {
    let feedback = match (note.helpful, note.harmful) {
        _ if note.unjudged() => UNJUDGED.to_owned(),
        (Some(helpful), Some(harmful)) => judged(helpful, harmful),
        _ => String::new(),
    };
    let last = note.last_access.max(note.last_retrieval);
    vec![
        format!("read {}", note.accesses),
        format!("shown {}", note.retrievals),
        feedback,
        last.map(|at| at.day()).unwrap_or_default(),
        shown_id(&note.id),
        one_line(note.note_type.as_deref().unwrap_or(note.kind.name())),
        one_line(&note.title),
    ]
}

fn times(n: u64) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}
