//! Detects sensitive paths: start-up files, keys, hooks, schedules and agent settings, which run
//! code later or grant access.

use super::DangerSeverity;
use super::path_class::CommandContext;

use DangerSeverity::{Block, Warn};

/// Severity of changing a path, and a description that follows "changes PATH: ".
pub type SensitivePath = (DangerSeverity, &'static str);

/// Files in a home folder that a shell, an editor or a desktop runs at start-up.
#[rustfmt::skip]
const STARTUP: [&str; 35] = [
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
    ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xinitrc",
    ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".vimrc", ".gvimrc", ".emacs", ".gdbinit",
    ".Rprofile", ".irbrc", ".pythonrc", ".tmux.conf", ".screenrc", ".wgetrc", ".curlrc", ".envrc_global",
    ".hushlogin", ".config/starship.toml",
];
/// Folders in a home folder with files that all run or load at start-up.
#[rustfmt::skip]
const STARTUP_FOLDERS: [&str; 15] = [
    ".config/fish", ".config/nvim", ".vim", ".emacs.d", ".config/autostart", ".config/environment.d",
    ".config/systemd/user", ".local/share/systemd/user", "Library/LaunchAgents", ".config/plasma-workspace",
    ".bashrc.d", ".oh-my-zsh", "Documents/PowerShell", "Documents/WindowsPowerShell", ".config/powershell",
];
/// Files in a home folder with passwords or with names of programs to run.
#[rustfmt::skip]
const SETTINGS: [&str; 20] = [
    ".gitconfig", ".config/git", ".git-credentials", ".netrc", ".npmrc", ".pypirc", ".pip", ".config/pip",
    ".cargo/config", ".cargo/config.toml", ".cargo/credentials.toml", ".aws", ".azure", ".config/gcloud", ".kube",
    ".docker/config.json", ".gnupg", ".pgpass", ".config/cm", ".m2/settings.xml",
];
/// Settings of coding agents, in a home folder or a project.
#[rustfmt::skip]
const AGENTS: [&str; 20] = [
    ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude.json", ".mcp.json",
    ".cursor/hooks.json", ".cursor/hooks", ".cursor/mcp.json", ".cursor/cli-config.json", ".codex/config.toml",
    ".codex/hooks.json", ".codex/rules", ".gemini/settings.json", ".config/opencode", ".opencode/plugin",
    ".opencode/plugins", "opencode.json", "opencode.jsonc", ".config/amp/settings.json", ".copilot/config.json",
];
/// System files and folders that control access to the machine or its start-up.
#[rustfmt::skip]
const SYSTEM: [&str; 28] = [
    "/proc/sysrq-trigger", "/proc/sys",
    "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/sudoers.d", "/etc/cron.d", "/etc/crontab",
    "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly", "/etc/systemd", "/etc/profile",
    "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/environment", "/etc/ld.so.preload", "/etc/pam.d",
    "/etc/ssh", "/etc/rc.local", "/etc/init.d", "/etc/hosts", "/var/spool/cron", "/lib/systemd",
    "/Library/LaunchDaemons",
];

/// Returns how severe it is to change a path, with a description; `None` for an ordinary file.
pub(crate) fn sensitivity(site: &CommandContext<'_>, path: &str) -> Option<SensitivePath> {
    let lower = path.to_ascii_lowercase();
    if lower.starts_with("$profile") || lower.ends_with("profile.ps1") {
        return Some((Warn, "a file that runs at the start of a shell"));
    }
    let absolute = site.target(path)?;
    if SYSTEM.iter().any(|root| below(&absolute, root)) {
        return Some((Block, "a system file that controls access or startup"));
    }
    if let Some(found) = of_repository(&absolute) {
        return Some(found);
    }
    let in_home = in_home(&absolute, site.path_context.home);
    if let Some(found) = in_home.and_then(of_home) {
        return Some(found);
    }
    let in_work = absolute.strip_prefix(site.path_context.cwd).map(|rest| rest.trim_start_matches('/'));
    [in_home, in_work].into_iter().flatten().find_map(of_agent)
}

/// Returns the part of a path below the home folder, or below that of any other user.
fn in_home<'p>(path: &'p str, home: &str) -> Option<&'p str> {
    let own = path.strip_prefix(home.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    own.or_else(|| path.strip_prefix("/root/")).or_else(|| {
        let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, rest)| rest)
    })
}

fn of_home(path: &str) -> Option<SensitivePath> {
    if matches!(path, ".ssh" | ".gnupg" | ".aws" | ".kube" | ".claude" | ".codex") {
        return Some((Warn, "a folder with keys or settings"));
    }
    if let Some(name) = path.strip_prefix(".ssh/") {
        return match name {
            "authorized_keys" | "authorized_keys2" | "rc" | "environment" => {
                Some((Block, "a file that lets others log in"))
            }
            "known_hosts" => None,
            "config" => Some((Warn, "SSH settings, which can run commands")),
            _ if name.ends_with(".pub") || name.starts_with("config.d/") => None,
            _ => Some((Block, "a private key")),
        };
    }
    if STARTUP.contains(&path) || STARTUP_FOLDERS.iter().any(|folder| below(path, folder)) {
        return Some((Warn, "a file that runs whenever a shell, program or session starts"));
    }
    let settings = SETTINGS.iter().any(|folder| below(path, folder));
    settings.then_some((Warn, "settings with passwords or commands"))
}

fn of_agent(path: &str) -> Option<SensitivePath> {
    let settings = AGENTS.iter().any(|file| below(path, file) || path.ends_with(&format!("/{file}")));
    settings.then_some((Warn, "agent settings with hooks, servers and permissions"))
}

fn of_repository(path: &str) -> Option<SensitivePath> {
    let (_, inside) = path.rsplit_once("/.git/")?;
    match inside {
        _ if inside.starts_with("hooks/") && !inside.ends_with(".sample") => {
            Some((Warn, "a hook that Git runs automatically"))
        }
        "config" | "config.worktree" => Some((Warn, "Git settings, which can run commands")),
        _ => None,
    }
}

/// Returns `true` if a path is `folder` or below it.
fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
