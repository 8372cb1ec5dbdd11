//! Text output of `cm token`.

use super::list::rows;
use super::style::{DIM, GOOD, WARN, paint, safe};
use cm_app::server_audit::TokenLog;
use cm_app::verbs::token::{NewToken, TokenInfo, TokenList};

/// A new token; the secret is on a line of its own for scripts.
pub fn made(outcome: &NewToken) -> String {
    let TokenInfo { id, person, role, expires, .. } = &outcome.record;
    let end = expires.map(|end| format!(", until {end}")).unwrap_or_default();
    let whose =
        format!("{} of {}, id {id}{end}; save it now, it will not be shown again", role.name(), safe(person));
    format!("{}\n{}\n", outcome.token, paint(DIM, &whose))
}

/// One line for each token.
pub fn listed(outcome: &TokenList) -> String {
    if outcome.tokens.is_empty() {
        return "no tokens; `cm token add NAME` creates one\n".to_owned();
    }
    let row = |token: &TokenInfo| {
        let end = match (token.revoked, token.expires) {
            (Some(at), _) => format!("revoked {}", at.day()),
            (None, Some(end)) if token.state == "expired" => format!("expired {}", end.day()),
            (None, Some(end)) => format!("until {}", end.day()),
            (None, None) => String::new(),
        };
        let last = format!("…{}", token.last_four);
        let made = format!("made {}", token.created.day());
        [
            token.id.clone(),
            token.role.to_string(),
            token.kind.to_string(),
            token.state.to_owned(),
            last,
            made,
            end,
            safe(&token.person),
        ]
        .into()
    };
    let table: Vec<Vec<String>> = outcome.tokens.iter().map(row).collect();
    rows(&table, |_, cell| match cell.trim() {
        "live" => paint(GOOD, cell),
        "revoked" | "expired" => paint(WARN, cell),
        _ => cell.to_owned(),
    })
}

/// One line for each request to the server.
pub fn log(outcome: &TokenLog) -> String {
    if outcome.requests.is_empty() {
        return "no requests to the server are recorded\n".to_owned();
    }
    let table: Vec<Vec<String>> = outcome
        .requests
        .iter()
        .map(|request| {
            let person = request.person.as_deref().unwrap_or("no token");
            let who = match &request.token {
                Some(token) => format!("{} ({token})", safe(person)),
                None => person.to_owned(),
            };
            let on = request.query.iter().map(|hash| format!("query {hash}"));
            let on = on.chain(request.ids.iter().map(|id| safe(id)));
            let sessions = request.sessions.iter().map(|id| format!("session {}", safe(id)));
            let on: Vec<String> = on.chain(sessions).collect();
            [request.at.to_string(), who, safe(&request.operation), safe(&request.outcome), on.join(" ")]
                .into()
        })
        .collect();
    let omitted = match outcome.omitted {
        0 => String::new(),
        more => paint(DIM, &format!("{more} earlier requests; --limit shows more")) + "\n",
    };
    rows(&table, |_, cell| if cell.trim() == "done" { paint(GOOD, cell) } else { cell.to_owned() }) + &omitted
}

/// One line for each revoked token.
pub fn revoked(outcome: &TokenList) -> String {
    outcome
        .tokens
        .iter()
        .map(|token| format!("{} {} of {}\n", paint(GOOD, "revoked"), token.id, safe(&token.person)))
        .collect()
}
