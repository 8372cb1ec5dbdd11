//! Where a path leads, seen from a working folder: to what can be made again, into the work, out of it, or to the
//! system.

use std::collections::BTreeMap;

use cm_shell::{Script, Simple};

/// What is known of the files of a machine.
pub trait Lookup: std::fmt::Debug {
    /// The path with its symbolic links resolved; the last part too where `through`. None where nothing lies there.
    fn resolved(&self, path: &str, through: bool) -> Option<String>;
    /// Whether a folder is a project of its own, such as a repository.
    fn is_project(&self, path: &str) -> bool;
}

/// Where a command would run.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The working folder, absolute.
    pub cwd: &'a str,
    /// The home folder, absolute.
    pub home: &'a str,
    /// The files of the machine; none where they may not be looked at.
    pub files: Option<&'a dyn Lookup>,
}

impl<'a> Ground<'a> {
    /// A place of which only the names of the folders are known.
    #[must_use]
    pub const fn new(cwd: &'a str, home: &'a str) -> Self {
        Self { cwd, home, files: None }
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Below a temporary folder.
    Temporary,
    /// What a build, a package manager or a test made.
    Made,
    /// The temporary folder of the whole machine.
    Shared,
    /// Something within the working folder.
    Inside,
    /// A variable whose value is not known here.
    Unknown,
    /// Beside or above the working folder, or elsewhere in a home.
    Outside,
    /// The working folder itself, or all that is in it.
    Workspace,
    /// The history of the work.
    Repository,
    /// A home folder.
    Home,
    /// The root, or a folder of the system.
    System,
}

impl Reach {
    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Temporary => "temporary",
            Self::Made => "made",
            Self::Shared => "shared",
            Self::Inside => "inside",
            Self::Unknown => "unknown",
            Self::Outside => "outside",
            Self::Workspace => "workspace",
            Self::Repository => "repository",
            Self::Home => "home",
            Self::System => "system",
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Temporary => "a temporary file",
            Self::Made => "what a build made",
            Self::Shared => "the temporary folder of the whole machine",
            Self::Inside => "a part of the working folder",
            Self::Unknown => "a path that only the shell knows",
            Self::Outside => "outside of the working folder",
            Self::Workspace => "the whole working folder",
            Self::Repository => "the repository's history",
            Self::Home => "the home folder",
            Self::System => "a folder of the system",
        }
    }
}

/// The variables that a script sets to what can be read in it.
#[derive(Debug, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Those of a script.
    pub fn of(script: &Script) -> Self {
        let set = |command: &Simple| {
            command.program.is_empty()
                || matches!(command.program.as_str(), "export" | "local" | "declare" | "readonly")
        };
        let plain = script
            .commands
            .iter()
            .filter(|command| set(command))
            .flat_map(|command| command.assignments.iter().cloned());
        let declared = script.commands.iter().filter(|command| set(command)).flat_map(|command| {
            command
                .args
                .iter()
                .filter_map(|word| word.text.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        });
        Self(plain.chain(declared).collect())
    }
}

/// A command in its place.
pub struct Site<'a> {
    /// Where it runs.
    pub ground: &'a Ground<'a>,
    /// What its script set.
    pub variables: &'a Variables,
    /// The command.
    pub command: &'a Simple,
}

/// Folders of the system; what lies in them belongs to no work.
#[rustfmt::skip]
const SYSTEM: [&str; 20] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root", "/sbin", "/srv",
    "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/mnt", "/media",
];
const TEMPORARY: [&str; 6] =
    ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm"];
/// Names of what is made and can be made again.
#[rustfmt::skip]
const MADE: [&str; 62] = [
    ".nyc_output", ".angular", ".vite", ".expo", ".serverless", ".aws-sam", ".dart_tool", ".output", ".astro",
    ".docusaurus", "storybook-static", "test-results", "playwright-report", ".hypothesis", ".nox", "Pods", "cdk.out",
    ".stack-work", "dist-newstyle", "_site", ".jekyll-cache", "zig-out", "zig-cache", ".zig-cache", ".swc",
    "CMakeFiles", ".pnpm-store", "cmake-build-release",
    "node_modules", "target", "dist", "build", "out", "output", ".next", ".nuxt", ".svelte-kit", ".venv",
    "venv", "env", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "coverage", ".coverage",
    ".cache", ".gradle", ".turbo", ".parcel-cache", ".tox", ".eggs", "obj", "DerivedData", "tmp", ".tmp",
    "temp", ".terraform", "htmlcov", "_build", "cmake-build-debug", "bower_components",
];
/// Endings of files that are made and can be made again.
#[rustfmt::skip]
const MADE_ENDINGS: [&str; 17] = [
    ".snap.new", ".eslintcache", ".gcda",
    ".pyc", ".pyo", ".o", ".obj", ".class", ".tmp", ".log", ".bak", ".swp", ".orig", ".rej", ".egg-info",
    ".tsbuildinfo", ".DS_Store",
];

