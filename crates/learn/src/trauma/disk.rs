//! Detects commands that overwrite devices or change permissions recursively.

use super::path_class::{CommandContext, PathClass};
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

/// Returns how a command endangers disks and file permissions.
pub fn dangers(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let mut found: Vec<Danger> = written(command)
        .map(|device| {
            Danger::of(command, DangerClass::Disk, Block, format!("overwrites the device {device}"))
        })
        .into_iter()
        .collect();
    found.extend(
        rate_formatting(command)
            .map(|(severity, reason)| Danger::of(command, DangerClass::Disk, severity, reason)),
    );
    found.extend(rate_permissions(command, site));
    found
}

/// Returns the device path, such as `/dev/sda`, that a command writes to.
fn written(command: &SimpleCommand) -> Option<&str> {
    let redirected = command
        .redirects
        .iter()
        .filter(|redirect| redirect.sign.contains('>'))
        .map(|redirect| redirect.target.text.as_str());
    let devices = command.args.iter().filter_map(|word| match command.program.as_str() {
        "dd" => word.text.strip_prefix("of="),
        "tee" | "shred" | "cp" | "blkdiscard" | "badblocks" => Some(word.text.as_str()),
        _ => None,
    });
    let rescued = (command.program == "ddrescue")
        .then(|| command.operands().nth(1).map(|word| word.text.as_str()))
        .flatten();
    redirected.chain(devices).chain(rescued).find(|path| is_device(path))
}

fn is_device(path: &str) -> bool {
    const DISKS: [&str; 9] = ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/"];
    let name = path.strip_prefix("/dev/").or_else(|| path.strip_prefix(r"\\.\"));
    name.is_some_and(|name| {
        DISKS.iter().any(|disk| name.to_ascii_lowercase().starts_with(disk))
            || name.starts_with("PhysicalDrive")
    })
}

fn rate_formatting(command: &SimpleCommand) -> Option<(DangerSeverity, &'static str)> {
    let first = command.operands().next().map_or("", |word| word.text.as_str());
    let any = |wanted: &[&str]| command.args.iter().any(|word| wanted.contains(&word.text.as_str()));
    let erases = (Block, "erases a disk or part of it");
    match command.program.as_str() {
        program if program == "mkfs" || program.starts_with("mkfs.") || program == "mkswap" => {
            let device =
                command.operands().any(|word| word.text.starts_with("/dev/") || word.text.contains('$'));
            Some(if device { erases } else { (Warn, "creates a file system inside a file") })
        }
        "wipefs" if command.has(&["-a", "--all"]) => Some(erases),
        "sgdisk" if command.has(&["-Z", "-z", "-o"]) || any(&["--zap-all", "--clear"]) => Some(erases),
        "fdisk" | "sfdisk" | "gdisk" if !command.has(&["-l"]) && is_device(first) => {
            Some((Warn, "changes disk partitions"))
        }
        "parted" if any(&["mklabel", "mkpart", "rm"]) => Some(erases),
        "format" if first.ends_with(':') => Some(erases),
        "diskpart" | "format-volume" | "clear-disk" => Some(erases),
        "diskutil" if first.to_ascii_lowercase().starts_with("erase") || first == "partitionDisk" => {
            Some(erases)
        }
        "cryptsetup" if any(&["luksFormat", "luksErase", "erase"]) => Some(erases),
        "lvremove" | "vgremove" | "pvremove" => Some(erases),
        "zpool" | "zfs" if first == "destroy" => Some(erases),
        "hdparm" | "nvme"
            if command.args.iter().any(|word| word.text.contains("erase") || word.text == "format") =>
        {
            Some(erases)
        }
        "mdadm" if any(&["--zero-superblock"]) => Some(erases),
        "btrfs" if any(&["delete"]) => Some((Warn, "deletes a subvolume")),
        _ => None,
    }
}

/// Rates recursive changes of permissions or owners, such as `chmod -R`.
fn rate_permissions(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<Danger> {
    if !matches!(command.program.as_str(), "chmod" | "chown" | "chgrp" | "icacls" | "setfacl")
        || !command.has(&["-R", "--recursive"])
    {
        return None;
    }
    let mut operands = command.operands().map(|word| word.text.as_str());
    let mode = operands.next()?;
    let open = matches!(mode.trim_start_matches('0'), "777" | "a+rwx" | "ugo+rwx" | "a=rwx" | "666" | "")
        && command.program == "chmod";
    let worst = operands.map(|path| (site.path_class(path), path)).max_by_key(|(class, _)| *class)?;
    let severity = match worst.0 {
        PathClass::System | PathClass::Home => Block,
        PathClass::Temporary | PathClass::Generated => return None,
        _ if open => Warn,
        PathClass::Repository | PathClass::Project | PathClass::Outside => Warn,
        _ => return None,
    };
    let reason = format!("changes permissions of everything below {}: {}", worst.1, worst.0.description());
    Some(Danger::at(command, DangerClass::Permissions, severity, reason, worst.0.name()))
}
