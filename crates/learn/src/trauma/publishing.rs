//! Detects commands that publish something in the user's name, which cannot be undone.

use super::shape::verbs;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

/// Returns the danger of a command that publishes something, such as `npm publish`.
pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    let words: Vec<&str> = verbs(command).collect();
    let has = |flags: &[&str]| command.args.iter().any(|word| flags.contains(&word.text.as_str()));
    let first = words.first().copied().unwrap_or_default();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let publishes = match command.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => {
            any(&["publish"]) && !any(&["run", "exec"]) || first == "deprecate"
        }
        "cargo" | "uv" | "poetry" | "hatch" | "flit" | "pdm" | "jsr" | "deno" | "vsce" | "ovsx" | "lerna"
        | "nx" | "changeset" | "maturin" => first == "publish",
        "cargo-release" => has(&["-x", "--execute"]),
        "twine" | "snapcraft" | "anaconda" => matches!(first, "upload" | "release"),
        "python" | "python3" => words.windows(2).any(|pair| pair == ["twine", "upload"]),
        "rake" => first == "release",
        "gem" | "charmcraft" => first == "push" || first == "upload",
        "gh" => match words.as_slice() {
            ["release", "create" | "upload" | "edit", ..] => true,
            ["repo", "edit", ..] => has(&["--visibility", "--visibility=public"]),
            ["repo", "create", ..] => has(&["--public"]),
            ["gist", "create", ..] => has(&["--public", "-p"]),
            _ => false,
        },
        "glab" => words.starts_with(&["release", "create"]),
        "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" => {
            matches!(words.as_slice(), ["push", ..] | ["image" | "manifest" | "compose", "push", ..])
                || command.program == "skopeo" && first == "copy"
                || any(&["build"]) && has(&["--push"])
        }
        "crane" | "oras" | "helm" | "pulp" | "cosign" => first == "push",
        "mvn" | "mvnw" => any(&["deploy", "release:perform"]),
        "gradle" | "gradlew" => words.iter().any(|word| is_gradle_publish(word)),
        "sbt" => words.iter().any(|word| word.starts_with("publish") && !word.ends_with("Local")),
        "dotnet" | "nuget" => words.starts_with(&["nuget", "push"]) || first == "push",
        "pod" => words.starts_with(&["trunk", "push"]),
        "mix" => first == "hex.publish",
        "dart" | "flutter" => words.starts_with(&["pub", "publish"]),
        "goreleaser" => first == "release" && !has(&["--snapshot", "--skip=publish"]),
        "semantic-release" | "release-it" | "np" => true,
        "fastlane" => any(&["release", "deliver", "supply", "pilot", "beta"]),
        "eas" => first == "submit",
        "luarocks" | "cpan-upload" | "cabal" | "clojars" => first == "upload",
        "vercel" | "netlify" => has(&["--prod", "-p", "--prod=true"]) && !any(&["logs", "inspect", "env"]),
        "publish-module" | "publish-script" => true,
        _ => false,
    };
    publishes.then(|| {
        let reason = "publishes in your name, which cannot be undone";
        Danger::of(command, DangerClass::Publishing, DangerSeverity::Warn, reason)
    })
}

fn is_gradle_publish(task: &str) -> bool {
    let name = task.rsplit(':').next().unwrap_or(task);
    name.starts_with("publish") && !name.ends_with("ToMavenLocal") || name == "uploadArchives"
}