impl Site<'_> {
    /// Where a path of this command leads. A symbolic link is itself, not what it leads to.
    pub fn reach(&self, path: &str) -> Reach {
        self.reached(path.trim(), path.trim().ends_with('/'))
    }

    /// Like `reach`, but a symbolic link is what it leads to, as for what writes.
    pub fn reach_through(&self, path: &str) -> Reach {
        self.reached(path.trim(), true)
    }

    /// The path from the root with its symbolic links resolved; nothing where a variable hides it.
    pub fn target(&self, path: &str) -> Option<String> {
        let absolute = self.absolute(path.trim())?;
        let looked_up = self.ground.files.filter(|_| !self.command.elsewhere);
        Some(looked_up.and_then(|files| files.resolved(&absolute, true)).unwrap_or(absolute))
    }

    fn reached(&self, path: &str, through: bool) -> Reach {
        let Some(absolute) = self.absolute(path) else { return self.of_variable(path) };
        if absolute.starts_with(TEMPORARY_MARK) {
            return Reach::Temporary;
        }
        let folder = contents(&absolute);
        let named = self.of_absolute(folder);
        let files = self.ground.files.filter(|_| !self.command.elsewhere);
        let resolved =
            files.and_then(|files| files.resolved(folder, through || folder.len() < absolute.len()));
        let reach = match &resolved {
            // A build folder may lie on another disk, as long as it is named as one there.
            Some(resolved) if named == Reach::Made && self.holds_made(resolved) => named,
            Some(resolved) => self.of_absolute(resolved),
            None => named,
        };
        let folder = resolved.as_deref().unwrap_or(folder);
        // Another project within the working folder: all of its work is there and perhaps nowhere else.
        let project = reach == Reach::Inside
            && files.is_some_and(|files| files.is_project(folder) && !files.is_project(self.ground.cwd));
        if project { Reach::Outside } else { reach }
    }

    /// Whether a path leads into what is made and can be made again, also outside of the work: `~/.cache/pip`.
    pub fn is_made(&self, path: &str) -> bool {
        self.absolute(path).is_some_and(|absolute| self.holds_made(&absolute))
    }

    /// Whether a part of a path is named as what is made, apart from the folders in which the work and the home lie.
    fn holds_made(&self, absolute: &str) -> bool {
        let Ground { cwd, home, .. } = *self.ground;
        let below_root = absolute.trim_start_matches('/').split_once('/').map_or("", |(_, rest)| rest);
        let rest = absolute.strip_prefix(cwd).or_else(|| absolute.strip_prefix(home)).unwrap_or(below_root);
        rest.split('/').any(is_made)
    }

    /// The path from the root, without `.` and `..`; nothing where a variable hides it.
    fn absolute(&self, path: &str) -> Option<String> {
        let path = self.filled(path, 0)?;
        if path.starts_with(TEMPORARY_MARK) {
            return Some(path);
        }
        if is_windows(&path) {
            return Some(path.replace('\\', "/"));
        }
        let home = self.ground.home;
        let path = match path.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
            // Another person's home.
            Some(_) => return Some("/home".to_owned()),
            None => path,
        };
        if path.starts_with('/') {
            return Some(normal(&path));
        }
        let from = match &self.command.folder {
            Some(folder) => {
                let site =
                    Site { command: &Simple::default(), ground: self.ground, variables: self.variables };
                site.absolute(folder)?
            }
            None if self.command.elsewhere => return Some(normal(&format!("/elsewhere/{path}"))),
            None => self.ground.cwd.to_owned(),
        };
        Some(normal(&format!("{from}/{path}")))
    }

    /// The path with its first variable replaced by what is known of it.
    fn filled(&self, path: &str, depth: usize) -> Option<String> {
        let upper = path.to_ascii_uppercase();
        if upper.starts_with("%TEMP%")
            || upper.starts_with("%TMP%")
            || upper.starts_with("$ENV:TEMP")
            || upper.starts_with("$ENV:TMP")
        {
            return Some(TEMPORARY_MARK.to_owned());
        }
        if upper.starts_with("%USERPROFILE%") || upper.starts_with("$ENV:USERPROFILE") {
            return Some(self.ground.home.to_owned());
        }
        let Some(dollar) = path.find(['$', '`']) else { return Some(path.to_owned()) };
        let (name, rest) = variable(&path[dollar..])?;
        let before = &path[..dollar];
        let value = match name {
            "HOME" => self.ground.home.to_owned(),
            "PWD" | "CLAUDE_PROJECT_DIR" => self.ground.cwd.to_owned(),
            "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" => TEMPORARY_MARK.to_owned(),
            _ if name.starts_with("(mktemp") => TEMPORARY_MARK.to_owned(),
            "(pwd)" => self.ground.cwd.to_owned(),
            "(git rev-parse --show-toplevel)" => self.ground.cwd.to_owned(),
            _ => {
                let value = self.variables.0.get(name).filter(|_| depth < 4)?;
                self.filled(value, depth + 1)?
            }
        };
        if value == TEMPORARY_MARK {
            // Out of a folder whose name is not known leads nobody knows where.
            return (before.is_empty() && !rest.contains("..")).then_some(value);
        }
        // A further variable deeper in the path does not lead out of the folder that is known.
        let rest = rest.split(['$', '`']).next().unwrap_or("");
        Some(format!("{before}{value}{rest}"))
    }

    /// A path with a variable that nothing is known of: what stands before it tells as much as can be told.
    fn of_variable(&self, path: &str) -> Reach {
        let before = path.split(['$', '`']).next().unwrap_or("");
        match before.trim_end_matches('/') {
            "" => Reach::Unknown,
            // Nothing of the path is hidden: the folder that it stands in is.
            whole if whole == path.trim_end_matches('/') => Reach::Unknown,
            // An empty variable would leave the whole folder.
            before => {
                Some(self.reach(before)).filter(|reach| *reach != Reach::Workspace).unwrap_or(Reach::Unknown)
            }
        }
    }

    fn of_absolute(&self, folder: &str) -> Reach {
        let Ground { cwd, home, .. } = *self.ground;
        let cwd = cwd.trim_end_matches('/');
        if is_windows(folder) {
            return of_windows(folder);
        }
        if folder.split('/').any(|part| part == ".git") && below(folder, cwd) {
            return Reach::Repository;
        }
        // Wherever a home lies, in a container perhaps below a temporary folder.
        if home.len() > 1 && folder == home.trim_end_matches('/') && folder != cwd {
            return Reach::Home;
        }
        let at_home = below(folder, home) && home.len() > 1;
        if let Some(root) =
            TEMPORARY.iter().find(|root| below(folder, root) && !(at_home && below(home, root)))
        {
            // All temporary files of the machine are not only one's own.
            return if folder == *root { Reach::Shared } else { Reach::Temporary };
        }
        if folder == cwd {
            return Reach::Workspace;
        }
        // From a home, or from above it, what lies below is no part of one work.
        if below(folder, cwd) && cwd.len() > 1 && !below(home, cwd) {
            let made = folder[cwd.len()..].split('/').any(is_made);
            return if made { Reach::Made } else { Reach::Inside };
        }
        if folder != "/" && below(home, folder) || folder == "/home" || folder == "/Users" {
            return Reach::Home;
        }
        if below(folder, "/elsewhere") {
            return if folder == "/elsewhere" { Reach::Workspace } else { Reach::Inside };
        }
        if folder == "/" || folder.matches('/').count() == 1 || SYSTEM.iter().any(|root| below(folder, root))
        {
            return if below(folder, home) { Reach::Outside } else { Reach::System };
        }
        Reach::Outside
    }
}

