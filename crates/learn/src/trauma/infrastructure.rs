//! Detects commands that take down machines, clusters, buckets, volumes or services.

use super::shape::{requests_deletion, verbs};
use super::{Danger, DangerClass, DangerSeverity, Rating};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    let words: Vec<&str> = verbs(command).collect();
    let (severity, reason) = match command.program.as_str() {
        "terraform" | "tofu" | "terragrunt" => rate_terraform(command, &words)?,
        "pulumi" => match words.as_slice() {
            ["destroy", ..] => (Block, "destroys all resources of the stack"),
            ["stack", "rm", ..] => (Block, "deletes the stack with its history"),
            _ => return None,
        },
        "kubectl" | "oc" | "k" => rate_kubectl(command, &words)?,
        "helm" => match *words.first()? {
            "uninstall" | "delete" => (Warn, "uninstalls a release"),
            _ => return None,
        },
        "docker" | "podman" | "docker-compose" | "nerdctl" => rate_docker(command, &words)?,
        "aws" => rate_aws(command, &words)?,
        "gcloud" | "az" | "doctl" | "ibmcloud" | "linode-cli" | "hcloud" | "eksctl" | "oci" | "openstack"
        | "scw" => rate_cloud(command, &words)?,
        "gsutil" => match *words.first()? {
            "rb" => (Block, "deletes a bucket"),
            "rm" if command.has(&["-r", "-R"]) => (Block, "deletes everything below a prefix"),
            _ => return None,
        },
        "s3cmd" => match *words.first()? {
            "rb" => (Block, "deletes a bucket"),
            "del" | "rm" if command.has(&["-r", "--recursive"]) => {
                (Block, "deletes everything below a prefix")
            }
            _ => return None,
        },
        "firebase" if matches!(words.first(), Some(&("firestore:delete" | "database:remove"))) => {
            (Block, "deletes data of the project")
        }
        "rclone" if matches!(words.first(), Some(&("purge" | "delete"))) => {
            (Block, "deletes a remote folder with its contents")
        }
        "mc" if words.first() == Some(&"rb")
            || words.first() == Some(&"rm") && command.has(&["-r", "--recursive"]) =>
        {
            (Block, "deletes a bucket or prefix")
        }
        "cdk" | "sls" | "serverless" | "sst" | "sam" | "cdktf" | "vagrant"
            if matches!(words.first(), Some(&("destroy" | "remove" | "delete"))) =>
        {
            (Block, "removes the deployment")
        }
        "heroku" | "fly" | "flyctl" | "vercel" | "netlify" | "railway" | "render" | "wrangler" => {
            rate_hosted(&words)?
        }
        "gh" => match words.as_slice() {
            ["repo", "delete", ..] => (Block, "deletes a repository on the server"),
            ["release" | "secret" | "variable" | "run", "delete", ..] => {
                (Warn, "deletes something on the server")
            }
            ["api", ..] if requests_deletion(command, "--method") => {
                (Warn, "deletes something on the server")
            }
            _ => return None,
        },
        "ceph" if words.contains(&"delete") || words.contains(&"purge") => {
            (Block, "deletes storage of the cluster")
        }
        "minikube" | "kind" | "k3d" if words.first() == Some(&"delete") => (Warn, "deletes a local cluster"),
        "stratis" if words.contains(&"destroy") => (Block, "destroys a pool or file system"),
        "npm" if words.first() == Some(&"unpublish") => (Block, "unpublishes a package"),
        "cargo" if words.first() == Some(&"yank") => (Warn, "yanks a published version"),
        "shutdown" | "reboot" | "halt" | "poweroff" => {
            return Some(Danger::of(command, DangerClass::System, Warn, "stops the machine"));
        }
        "crontab" if command.has(&["-r"]) => {
            return Some(Danger::of(command, DangerClass::System, Warn, "deletes all scheduled commands"));
        }
        "userdel" | "deluser" => {
            return Some(Danger::of(command, DangerClass::System, Warn, "deletes an account"));
        }
        "iptables" if command.has(&["-F"]) => {
            return Some(Danger::of(command, DangerClass::System, Warn, "deletes all firewall rules"));
        }
        "kill" if command.args.last().is_some_and(|word| word.text == "-1") => {
            return Some(Danger::of(command, DangerClass::System, Block, "kills every process"));
        }
        _ => return None,
    };
    Some(Danger::of(command, DangerClass::Infrastructure, severity, reason))
}

fn rate_terraform(command: &SimpleCommand, words: &[&str]) -> Option<Rating> {
    match words.iter().find(|word| !matches!(**word, "run-all" | "run")) {
        Some(&"destroy") => Some((Block, "destroys all resources of the configuration")),
        Some(&"apply")
            if command.args.iter().any(|word| matches!(word.text.as_str(), "-destroy" | "--destroy")) =>
        {
            Some((Block, "destroys all resources of the configuration"))
        }
        Some(&"state") if words.contains(&"rm") => {
            Some((Warn, "removes resources from the state while they keep running"))
        }
        Some(&"workspace") if words.contains(&"delete") => Some((Warn, "deletes a workspace with its state")),
        Some(&"apply") if command.args.iter().any(|word| word.text.contains("auto-approve")) => {
            Some((Warn, "applies changes without showing the plan"))
        }
        _ => None,
    }
}

