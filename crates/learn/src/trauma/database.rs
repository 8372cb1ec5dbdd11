//! Detects commands that drop or delete data: SQL as an argument or on stdin, and tools that drop
//! or reset databases.

use super::shape::verbs;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

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
    let of = |(severity, reason): (DangerSeverity, &str)| {
        Danger::of(command, DangerClass::Database, severity, reason)
    };
    let client = CLIENTS.iter().find(|(name, _)| *name == command.program);
    let texts = client.map(|(_, flags)| texts(command, flags)).unwrap_or_default();
    let of_sql = texts.iter().flat_map(|text| statements(text)).filter_map(|statement| judged(&statement));
    // `bq` is both: it takes SQL, and has subcommands such as `rm`.
    of_sql.chain(tool(command)).map(of).collect()
}

/// Returns the SQL that a command passes to its client, as arguments or on stdin.
fn texts(command: &SimpleCommand, flags: &[&str]) -> Vec<String> {
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

fn judged(statement: &str) -> Option<(DangerSeverity, &'static str)> {
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

/// Rates commands of database tools other than SQL clients.
fn tool(command: &SimpleCommand) -> Option<(DangerSeverity, &'static str)> {
    let words: Vec<&str> = verbs(command).collect();
    let line = command.line();
    let drops = (Block, "drops the whole database");
    match command.program.as_str() {
        "dropdb" => Some(drops),
        "pg_restore" if command.has(&["-c", "--clean"]) => Some((Warn, "drops what it restores first")),
        "wp" if follows(&words, &["db", "reset"]) || follows(&words, &["db", "drop"]) => Some(drops),
        "drush" if words.iter().any(|word| matches!(*word, "sql-drop" | "sql:drop" | "site:install")) => {
            Some(drops)
        }
        "flyway" if words.contains(&"clean") => Some(drops),
        "liquibase" if words.iter().any(|word| matches!(*word, "drop-all" | "dropAll")) => Some(drops),
        "dotnet" if follows(&words, &["ef", "database", "drop"]) => Some(drops),
        "typeorm" | "sequelize" | "sequelize-cli" | "knex" | "mikro-orm"
            if words.iter().any(|word| {
                matches!(*word, "schema:drop" | "db:drop" | "migrate:rollback" | "db:migrate:undo:all")
            }) =>
        {
            Some(drops)
        }
        "prisma" if follows(&words, &["db", "push"]) && line.contains("--force-reset") => Some(drops),
        "prisma" if follows(&words, &["db", "push"]) && line.contains("--accept-data-loss") => {
            Some((Warn, "drops columns and tables with their data"))
        }
        "kafka-topics" | "kafka-topics.sh" if line.contains("--delete") => Some((Warn, "deletes a topic")),
        "nats" if words.iter().any(|word| matches!(*word, "rm" | "purge" | "delete")) => {
            Some((Warn, "deletes a stream"))
        }
        "rabbitmqadmin" if words.iter().any(|word| matches!(*word, "delete" | "purge")) => {
            Some((Warn, "deletes a queue"))
        }
        "bq" if words.first() == Some(&"rm") => Some((Block, "deletes a table or dataset")),
        "dropuser" => Some((Warn, "drops a role")),
        "mysqladmin" if words.contains(&"drop") => Some(drops),
        "redis-cli" | "valkey-cli" | "keydb-cli" => redis(&words),
        "curl" | "http" | "xh" | "https" => requested(command, &words),
        "invoke-restmethod" | "invoke-webrequest" if line.to_ascii_lowercase().contains("-method delete") => {
            Some((Warn, "deletes something on a server"))
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
                && (line.contains("manage.py") || command.program == "django-admin") =>
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
        "alembic" if follows(&words, &["downgrade", "base"]) => Some((Block, "reverts every migration")),
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

/// Rates Redis commands that delete keys or change the server.
fn redis(words: &[&str]) -> Option<(DangerSeverity, &'static str)> {
    let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
    let is = |wanted: &[&str]| upper.iter().any(|word| wanted.contains(&word.as_str()));
    if upper.iter().any(|word| word.contains("FLUSHALL") || word.contains("FLUSHDB")) {
        return Some((Block, "empties the store"));
    }
    if is(&["DEL", "UNLINK", "SHUTDOWN", "REPLICAOF", "SLAVEOF"])
        || is(&["CONFIG", "CLUSTER", "SCRIPT"]) && is(&["SET", "RESET", "FLUSH"])
        || is(&["EVAL"]) && upper.iter().any(|word| word.contains("'DEL'") || word.contains("\"DEL\""))
    {
        return Some((Warn, "deletes keys or changes the server"));
    }
    None
}

/// Rates an HTTP request that deletes something on another host, or a database or index on any
/// host.
fn requested(command: &SimpleCommand, words: &[&str]) -> Option<(DangerSeverity, &'static str)> {
    let line = command.line();
    let deletes =
        command.args.iter().any(|word| matches!(word.text.as_str(), "-XDELETE" | "--request=DELETE"))
            || command
                .args
                .windows(2)
                .any(|pair| matches!(pair[0].text.as_str(), "-X" | "--request") && pair[1].text == "DELETE")
            || command.program != "curl" && words.first() == Some(&"DELETE")
            || line.contains("_delete_by_query");
    if !deletes {
        return None;
    }
    let local = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].iter().any(|host| line.contains(host));
    let store = [":9200", ":9201", ":5984", ":8086", "/_all", "_delete_by_query"]
        .iter()
        .any(|part| line.contains(part));
    match (local, store) {
        (_, true) => Some((Block, "deletes an index or database")),
        (false, false) => Some((Warn, "deletes something on a server")),
        (true, false) => None,
    }
}

fn follows(words: &[&str], wanted: &[&str]) -> bool {
    words.windows(wanted.len()).any(|window| window == wanted)
}