/// Stands for a temporary folder whose name is not known.
const TEMPORARY_MARK: &str = "\u{1}temporary";

/// Whether a name is one of what is made.
pub fn is_made(name: &str) -> bool {
    MADE.contains(&name)
        || MADE_ENDINGS.iter().any(|ending| name.ends_with(ending) && name.len() >= ending.len())
}

/// A variable at the beginning: its name, and what comes after it.
fn variable(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix("${") {
        let end = inner.find('}')?;
        let name = inner[..end].split([':', '-', '?', '%', '#', '/']).next().unwrap_or("");
        return Some((name, &inner[end + 1..]));
    }
    if text.starts_with("$(") {
        let end = text.rfind(')')?;
        return Some((&text[1..=end], &text[end + 1..]));
    }
    let name = text.strip_prefix('$')?;
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    (length > 0).then(|| name.split_at(length))
}

/// The folder whose contents a pattern such as `dir/*` means; any other path as it is.
fn contents(path: &str) -> &str {
    for ending in ["/*", "/.*", "/{*,.*}", "/**", "/*.*"] {
        if let Some(folder) = path.strip_suffix(ending) {
            return if folder.is_empty() { "/" } else { folder };
        }
    }
    path
}

/// The path without empty parts, `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Whether the path is the folder or lies below it.
fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|byte| matches!(byte, b'\\' | b'/' | b'*'))
}

