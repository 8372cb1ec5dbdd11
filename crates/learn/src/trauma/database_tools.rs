//! Rates commands of database tools other than SQL clients: migration tools, key-value stores,
//! message queues, and HTTP requests to a store.

use super::shape::{requests_deletion, verbs};
use super::{DangerSeverity, Rating};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

const DROPS: &str = "drops the whole database";

/// A dangerous command of some programs.
struct ToolRule {
    programs: &'static [&'static str],
    applies: fn(&ToolCall<'_>) -> bool,
    severity: DangerSeverity,
    /// Effect of the command, as it completes "this command …".
    reason: &'static str,
}

/// A command of a tool, prepared for the rules.
struct ToolCall<'c> {
    command: &'c SimpleCommand,
    /// Arguments without flags.
    words: Vec<&'c str>,
    line: String,
}

impl ToolCall<'_> {
    fn starts_with(&self, word: &str) -> bool {
        self.words.first() == Some(&word)
    }

    /// Whether one of the words is among these.
    fn has_any(&self, wanted: &[&str]) -> bool {
        self.words.iter().any(|word| wanted.contains(word))
    }

    /// Whether these words follow each other.
    fn has_in_order(&self, wanted: &[&str]) -> bool {
        self.words.windows(wanted.len()).any(|window| window == wanted)
    }

    fn line_has(&self, text: &str) -> bool {
        self.line.contains(text)
    }
}

const fn rule(
    programs: &'static [&'static str],
    applies: fn(&ToolCall<'_>) -> bool,
    severity: DangerSeverity,
    reason: &'static str,
) -> ToolRule {
    ToolRule { programs, applies, severity, reason }
}

/// Rules by program; the first one that applies rates a command.
const RULES: &[ToolRule] = &[
    rule(&["dropdb"], |_| true, Block, DROPS),
    rule(&["pg_restore"], |call| call.command.has(&["-c", "--clean"]), Warn, "drops what it restores first"),
    rule(
        &["wp"],
        |call| call.has_in_order(&["db", "reset"]) || call.has_in_order(&["db", "drop"]),
        Block,
        DROPS,
    ),
    rule(&["drush"], |call| call.has_any(&["sql-drop", "sql:drop", "site:install"]), Block, DROPS),
    rule(&["flyway"], |call| call.has_any(&["clean"]), Block, DROPS),
    rule(&["liquibase"], |call| call.has_any(&["drop-all", "dropAll"]), Block, DROPS),
    rule(&["dotnet"], |call| call.has_in_order(&["ef", "database", "drop"]), Block, DROPS),
    rule(
        &["typeorm", "sequelize", "sequelize-cli", "knex", "mikro-orm"],
        |call| call.has_any(&["schema:drop", "db:drop", "migrate:rollback", "db:migrate:undo:all"]),
        Block,
        DROPS,
    ),
    rule(
        &["prisma"],
        |call| call.has_in_order(&["db", "push"]) && call.line_has("--force-reset"),
        Block,
        DROPS,
    ),
    rule(
        &["prisma"],
        |call| call.has_in_order(&["db", "push"]) && call.line_has("--accept-data-loss"),
        Warn,
        "drops columns and tables with their data",
    ),
    rule(
        &["prisma", "npx", "pnpm", "yarn", "bunx"],
        |call| call.has_in_order(&["migrate", "reset"]),
        Block,
        DROPS,
    ),
    rule(&["kafka-topics", "kafka-topics.sh"], |call| call.line_has("--delete"), Warn, "deletes a topic"),
    rule(&["nats"], |call| call.has_any(&["rm", "purge", "delete"]), Warn, "deletes a stream"),
    rule(&["rabbitmqadmin"], |call| call.has_any(&["delete", "purge"]), Warn, "deletes a queue"),
    rule(&["bq"], |call| call.starts_with("rm"), Block, "deletes a table or dataset"),
    rule(&["dropuser"], |_| true, Warn, "drops a role"),
    rule(&["mysqladmin"], |call| call.has_any(&["drop"]), Block, DROPS),
    rule(
        &["invoke-restmethod", "invoke-webrequest"],
        |call| call.line.to_ascii_lowercase().contains("-method delete"),
        Warn,
        "deletes something on a server",
    ),
    rule(
        &["rails", "rake", "bundle", "bin/rails"],
        |call| call.has_any(&["db:drop", "db:reset", "db:drop:all", "db:migrate:reset", "db:purge"]),
        Block,
        DROPS,
    ),
    rule(
        &["php", "artisan"],
        |call| call.has_any(&["migrate:fresh", "migrate:reset", "db:wipe"]),
        Block,
        DROPS,
    ),
    rule(
        &["python", "python3", "django-admin", "manage.py"],
        |call| {
            call.has_any(&["flush", "reset_db"])
                && (call.line_has("manage.py") || call.command.program == "django-admin")
        },
        Block,
        "empties the database",
    ),
    rule(
        &["sqlx", "diesel"],
        |call| call.starts_with("database") && call.has_any(&["drop", "reset"]),
        Block,
        DROPS,
    ),
    rule(&["mix"], |call| call.has_any(&["ecto.drop", "ecto.reset"]), Block, DROPS),
    rule(&["alembic"], |call| call.has_in_order(&["downgrade", "base"]), Block, "reverts every migration"),
    rule(&["supabase"], |call| call.has_in_order(&["db", "reset"]), Warn, "resets the database"),
    rule(
        &["etcdctl"],
        |call| call.starts_with("del") && call.line_has("--prefix"),
        Block,
        "deletes all keys below a prefix",
    ),
    rule(&["influx"], |call| call.starts_with("delete"), Block, "deletes measurements"),
    rule(&["rabbitmqctl"], |call| call.starts_with("reset"), Block, "resets the broker with its queues"),
];

/// Rates a command; `None` if it is of another tool, or harmless.
pub(super) fn rate(command: &SimpleCommand) -> Option<Rating> {
    let call = ToolCall { command, words: verbs(command).collect(), line: command.line() };
    match command.program.as_str() {
        "redis-cli" | "valkey-cli" | "keydb-cli" => rate_redis(&call.words),
        "curl" | "http" | "xh" | "https" => rate_request(&call),
        "mongo" | "mongosh" => rate_mongo(&call),
        program => RULES
            .iter()
            .find(|rule| rule.programs.contains(&program) && (rule.applies)(&call))
            .map(|rule| (rule.severity, rule.reason)),
    }
}

fn rate_mongo(call: &ToolCall<'_>) -> Option<Rating> {
    let text = format!("{} {}", call.line, call.command.input.as_deref().unwrap_or(""));
    let has = |part: &str| text.contains(part);
    if has("dropDatabase(") || has(".drop(") {
        return Some((Block, DROPS));
    }
    (has("deleteMany({})") || has("remove({})")).then_some((Warn, "deletes every document"))
}

/// Rates Redis commands that delete keys or change the server.
fn rate_redis(words: &[&str]) -> Option<Rating> {
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
fn rate_request(call: &ToolCall<'_>) -> Option<Rating> {
    let deletes = requests_deletion(call.command, "--request")
        || call.command.program != "curl" && call.starts_with("DELETE")
        || call.line_has("_delete_by_query");
    if !deletes {
        return None;
    }
    let is_local = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].iter().any(|host| call.line_has(host));
    let is_store = [":9200", ":9201", ":5984", ":8086", "/_all", "_delete_by_query"]
        .iter()
        .any(|part| call.line_has(part));
    match (is_local, is_store) {
        (_, true) => Some((Block, "deletes an index or database")),
        (false, false) => Some((Warn, "deletes something on a server")),
        (true, false) => None,
    }
}
