//! Normalizes commands so that similar ones can be compared.

use cm_shell::SimpleCommand;

/// Programs with subcommands, each with the number of words that its subcommands have.
const VERBS: [(&str, usize); 22] = [
    ("git", 1),
    ("kubectl", 2),
    ("docker", 2),
    ("podman", 2),
    ("terraform", 1),
    ("tofu", 1),
    ("terragrunt", 1),
    ("pulumi", 1),
    ("helm", 1),
    ("aws", 2),
    ("gcloud", 3),
    ("az", 2),
    ("gh", 2),
    ("npm", 1),
    ("cargo", 1),
    ("rails", 1),
    ("rake", 1),
    ("heroku", 1),
    ("flyctl", 2),
    ("doctl", 3),
    ("zfs", 1),
    ("redis-cli", 1),
];

/// Normalizes a command to its shape: program, subcommands, class of the path in angle brackets,
/// and sorted flags, as in `rm <home> -f -r`.
pub fn of(command: &SimpleCommand, path_class: &str) -> String {
    let count = VERBS.iter().find(|(name, _)| *name == command.program).map_or(0, |(_, count)| *count);
    let mut words = vec![command.program.clone()];
    words.extend(verbs(command).take(count).map(str::to_owned));
    if !path_class.is_empty() {
        words.push(format!("<{path_class}>"));
    }
    let mut flags: Vec<String> =
        command.args.iter().take_while(|word| word.text != "--").flat_map(|word| flags(&word.text)).collect();
    flags.sort_unstable();
    flags.dedup();
    words.extend(flags);
    words.join(" ")
}

/// Removes the flags from a command shape.
pub(crate) fn without_flags(shape: &str) -> &str {
    shape.split(" -").next().unwrap_or(shape)
}

/// Returns the arguments of a command without flags and without the values of global flags: `push`
/// for `git -C dir push`.
pub fn verbs(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let valued: &[&str] = match command.program.as_str() {
        "git" => &["-C", "-c", "--git-dir", "--work-tree"],
        "kubectl" | "helm" => &["-n", "--namespace", "--context", "--kubeconfig"],
        "aws" => &["--profile", "--region", "--output"],
        "docker" => &["-H", "--context", "-f"],
        _ => &[],
    };
    let mut value = false;
    command.args.iter().map(|word| word.text.as_str()).filter(move |word| {
        let passes = !value && !word.starts_with('-');
        value = valued.contains(word);
        passes
    })
}

/// Returns `true` if a command sends an HTTP request with the method DELETE, given by `-X` or by this
/// long option.
pub fn requests_deletion(command: &SimpleCommand, long_option: &str) -> bool {
    let is_joined = |word: &str| {
        word == "-XDELETE" || word.strip_prefix(long_option).is_some_and(|method| method == "=DELETE")
    };
    let words: Vec<&str> = command.args.iter().map(|word| word.text.as_str()).collect();
    words.iter().any(|word| is_joined(word))
        || words.windows(2).any(|pair| (pair[0] == "-X" || pair[0] == long_option) && pair[1] == "DELETE")
}

/// Splits an argument into its flags: `-rf` into `-r` and `-f`, and a long flag without its value.
fn flags(word: &str) -> Vec<String> {
    if word.starts_with("--") {
        return vec![word.split('=').next().unwrap_or(word).to_owned()];
    }
    match word.strip_prefix('-') {
        Some(letters)
            if !letters.is_empty()
                && letters.len() <= 5
                && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) =>
        {
            letters.chars().map(|letter| format!("-{letter}")).collect()
        }
        _ => Vec::new(),
    }
}
