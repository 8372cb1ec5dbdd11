//! Data that is dropped: SQL on the command line, on the input, and tools that drop or reset whole databases.

use super::shape::verbs;
use super::{Class, Danger, Severity};
use crate::domain::command::Simple;

use Severity::{Block, Warn};

/// Clients of SQL, with the flags behind which a statement stands.
const CLIENTS: [(&str, &[&str]); 13] = [
    ("psql", &["-c", "--command"]),
    ("mysql", &["-e", "--execute"]),
    ("mariadb", &["-e", "--execute"]),
    ("sqlite3", &[]),
    ("sqlcmd", &["-Q", "-q"]),
    ("clickhouse-client", &["-q", "--query"]),
    ("clickhouse", &["-q", "--query"]),
    ("duckdb", &["-c"]),
    ("cockroach", &["-e", "--execute"]),
    ("snowsql", &["-q"]),
    ("bq", &[]),
    ("usql", &["-c"]),
    ("pgcli", &["-c"]),
];

/// The dangers of a command to databases.
pub fn dangers(command: &Simple) -> Vec<Danger> {
    let of = |(severity, reason): (Severity, &str)| Danger::of(command, Class::Database, severity, reason);
    if let Some((_, flags)) = CLIENTS.iter().find(|(name, _)| *name == command.program) {
        return texts(command, flags)
            .iter()
            .flat_map(|text| statements(text))
            .filter_map(|statement| judged(&statement))
            .map(of)
            .collect();
    }
    tool(command).map(of).into_iter().collect()
}

/// The SQL that a client is given.
fn texts(command: &Simple, flags: &[&str]) -> Vec<String> {
    let words: Vec<&str> = command.args.iter().map(|word| word.text.as_str()).collect();
    let mut texts: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let given = flags.iter().any(|flag| {
            word == flag
                || flag.len() == 2
                    && word.starts_with('-')
                    && !word.starts_with("--")
                    && word.ends_with(&flag[1..])
        });
        if given {
            texts.extend(words.get(at + 1).map(|text| (*text).to_owned()));
        }
        let joined = flags.iter().find_map(|flag| {
            word.strip_prefix(flag)?
                .strip_prefix('=')
                .or_else(|| word.strip_prefix(flag).filter(|rest| flag.len() == 2 && rest.contains(' ')))
        });
        texts.extend(joined.map(str::to_owned));
    }
    if flags.is_empty() {
        texts.extend(command.operands().filter(|word| word.text.contains(' ')).map(|word| word.text.clone()));
    }
    texts.extend(command.input.clone());
    texts
}

/// The statements of a text, in capitals, without comments and literals.
fn statements(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map_or(rest.len(), |end| end + 4)
        } else if let Some(inner) = rest.strip_prefix('\'') {
            inner.find('\'').map_or(rest.len(), |end| end + 2)
        } else {
            plain.push(first.to_ascii_uppercase());
            rest = &rest[first.len_utf8()..];
            continue;
        };
        plain.push(' ');
        rest = &rest[skipped.min(rest.len())..];
    }
    plain
        .split(';')
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|statement| !statement.is_empty())
        .collect()
}

fn judged(statement: &str) -> Option<(Severity, &'static str)> {
    let words: Vec<&str> = statement.split(' ').collect();
    let unbound = !words.contains(&"WHERE");
    match words.as_slice() {
        ["DROP", "DATABASE" | "SCHEMA" | "TABLE" | "TABLESPACE" | "OWNED" | "KEYSPACE", ..] => {
            Some((Block, "drops data with all its rows"))
        }
        [
            "DROP",
            "INDEX" | "VIEW" | "FUNCTION" | "TRIGGER" | "ROLE" | "USER" | "COLUMN" | "SEQUENCE" | "TYPE"
            | "MATERIALIZED",
            ..,
        ] => Some((Warn, "drops a part of the schema")),
        ["TRUNCATE", ..] => Some((Block, "empties whole tables")),
        ["DELETE", "FROM", ..] if unbound => Some((Warn, "deletes every row: there is no WHERE")),
        ["UPDATE", ..] if unbound && words.contains(&"SET") => {
            Some((Warn, "changes every row: there is no WHERE"))
        }
        ["ALTER", "TABLE", ..] if statement.contains(" DROP ") => {
            Some((Warn, "drops a column or constraint with its data"))
        }
        _ => None,
    }
}

/// Tools that are no clients of SQL.
fn tool(command: &Simple) -> Option<(Severity, &'static str)> {
    let words: Vec<&str> = verbs(command).collect();
    let line = command.line();
    let drops = (Block, "drops the whole database");
    match command.program.as_str() {
        "dropdb" => Some(drops),
        "dropuser" => Some((Warn, "drops a role")),
        "mysqladmin" if words.contains(&"drop") => Some(drops),
        "redis-cli" | "valkey-cli"
            if words
                .iter()
                .any(|word| matches!(word.to_ascii_uppercase().as_str(), "FLUSHALL" | "FLUSHDB")) =>
        {
            Some((Block, "empties the store"))
        }
        "mongo" | "mongosh" => {
            let text = format!("{line} {}", command.input.as_deref().unwrap_or(""));
            (text.contains("dropDatabase(") || text.contains(".drop(")).then_some(drops).or_else(|| {
                (text.contains("deleteMany({})") || text.contains("remove({})"))
                    .then_some((Warn, "deletes every document"))
            })
        }
        "rails" | "rake" | "bundle" | "bin/rails"
            if words.iter().any(|word| {
                matches!(*word, "db:drop" | "db:reset" | "db:drop:all" | "db:migrate:reset" | "db:purge")
            }) =>
        {
            Some(drops)
        }
        "prisma" | "npx" | "pnpm" | "yarn" | "bunx" if follows(&words, &["migrate", "reset"]) => Some(drops),
        "php" | "artisan"
            if words.iter().any(|word| matches!(*word, "migrate:fresh" | "migrate:reset" | "db:wipe")) =>
        {
            Some(drops)
        }
        "python" | "python3" | "django-admin" | "manage.py"
            if words.iter().any(|word| matches!(*word, "flush" | "reset_db"))
                && line.contains("manage.py") | (command.program == "django-admin") =>
        {
            Some((Block, "empties the database"))
        }
        "sqlx" | "diesel"
            if words.first() == Some(&"database")
                && words.iter().any(|word| matches!(*word, "drop" | "reset")) =>
        {
            Some(drops)
        }
        "mix" if words.iter().any(|word| matches!(*word, "ecto.drop" | "ecto.reset")) => Some(drops),
        "alembic" if follows(&words, &["downgrade", "base"]) => Some((Block, "takes back every migration")),
        "supabase" if follows(&words, &["db", "reset"]) => Some((Warn, "resets the database")),
        "etcdctl" if words.first() == Some(&"del") && line.contains("--prefix") => {
            Some((Block, "deletes all keys below a prefix"))
        }
        "influx" if words.first() == Some(&"delete") => Some((Block, "deletes measurements")),
        "rabbitmqctl" if words.first() == Some(&"reset") => {
            Some((Block, "resets the broker with its queues"))
        }
        _ => None,
    }
}

fn follows(words: &[&str], wanted: &[&str]) -> bool {
    words.windows(wanted.len()).any(|window| window == wanted)
}
