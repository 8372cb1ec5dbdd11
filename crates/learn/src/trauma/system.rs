//! Detects commands that change the machine itself: services, protections, accounts and audit
//! traces.

use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

/// Returns how a command endangers the running machine.
pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    let (severity, reason) =
        rate_service(command).or_else(|| rate_protection(command)).or_else(|| rate_account(command))?;
    Some(Danger::of(command, DangerClass::System, severity, reason))
}

type Found = Option<(DangerSeverity, &'static str)>;

fn rate_service(command: &SimpleCommand) -> Found {
    let words: Vec<String> = command.operands().map(|word| word.text.to_ascii_lowercase()).collect();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let off = (Warn, "disables a service");
    match command.program.as_str() {
        "systemctl" if any(&["stop", "disable", "mask", "kill"]) => Some(off),
        "systemctl" if any(&["poweroff", "reboot", "halt", "kexec", "rescue", "emergency"]) => {
            Some((Warn, "stops the machine"))
        }
        "service" | "rc-service" | "supervisorctl" | "sv" | "s6-rc" if any(&["stop", "down"]) => Some(off),
        "launchctl" if any(&["unload", "bootout", "remove", "disable", "kill"]) => Some(off),
        "update-rc.d" | "chkconfig" | "rc-update" if any(&["disable", "remove", "off", "del"]) => Some(off),
        "sc" | "net" if any(&["stop", "delete"]) => Some(off),
        "stop-service" | "remove-service" | "stop-computer" | "restart-computer" => Some(off),
        "pm2" if any(&["delete", "kill"]) => Some(off),
        "init" | "telinit" if any(&["0", "6"]) => Some((Warn, "stops the machine")),
        "killall5" => Some((Block, "kills every process")),
        "pkill" | "killall" if command.has(&["-u", "--user", "-U"]) || any(&["."]) => {
            Some((Warn, "kills every process of a user"))
        }
        _ => None,
    }
}

fn rate_protection(command: &SimpleCommand) -> Found {
    let words: Vec<String> = command.args.iter().map(|word| word.text.to_ascii_lowercase()).collect();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let off = (Block, "disables a protection of the machine");
    match command.program.as_str() {
        "ufw" if any(&["disable", "reset"]) => Some(off),
        "setenforce" if any(&["0", "permissive"]) => Some(off),
        "iptables" | "ip6tables" if any(&["-f", "--flush", "-x"]) || any(&["-p"]) && any(&["accept"]) => {
            Some(off)
        }
        "nft" if any(&["flush"]) => Some(off),
        "firewall-cmd" if any(&["--panic-off", "--complete-reload"]) => Some(off),
        "csrutil" | "spctl" if any(&["disable", "--master-disable", "--global-disable"]) => Some(off),
        "auditctl" if any(&["-d"]) || any(&["-e"]) && any(&["0"]) => Some(off),
        "aa-teardown" | "aa-disable" | "set-mppreference" => Some(off),
        "netsh" if any(&["firewall", "advfirewall"]) && any(&["off", "reset"]) => Some(off),
        "set-executionpolicy" if any(&["unrestricted", "bypass"]) && !any(&["process"]) => {
            Some((Warn, "allows every script to run"))
        }
        "swapoff" if command.has(&["-a"]) => Some((Warn, "disables swap space")),
        "sysctl" if command.has(&["-w"]) => Some((Warn, "changes a kernel setting")),
        "vssadmin" | "wbadmin" if any(&["delete"]) => Some((Block, "deletes backups of the machine")),
        "bcdedit" => Some((Warn, "changes how the machine boots")),
        "cipher" if words.iter().any(|word| word.starts_with("/w")) => Some((Warn, "overwrites free space")),
        "reg" if any(&["delete"]) => Some((Warn, "deletes registry keys")),
        "tmutil" if any(&["delete", "disable", "deletelocalsnapshots"]) => Some((Warn, "deletes backups")),
        _ => None,
    }
}

fn rate_account(command: &SimpleCommand) -> Found {
    let words: Vec<&str> = command.args.iter().map(|word| word.text.as_str()).collect();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match command.program.as_str() {
        "useradd" | "adduser" | "usermod" | "groupmod" | "passwd" | "chpasswd" | "visudo" | "vipw"
        | "chsh" | "gpasswd" | "dscl"
            if !words.is_empty() || command.input.is_some() =>
        {
            Some((Warn, "changes a user account of the machine"))
        }
        "net" if any(&["user", "localgroup"]) && any(&["/add", "/delete"]) => {
            Some((Warn, "changes a user account of the machine"))
        }
        "chmod" if words.first().is_some_and(|mode| is_setuid(mode)) => {
            Some((Warn, "lets a program run with the permissions of another user"))
        }
        "setcap" => Some((Warn, "gives a program system privileges")),
        "history" if command.has(&["-c"]) => Some((Warn, "deletes the command history")),
        "unset" if any(&["HISTFILE"]) => Some((Warn, "keeps commands out of the command history")),
        "apt-get" | "apt" | "dnf" | "yum" | "zypper" if any(&["purge", "remove", "autoremove", "erase"]) => {
            Some((Warn, "removes system packages"))
        }
        "pacman" if words.first().is_some_and(|flags| flags.starts_with("-R")) => {
            Some((Warn, "removes system packages"))
        }
        _ => None,
    }
}

/// Returns `true` if a `chmod` mode sets the set-user-ID or set-group-ID bit, as `u+s` and `4755`
/// do.
fn is_setuid(mode: &str) -> bool {
    let octal = mode.len() == 4 && mode.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    octal && matches!(mode.as_bytes()[0], b'2' | b'4' | b'6') || mode.ends_with("+s")
}
