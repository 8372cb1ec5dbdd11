//! Detects commands that drop or delete data: SQL as an argument or on stdin, and tools that drop
//! or reset databases.

use super::{Danger, DangerClass, DangerSeverity, Rating, database_tools};
use crate::prose::pattern;
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};
use cm_text::shorten::fold_whitespace;

/// SQL clients, each with the flags that introduce an SQL statement. Clients without flags take
/// statements as operands.
const CLIENTS: [(&str, &[&str]); 21] = [
    ("cqlsh", &["-e", "--execute"]),
    ("trino", &["--execute"]),
    ("hive", &["-e"]),
    ("beeline", &["-e"]),
    ("spark-sql", &["-e"]),
    ("sqlplus", &["-c"]),
    ("mycli", &["-e", "--execute"]),
    ("libsql", &[]),
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

pub fn dangers(command: &SimpleCommand) -> Vec<Danger> {
    let danger = |(severity, reason): Rating| Danger::of(command, DangerClass::Database, severity, reason);
    let client = CLIENTS.iter().find(|(name, _)| *name == command.program);
    let texts = client.map(|(_, flags)| sql_texts(command, flags)).unwrap_or_default();
    let of_sql = texts
        .iter()
        .flat_map(|text| split_statements(text))
        .filter_map(|statement| rate_statement(&statement));
    // `bq` is both: it takes SQL, and has subcommands such as `rm`.
    of_sql.chain(database_tools::rate(command)).map(danger).collect()
}

/// Returns the SQL that a command passes to its client, as arguments or on stdin.
fn sql_texts(command: &SimpleCommand, flags: &[&str]) -> Vec<String> {
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

/// Splits SQL into upper-case statements, without comments and string literals.
fn split_statements(text: &str) -> Vec<String> {
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
    plain.split(';').map(fold_whitespace).filter(|statement| !statement.is_empty()).collect()
}

fn rate_statement(statement: &str) -> Option<Rating> {
    let words: Vec<&str> = statement.split(' ').collect();
    let unbound = match statement.split_once(" WHERE ") {
        Some((_, condition)) => {
            let plain = condition.replace(' ', "");
            matches!(plain.as_str(), "1=1" | "TRUE" | "1" | "NOTFALSE" | "IDISNOTNULL" | "ID=ID" | "ID>0")
        }
        None => true,
    };
    match words.as_slice() {
        ["DROP", "DATABASE" | "SCHEMA" | "TABLE" | "TABLESPACE" | "OWNED" | "KEYSPACE", ..] => {
            Some((Block, "drops data with all its rows"))
        }
        ["DROP", ..] => Some((Warn, "drops part of the schema")),
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

// The operations of SQL that lose data.
pattern!(
    LOSES_DATA =
        r"(?i)\b(?:TRUNCATE|DELETE\s+FROM|DROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|VIEW)|ALTER\s+TABLE)\b"
);

/// Returns the operation of the first SQL statement in a command line that loses data, in upper case with single spaces,
/// such as `DROP TABLE`.
pub fn sql_operation(command: &str) -> Option<String> {
    let found = LOSES_DATA.find(command)?;
    Some(fold_whitespace(found.as_str()).to_uppercase())
}
