//! Detects commands that send secrets off the machine or give another machine a shell.

use super::path_class::CommandContext;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::{SimpleCommand, program_text};

use DangerSeverity::{Block, Warn};

/// Programs that send their arguments or input over the network.
#[rustfmt::skip]
const SENDERS: [&str; 29] = [
    "dig", "nslookup", "host", "ping",
    "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "http", "https", "xh", "httpie", "mail", "mailx",
    "sendmail", "mutt", "ftp", "tftp", "lftp", "ssh", "invoke-webrequest", "invoke-restmethod", "iwr", "irm", "croc",
    "wormhole",
];
/// Programs that copy files to another machine.
#[rustfmt::skip]
const COPIERS: [&str; 12] = [
    "scp", "rsync", "sftp", "rclone", "aws", "gsutil", "gcloud", "az", "mc", "s3cmd", "gh", "transfer",
];
/// Path fragments of files that contain keys or passwords.
#[rustfmt::skip]
const KEYS: [&str; 33] = [
    "/.ssh/", "/.aws/", "/.gnupg/", "/.azure/", "/.kube/", "/.config/gcloud/", "/.config/gh/", "/.docker/config.json",
    "/.netrc", "/.npmrc", "/.pypirc", "/.git-credentials", "/.pgpass", "/.my.cnf", "/.vault-token", "/id_rsa",
    "/id_ed25519", "/id_ecdsa", "/id_dsa", "/etc/shadow", "/etc/passwd", "/.password-store/", "/login.keychain",
    "/Login Data", "/Cookies", "/logins.json", "/wallet.dat", "/.config/solana/", "/credentials.json", "/.bash_history",
    "/.zsh_history", "/proc/self/environ", "/.cargo/credentials",
];
/// File name suffixes of key files.
const ENDINGS: [&str; 6] = [".pem", ".key", ".p12", ".pfx", ".kdbx", ".ppk"];
/// Environment variables that usually contain secrets.
const VARIABLES: [&str; 9] = [
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
    "DATABASE_URL",
    "PRIVATE_KEY",
];

pub fn dangers(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let of = |severity, reason: String| Danger::of(command, DangerClass::Exfiltration, severity, reason);
    if let Some(reason) = shell_opened(command) {
        return vec![of(Block, reason.to_owned())];
    }
    if let Some(reason) = scripted(command) {
        return vec![of(Warn, reason.to_owned())];
    }
    let program = command.program.as_str();
    if program == "git" && command.operands().next().is_some_and(|verb| verb.text == "add") {
        let added =
            command.operands().skip(1).map(|word| word.text.as_str()).find(|path| is_secret(site, path));
        let reason = |path| format!("adds {path} to the repository, which may be pushed");
        return added.map(|path| of(Warn, reason(path))).into_iter().collect();
    }
    let sends = SENDERS.contains(&program) && !is_local(command);
    let copies = COPIERS.contains(&program) && goes_out(command);
    if !sends && !copies {
        return Vec::new();
    }
    if let Some(what) = sent(command, site).or_else(|| piped(command, site).filter(|_| takes_input(command)))
    {
        // A copy to a machine that the person works with may be wanted.
        let severity = if copies && what.contains(".env") { Warn } else { Block };
        return vec![of(severity, format!("sends {what} to another machine"))];
    }
    Vec::new()
}