fn of_windows(path: &str) -> Reach {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && !part.contains('*')).collect();
    match parts.as_slice() {
        [_] | [_, "windows" | "program files" | "program files (x86)" | "programdata", ..] => Reach::System,
        [_, "users"] | [_, "users", _] => Reach::Home,
        [.., "temp"] | [_, "temp", ..] => Reach::Temporary,
        parts if parts.contains(&"temp") => Reach::Temporary,
        parts if parts.iter().any(|part| is_made(part)) => Reach::Made,
        _ => Reach::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(script: &str, path: &str) -> Reach {
        let script = cm_shell::read(&format!("{script}; rm"));
        let ground = Ground::new("/home/ada/shop", "/home/ada");
        let variables = Variables::of(&script);
        let site = Site { ground: &ground, variables: &variables, command: script.commands.last().unwrap() };
        site.reach(path)
    }

    #[test]
    fn a_path_leads_where_the_shell_would_go() {
        for (path, expected) in [
            ("/", Reach::System),
            ("/*", Reach::System),
            ("/etc/x", Reach::System),
            ("~", Reach::Home),
            ("$HOME/*", Reach::Home),
            ("/home", Reach::Home),
            ("~/x", Reach::Outside),
            ("..", Reach::Home),
            ("../other", Reach::Outside),
            (".", Reach::Workspace),
            ("./*", Reach::Workspace),
            ("src/../..", Reach::Home),
            ("src/x", Reach::Inside),
            ("target/debug", Reach::Made),
            ("target/../src", Reach::Inside),
            (".git", Reach::Repository),
            ("/tmp/x", Reach::Temporary),
            ("/tmp", Reach::Shared),
            ("$TMPDIR/x", Reach::Temporary),
            ("$TMPDIR/../x", Reach::Unknown),
            ("$X", Reach::Unknown),
            ("/opt/$X", Reach::System),
            ("src/$X", Reach::Inside),
            ("C:\\", Reach::System),
            ("C:\\Users\\ada", Reach::Home),
            ("%TEMP%\\x", Reach::Temporary),
        ] {
            assert_eq!(reach("true", path), expected, "{path}");
        }
    }

    #[test]
    fn from_a_folder_that_nothing_is_known_of_a_path_leads_nobody_knows_where() {
        for path in ["src", "src/", "./src", "..", "src/$Y", "*"] {
            assert_eq!(reach("cd \"$X\"", path), Reach::Unknown, "{path}");
        }
        assert_eq!(reach("cd $X", "/etc"), Reach::System);
    }

    #[test]
    fn what_the_script_says_of_a_variable_counts() {
        assert_eq!(reach("X=/tmp/a", "$X/b"), Reach::Temporary);
        assert_eq!(reach("X=$(mktemp -d)", "${X}"), Reach::Temporary);
        assert_eq!(reach("export X=/etc", "$X/b"), Reach::System);
        assert_eq!(reach("A=$B; B=$A", "$A"), Reach::Unknown);
        assert_eq!(reach("cd /tmp/a", "b"), Reach::Temporary);
        assert_eq!(reach("cd ..", "shop"), Reach::Workspace);
    }
}