fn rate_kubectl(command: &SimpleCommand, words: &[&str]) -> Option<Rating> {
    const WHOLE: [&str; 16] = [
        "ns",
        "namespace",
        "namespaces",
        "pv",
        "pvc",
        "persistentvolume",
        "persistentvolumes",
        "persistentvolumeclaim",
        "persistentvolumeclaims",
        "node",
        "nodes",
        "crd",
        "crds",
        "customresourcedefinition",
        "statefulset",
        "sts",
    ];
    match words {
        ["delete", rest @ ..] => {
            let kind = rest.first().map_or("", |word| word.split('/').next().unwrap_or(""));
            let whole = WHOLE.contains(&kind) || kind.split(',').any(|kind| WHOLE.contains(&kind));
            let all = command.has(&["--all", "-A", "--all-namespaces"]);
            Some(if whole || all {
                (Block, "deletes a namespace, volumes, nodes or everything of a kind")
            } else {
                (Warn, "deletes something in the cluster")
            })
        }
        ["drain", ..] => Some((Warn, "evicts everything from a node")),
        ["scale", ..] if command.args.iter().any(|word| word.text == "--replicas=0") => {
            Some((Warn, "scales to zero"))
        }
        ["replace", ..] if command.has(&["--force"]) => Some((Warn, "deletes and recreates resources")),
        _ => None,
    }
}

fn rate_docker(command: &SimpleCommand, words: &[&str]) -> Option<Rating> {
    let volumes = command.has(&["-v", "--volumes"]);
    match words {
        ["system", "prune", ..]
            if command.has(&["-a", "--all"]) || command.args.iter().any(|word| word.text == "--volumes") =>
        {
            Some((Warn, "deletes every unused image, container or volume"))
        }
        ["system", "reset", ..] => Some((Block, "deletes all images, containers and volumes")),
        ["volume", "rm" | "remove" | "prune", ..] => Some((Warn, "deletes volumes with their data")),
        ["compose", "down", ..] | ["down", ..] if volumes => {
            Some((Warn, "deletes the volumes of the services"))
        }
        ["rm" | "kill" | "stop", ..] | ["container", "rm" | "kill" | "stop", ..]
            if (command.has(&["-f"]) || words.first() != Some(&"rm"))
                && command.args.iter().any(|word| word.text.contains("$(") || word.text.contains('`')) =>
        {
            Some((Warn, "stops or deletes every container"))
        }
        ["swarm", "leave", ..] | ["stack", "rm", ..] => Some((Warn, "stops and removes services")),
        _ => None,
    }
}

fn rate_aws(command: &SimpleCommand, words: &[&str]) -> Option<Rating> {
    const GRAVE: [&str; 18] = [
        "delete-stack",
        "delete-bucket",
        "delete-table",
        "delete-db-instance",
        "delete-db-cluster",
        "terminate-instances",
        "delete-cluster",
        "delete-volume",
        "delete-snapshot",
        "delete-file-system",
        "delete-repository",
        "delete-vpc",
        "delete-hosted-zone",
        "schedule-key-deletion",
        "delete-user-pool",
        "delete-domain",
        "delete-nodegroup",
        "delete-function",
    ];
    match words {
        ["s3", "rb", ..] => Some((Block, "deletes a bucket")),
        ["s3", "rm", ..] if command.has(&["--recursive"]) => {
            Some((Block, "deletes everything below a prefix"))
        }
        ["s3", "sync", ..] if command.has(&["--delete"]) => {
            Some((Warn, "deletes everything at the target that the source does not have"))
        }
        [_, verb, ..] if GRAVE.contains(verb) => Some((Block, "deletes a resource with its data")),
        [_, verb, ..]
            if verb.starts_with("delete-")
                || verb.starts_with("terminate-")
                || verb.starts_with("deregister-") =>
        {
            Some((Warn, "deletes a resource"))
        }
        _ => None,
    }
}

fn rate_cloud(command: &SimpleCommand, words: &[&str]) -> Option<Rating> {
    let deletes = words
        .iter()
        .take(5)
        .any(|word| matches!(*word, "delete" | "delete-batch" | "destroy" | "purge" | "rm"));
    let storage =
        words.windows(2).any(|pair| pair == ["storage", "rm"]) && !command.has(&["-r", "--recursive"]);
    (deletes && !storage).then_some((Block, "deletes a resource in the cloud"))
}

fn rate_hosted(words: &[&str]) -> Option<Rating> {
    let first = words.first()?;
    match *first {
        "apps:destroy" | "pg:reset" | "addons:destroy" => {
            Some((Block, "destroys an application or its data"))
        }
        "destroy" => Some((Block, "destroys an application")),
        "apps" | "volumes" | "machine" | "postgres" | "d1" | "r2" | "kv"
            if words.iter().any(|word| matches!(*word, "destroy" | "delete")) =>
        {
            Some((Block, "destroys a resource with its data"))
        }
        "delete" | "remove" | "rm" | "sites:delete" | "down" => Some((Warn, "removes a deployment")),
        _ => None,
    }
}