/// Returns `true` if a path is that of a file with keys or passwords. Public keys and example files
/// are not secret.
pub fn is_secret(site: &CommandContext<'_>, path: &str) -> bool {
    let path = path.trim_start_matches('@');
    let path = path.strip_prefix("file://").unwrap_or(path);
    let whole = format!("/{}", site.target(path).unwrap_or_else(|| path.to_owned()).trim_start_matches('/'));
    let name = whole.rsplit('/').next().unwrap_or_default();
    let public = name.ends_with(".pub") || matches!(name, "known_hosts" | "authorized_keys");
    let example = [".example", ".sample", ".template", ".dist", ".test", ".schema", ".defaults"];
    let environment =
        (name == ".env" || name.starts_with(".env.") || name.ends_with(".env") && name.len() > 4)
            && !example.iter().any(|ending| name.ends_with(ending));
    let folder = format!("{whole}/");
    !public && (environment || KEYS.iter().any(|key| folder.contains(key) || whole.contains(key)))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Describes the first secret that a command sends as an argument or as redirected input; `None` if
/// there is none.
fn sent(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<String> {
    let mut passed = false;
    for (at, word) in command.args.iter().enumerate() {
        if std::mem::take(&mut passed) {
            continue;
        }
        let text = word.text.as_str();
        // A key that logs in, and a header, are what they are for.
        if logs_in(&command.program, text) {
            passed = true;
            continue;
        }
        let destination = command.program != "wget" && at + 1 == command.args.len() && at > 0;
        let target = destination && command.program != "gh" && COPIERS.contains(&command.program.as_str());
        let inner = text.split(['=', '@', ';', '<', '(', ')', '`', ' ', '"']).filter(|part| !part.is_empty());
        let file = [text].into_iter().chain(inner).find(|part| is_path(part) && is_secret(site, part));
        if let Some(file) = file.filter(|_| !target && !text.contains("://") || text.contains("$(")) {
            return Some(file.trim_start_matches('@').to_owned());
        }
        if let Some(name) = VARIABLES
            .iter()
            .find(|name| text.contains(&format!("${name}")) || text.contains(&format!("${{{name}")))
        {
            return Some(format!("${name}"));
        }
        if text.contains("$(env") || text.contains("$(printenv") || text.contains("`env`") {
            return Some("the environment with its keys".to_owned());
        }
    }
    let batch =
        command.input.as_deref().filter(|_| matches!(command.program.as_str(), "sftp" | "ftp" | "lftp"));
    if let Some(file) = batch.and_then(|text| text.split_whitespace().find(|word| is_secret(site, word))) {
        return Some(file.to_owned());
    }
    let read = command.redirects.iter().filter(|redirect| redirect.sign == "<");
    read.map(|redirect| redirect.target.text.as_str()).find(|path| is_secret(site, path)).map(str::to_owned)
}

fn is_path(text: &str) -> bool {
    text.contains(['/', '.', '~', '_']) && text.len() < 512
}

/// Returns `true` if the argument after a flag is not sent as data: credentials for the login
/// itself, or a local option.
fn logs_in(program: &str, flag: &str) -> bool {
    match program {
        "curl" => matches!(
            flag,
            "-H" | "--header"
                | "-E"
                | "--cert"
                | "--key"
                | "--cacert"
                | "-u"
                | "--user"
                | "-o"
                | "--output"
                | "-K"
                | "--config"
                | "-b"
                | "--oauth2-bearer"
                | "--netrc-file"
                | "-c"
        ),
        "wget" => matches!(flag, "--header" | "-O" | "-o" | "--ca-certificate"),
        "ssh" | "scp" | "sftp" => matches!(flag, "-i" | "-F" | "-o" | "-S" | "-J" | "-P" | "-p"),
        "rsync" => matches!(flag, "-e" | "--rsh" | "--exclude" | "--exclude-from"),
        "http" | "https" | "xh" => matches!(flag, "-A" | "-a" | "--auth" | "--cert"),
        _ => false,
    }
}

/// Describes the first secret that the commands before this one in the pipe write to it; `None` if
/// there is none.
fn piped(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<String> {
    for before in &command.upstream {
        let words: Vec<&str> = before.operands().map(|word| word.text.as_str()).collect();
        let environment = match before.program.as_str() {
            "printenv" => true,
            "env" => words.is_empty(),
            "set" | "export" | "declare" => words.is_empty(),
            _ => false,
        };
        if environment && !command.is_downstream_of(&["grep", "rg"]) {
            return Some("the environment with its keys".to_owned());
        }
        if prints_secret(before, &words) {
            return Some(format!("the output of `{}`", before.program));
        }
        let reads = before.redirects.iter().filter(|redirect| redirect.sign == "<").map(|to| &to.target.text);
        let file =
            words.iter().copied().chain(reads.map(String::as_str)).find(|word| {
                is_path(word) && (is_secret(site, word) || is_secret(site, &format!("{word}/")))
            });
        if let Some(file) = file {
            return Some(file.to_owned());
        }
        let whole =
            |word: &&str| matches!(word.trim_end_matches('/'), "~" | "$HOME") && before.program == "tar";
        if words.iter().any(whole) {
            return Some("the home folder".to_owned());
        }
    }
    None
}

/// Returns `true` if a command prints a secret, such as `gh auth token`.
fn prints_secret(command: &SimpleCommand, words: &[&str]) -> bool {
    match command.program.as_str() {
        "security" => words.iter().any(|word| word.starts_with("find-") || word.starts_with("dump-")),
        "gpg" | "gpg2" => command.args.iter().any(|word| word.text.starts_with("--export-secret")),
        "pass" | "secret-tool" | "op" | "bw" | "lpass" => {
            words.first().is_some_and(|verb| matches!(*verb, "show" | "read" | "lookup" | "get" | "item"))
        }
        "aws" => words.first() == Some(&"secretsmanager") || words.contains(&"export-credentials"),
        "gh" => words.starts_with(&["auth", "token"]),
        "gcloud" => words.contains(&"print-access-token") || words.contains(&"print-identity-token"),
        "kubectl" | "oc" => words.iter().any(|word| matches!(*word, "secret" | "secrets")),
        "vault" => words.first() == Some(&"kv") || words.first() == Some(&"read"),
        "git" => words.starts_with(&["credential", "fill"]),
        "docker" => words.starts_with(&["secret"]),
        _ => false,
    }
}

/// Returns `true` if a program sends its stdin over the network.
fn takes_input(command: &SimpleCommand) -> bool {
    let any = |wanted: &[&str]| {
        command.args.iter().any(|word| {
            wanted.iter().any(|flag| word.text == *flag || word.text.starts_with(&format!("{flag}=")))
        })
    };
    let dash = || {
        command
            .args
            .iter()
            .any(|word| matches!(word.text.as_str(), "-" | "@-" | ".") || word.text.ends_with("=@-"))
    };
    match command.program.as_str() {
        "curl" => dash() || any(&["-T-", "-d@-"]) || command.args.iter().any(|word| word.text.contains("@-")),
        "wget" => any(&["--post-file", "--body-file"]),
        "aws" | "gsutil" | "rclone" | "mc" | "gh" | "s3cmd" => dash() || command.program == "gh",
        "scp" | "rsync" | "sftp" => false,
        _ => true,
    }
}

/// Returns `true` if a network command contacts only this machine.
fn is_local(command: &SimpleCommand) -> bool {
    const LOCAL: [&str; 5] = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"];
    let host = |word: &str| {
        let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
        LOCAL.iter().any(|local| rest.strip_prefix(local).is_some_and(|rest| !rest.starts_with('.')))
    };
    command.operands().any(|word| host(&word.text))
}

/// Returns `true` if a copy command writes to another machine.
fn goes_out(command: &SimpleCommand) -> bool {
    let words: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    let remote = |word: &&str| word.contains("://") || word.contains(':') && !word.starts_with(['/', '.']);
    match command.program.as_str() {
        "scp" | "rsync" => words.last().is_some_and(remote),
        "aws" => words.first() == Some(&"s3") && words.last().is_some_and(remote),
        "gsutil" | "gcloud" | "az" | "s3cmd" => {
            words.iter().any(|word| matches!(*word, "cp" | "rsync" | "mv" | "put" | "upload"))
                && words.last().is_some_and(remote)
        }
        "rclone" => matches!(words.first(), Some(&("copy" | "sync" | "copyto" | "move" | "rcat"))),
        "mc" => matches!(words.first(), Some(&("cp" | "mirror" | "pipe"))),
        "gh" => words.starts_with(&["gist", "create"]),
        _ => true,
    }
}

/// Returns the reason if a command gives another machine a shell or opens a raw connection to it.
fn shell_opened(command: &SimpleCommand) -> Option<&'static str> {
    const OPENS: &str = "gives another machine a shell on this one";
    const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
    let program = command.program.as_str();
    let words = || command.args.iter().map(|word| word.text.as_str());
    let network = |path: &str| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/");
    if command.redirects.iter().any(|redirect| network(&redirect.target.text)) {
        return Some(if SHELLS.contains(&program) || program == "exec" {
            OPENS
        } else {
            "writes to another machine over a raw connection"
        });
    }
    let netcat = matches!(program, "nc" | "ncat" | "netcat");
    if netcat && (command.has(&["-e", "-c", "--exec", "--sh-exec"]) || command.is_downstream_of(&SHELLS)) {
        return Some(OPENS);
    }
    if program == "socat"
        && words().any(|word| word.to_ascii_lowercase().starts_with("exec:") || word.starts_with("SYSTEM:"))
    {
        return Some(OPENS);
    }
    let text = program_text(command)?;
    let connects = ["socket", "TCPSocket", "net.connect", "createConnection", "fsockopen"];
    let gives = ["dup2", "pty.spawn", "/bin/sh", "/bin/bash", "child_process", "exec("];
    let holds = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
    (holds(&connects) && holds(&gives)).then_some(OPENS)
}

/// Returns the reason if an inline script both reads keys and uses the network.
fn scripted(command: &SimpleCommand) -> Option<&'static str> {
    let text = program_text(command)?;
    let holds = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
    let sends = [
        "requests.post",
        "urlopen",
        "http.client",
        "fetch(",
        "axios.post",
        "Net::HTTP",
        "smtplib",
        "https.request",
    ];
    let keys = [
        ".ssh",
        ".aws",
        ".env\"",
        ".env'",
        "id_rsa",
        "id_ed25519",
        "os.environ)",
        "dict(os.environ",
        "JSON.stringify(process.env",
        ".netrc",
        ".npmrc",
    ];
    (holds(&sends) && holds(&keys)).then_some("reads keys and sends data over the network")
}
