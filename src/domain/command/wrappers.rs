//! Programs that run another one, with what stands between their name and the command.

/// Programs that run the rest of their arguments, with their flags that take a value.
pub const PREFIXES: [(&str, &[&str]); 49] = [
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "--user", "--group", "--chdir"]),
    ("doas", &["-u", "-C"]),
    ("pkexec", &["--user"]),
    ("run0", &["-u"]),
    ("gosu", &[]),
    ("su-exec", &[]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("chrt", &["-p"]),
    ("taskset", &["-c"]),
    ("time", &["-f", "-o"]),
    ("hyperfine", &["-w", "-r"]),
    ("timeout", &["-s", "-k"]),
    ("gtimeout", &["-s", "-k"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("env", &["-u", "-C"]),
    ("command", &[]),
    ("builtin", &[]),
    ("exec", &["-a"]),
    ("watch", &["-n"]),
    ("strace", &["-o", "-e", "-p"]),
    ("ltrace", &["-o", "-e", "-p"]),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E", "--arg-file", "--max-args", "--max-procs"]),
    ("parallel", &["-j", "-a", "--jobs"]),
    ("chroot", &[]),
    ("unshare", &[]),
    ("nsenter", &["-t", "-S", "-G"]),
    ("flock", &["-w"]),
    ("caffeinate", &["-t"]),
    ("busybox", &[]),
    ("toybox", &[]),
    ("unbuffer", &[]),
    ("systemd-run", &["-p", "-u", "--unit", "--on-calendar", "--uid"]),
    ("systemd-inhibit", &[]),
    ("firejail", &[]),
    ("proxychains", &["-f"]),
    ("proxychains4", &["-f"]),
    ("torsocks", &[]),
    ("npx", &["-p", "--package"]),
    ("bunx", &[]),
    ("uvx", &["--from", "--with", "-p"]),
    ("direnv", &[]),
    ("dotenv", &["-f", "-e"]),
    ("dotenvx", &["-f"]),
    ("entr", &[]),
    ("rtk", &[]),
    ("cross-env", &[]),
];

/// Programs with a verb behind which a command begins, and the flags of both that take a value.
pub const VERBS: [(&str, &[&str], &[&str]); 22] = [
    ("npm", &["exec"], &["-w"]),
    ("pnpm", &["exec"], &["-C", "--filter", "-F"]),
    ("pnpm", &["dlx"], &["-C"]),
    ("yarn", &["exec"], &[]),
    ("yarn", &["dlx"], &[]),
    ("bun", &["x"], &[]),
    ("uv", &["run"], &["--with", "-p", "--python", "--directory", "--project", "--env-file"]),
    ("uv", &["tool", "run"], &["--from", "--with"]),
    ("poetry", &["run"], &["-C"]),
    ("pipenv", &["run"], &[]),
    ("pdm", &["run"], &[]),
    ("hatch", &["run"], &[]),
    ("rye", &["run"], &[]),
    ("pipx", &["run"], &["--spec"]),
    ("conda", &["run"], &["-n", "-p"]),
    ("bundle", &["exec"], &[]),
    ("mise", &["exec"], &[]),
    ("asdf", &["exec"], &[]),
    ("doppler", &["run"], &["-p", "-c"]),
    ("op", &["run"], &["--env-file"]),
    ("git", &["bisect", "run"], &["-C", "-c"]),
    ("opam", &["exec"], &[]),
];

/// Programs that run a text as commands, with the flags behind which it stands.
pub const TEXTS: [(&str, &[&str]); 17] = [
    ("env", &["-S", "--split-string"]),
    ("watch", &[]),
    ("script", &["-c", "--command"]),
    ("nix-shell", &["--run", "--command"]),
    ("npx", &["-c", "--call"]),
    ("npm", &["-c", "--call"]),
    ("vagrant", &["-c", "--command"]),
    ("gcloud", &["--command"]),
    ("fly", &["-C", "--command"]),
    ("flyctl", &["-C", "--command"]),
    ("runuser", &["-c", "--command"]),
    ("sg", &["-c"]),
    ("git", &["-x", "--exec", "--tree-filter", "--index-filter"]),
    ("flock", &["-c", "--command"]),
    ("concurrently", &[]),
    ("hyperfine", &["-p", "--prepare"]),
    ("entr", &["-s"]),
];

const RUN: &[&str] = &[
    "-v", "-e", "-p", "-u", "-w", "-l", "-m", "-h", "--name", "--network", "--volume", "--env", "--user",
    "--workdir", "--entrypoint", "--mount", "--env-file", "--platform", "--label", "--memory", "--cpus", "--gpus",
    "--hostname", "--publish", "--add-host", "--cap-add", "--security-opt", "--pid", "--ipc", "--shm-size",
];
const EXEC: &[&str] = &["-u", "-w", "-e", "--user", "--workdir", "--env", "--index"];

/// Programs that run a command on another machine or in a container: the words before which it begins are flags with
/// their values, a number of operands, and the flags that take a value.
pub const ELSEWHERE: [(&str, &[&str], usize, &[&str]); 16] = [
    ("ssh", &[], 1, &["-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E"]),
    ("mosh", &[], 1, &["--ssh"]),
    ("sshpass", &["ssh"], 1, &["-p", "-f", "-i", "-l", "-o"]),
    ("docker", &["exec"], 1, EXEC),
    ("podman", &["exec"], 1, EXEC),
    ("nerdctl", &["exec"], 1, EXEC),
    ("docker", &["run"], 1, RUN),
    ("podman", &["run"], 1, RUN),
    ("docker-compose", &["exec"], 1, EXEC),
    ("docker-compose", &["run"], 1, RUN),
    ("docker", &["compose", "exec"], 1, &["-u", "-w", "-e", "--index", "-f", "-p", "--project-name"]),
    ("docker", &["compose", "run"], 1, RUN),
    ("kubectl", &["exec"], 1, &["-n", "-c", "--namespace", "--container", "--context", "--kubeconfig"]),
    ("oc", &["exec"], 1, &["-n", "-c", "--namespace"]),
    ("heroku", &["run"], 0, &["-a", "--app"]),
    ("wsl", &[], 0, &["-d", "-u"]),
];

/// Programs that read commands from their arguments or their input.
pub const SHELLS: [&str; 18] = [
    "trap", "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "csh", "tcsh", "powershell", "pwsh", "cmd",
    "su", "eval", "rbash", "nu",
];

/// Programs that run a file of commands, or what comes on their input.
pub const SOURCES: [&str; 2] = ["source", "."];
