//! Classifies paths relative to a working directory: recreatable, inside the work, outside it, or
//! part of the system.

use std::collections::BTreeMap;

use cm_shell::{ParsedScript, SimpleCommand};
use cm_text::named_enum;

/// Read access to the file system, for resolving links and finding projects.
pub trait FileLookup: std::fmt::Debug {
    /// Resolves the symbolic links in a path. A link as last component is resolved only if
    /// `through` is set. `None` if the path does not exist.
    fn resolved(&self, path: &str, through: bool) -> Option<String>;
    /// Returns `true` if a folder is the root of a repository.
    fn is_repository(&self, path: &str) -> bool;
    /// Returns `true` if a folder is the root of a repository, or has a build manifest such as
    /// `Cargo.toml`.
    fn is_project(&self, path: &str) -> bool;
}

/// Folders of the machine on which a command would run, and access to its files.
#[derive(Debug, Clone, Copy)]
pub struct PathContext<'a> {
    /// Absolute path of the working directory.
    pub cwd: &'a str,
    /// Absolute path of the home folder.
    pub home: &'a str,
    /// File system access; `None` if paths are classified by their names only.
    pub files: Option<&'a dyn FileLookup>,
}

impl<'a> PathContext<'a> {
    /// Creates a context without file system access.
    #[must_use]
    pub const fn new(cwd: &'a str, home: &'a str) -> Self {
        Self { cwd, home, files: None }
    }
}

named_enum! {
    /// Kind of place that a path refers to, from harmless to harmful to delete.
    pub enum PathClass {
        /// A path below a temporary folder.
        Temporary = "temporary",
        /// A file or folder that a build, a package manager or a test run generated.
        Generated = "made",
        /// A temporary folder itself, such as `/tmp`, which all programs share.
        Shared = "shared",
        /// A path inside the working directory.
        Inside = "inside",
        /// A path that starts with a variable of unknown value.
        Unknown = "unknown",
        /// A path outside the working directory, including other places in the home folder.
        Outside = "outside",
        /// The working directory itself, or everything in it.
        Workspace = "workspace",
        /// Another project, or a folder that contains the working directory.
        Project = "project",
        /// The `.git` folder of a repository.
        Repository = "repository",
        /// A user's home folder.
        Home = "home",
        /// The root or a system folder such as `/etc`.
        System = "system",
    }
}

impl PathClass {
    /// Describes the class in messages.
    pub fn description(self) -> &'static str {
        match self {
            Self::Temporary => "a temporary file",
            Self::Generated => "build output",
            Self::Shared => "the temporary folder of the whole machine",
            Self::Inside => "part of the working folder",
            Self::Unknown => "a path that only the shell knows",
            Self::Outside => "outside the working folder",
            Self::Workspace => "the whole working folder",
            Self::Project => "a whole project",
            Self::Repository => "the repository's history",
            Self::Home => "the home folder",
            Self::System => "a system folder",
        }
    }
}

/// Variables to which a script assigns literal values.
#[derive(Debug, Default)]
pub struct ScriptVariables(BTreeMap<String, String>);

impl ScriptVariables {
    /// Collects the literal assignments of a script.
    pub fn of(script: &ParsedScript) -> Self {
        let set = |command: &SimpleCommand| {
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

/// A command with the folders and variables by which its paths are resolved.
pub struct CommandContext<'a> {
    /// Folders and files of the machine on which the command runs.
    pub path_context: &'a PathContext<'a>,
    /// Variables that the same script sets.
    pub variables: &'a ScriptVariables,
    pub command: &'a SimpleCommand,
}

/// Folders of the operating system.
#[rustfmt::skip]
const SYSTEM: [&str; 20] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root", "/sbin", "/srv",
    "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/mnt", "/media",
];
const TEMPORARY: [&str; 6] =
    ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm"];
/// Names of files and folders that tools generate, so that they can be recreated.
#[rustfmt::skip]
const GENERATED_NAMES: [&str; 62] = [
    ".nyc_output", ".angular", ".vite", ".expo", ".serverless", ".aws-sam", ".dart_tool", ".output", ".astro",
    ".docusaurus", "storybook-static", "test-results", "playwright-report", ".hypothesis", ".nox", "Pods", "cdk.out",
    ".stack-work", "dist-newstyle", "_site", ".jekyll-cache", "zig-out", "zig-cache", ".zig-cache", ".swc",
    "CMakeFiles", ".pnpm-store", "cmake-build-release",
    "node_modules", "target", "dist", "build", "out", "output", ".next", ".nuxt", ".svelte-kit", ".venv",
    "venv", "env", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "coverage", ".coverage",
    ".cache", ".gradle", ".turbo", ".parcel-cache", ".tox", ".eggs", "obj", "DerivedData", "tmp", ".tmp",
    "temp", ".terraform", "htmlcov", "_build", "cmake-build-debug", "bower_components",
];
/// Suffixes of files that tools generate, so that they can be recreated.
#[rustfmt::skip]
const GENERATED_SUFFIXES: [&str; 17] = [
    ".snap.new", ".eslintcache", ".gcda",
    ".pyc", ".pyo", ".o", ".obj", ".class", ".tmp", ".log", ".bak", ".swp", ".orig", ".rej", ".egg-info",
    ".tsbuildinfo", ".DS_Store",
];

impl CommandContext<'_> {
    /// Classifies a path that the command uses. If the path is a symbolic link, the link is
    /// classified, as for deletion.
    pub fn path_class(&self, path: &str) -> PathClass {
        self.classify(path.trim(), path.trim().ends_with('/'))
    }

    /// Like [`path_class`](Self::path_class), but classifies the target of a symbolic link, as for writing.
    pub(crate) fn path_class_through_link(&self, path: &str) -> PathClass {
        self.classify(path.trim(), true)
    }

    /// Returns the absolute path with symbolic links resolved; `None` if it contains a variable of
    /// unknown value.
    pub fn target(&self, path: &str) -> Option<String> {
        let absolute = self.absolute(path.trim())?;
        let looked_up = self.path_context.files.filter(|_| !self.command.is_remote);
        Some(looked_up.and_then(|files| files.resolved(&absolute, true)).unwrap_or(absolute))
    }

    fn classify(&self, path: &str, through: bool) -> PathClass {
        let Some(absolute) = self.absolute(path) else { return self.of_variable(path) };
        if absolute.starts_with(TEMPORARY_MARK) {
            return PathClass::Temporary;
        }
        let folder = glob_folder(&absolute);
        let as_written = self.of_absolute(folder);
        let files = self.path_context.files.filter(|_| !self.command.is_remote);
        let resolved =
            files.and_then(|files| files.resolved(folder, through || folder.len() < absolute.len()));
        let class = match &resolved {
            // A build folder may lie on another disk, as long as it is named as one there.
            Some(resolved)
                if as_written == PathClass::Generated && self.has_generated_component(resolved) =>
            {
                as_written
            }
            Some(resolved) => self.of_absolute(resolved),
            None => as_written,
        };
        let folder = resolved.as_deref().unwrap_or(folder);
        if let (PathClass::Generated, Some(files)) = (class, files) {
            return self.in_project_with_generated_name(files, folder).unwrap_or(class);
        }
        // All of a project's work is there and perhaps nowhere else. In a cache, it is a copy.
        let is_project = files.is_some_and(|files| match class {
            PathClass::Inside => {
                let cwd = self.path_context.cwd;
                files.is_repository(folder) && !files.is_project(cwd)
                    || files.is_project(folder) && !is_in_project(files, cwd)
            }
            PathClass::Outside => {
                let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
                files.is_project(folder) && !self.has_generated_component(above)
            }
            _ => false,
        });
        if is_project { PathClass::Project } else { class }
    }

    /// Classifies a path at or below a project whose folder has the name of a generated one, such
    /// as a repository `build`. `None` if there is no such project above it.
    fn in_project_with_generated_name(&self, files: &dyn FileLookup, folder: &str) -> Option<PathClass> {
        let cwd = self.path_context.cwd;
        let from = if is_below(folder, cwd) { cwd.len() } else { 0 };
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]).filter(|at| *at > from);
        let is_own = |root: &&str| {
            let (above, name) = root.rsplit_once('/').unwrap_or(("", root));
            // Build output may have a manifest, but then lies in a project.
            let is_output = || is_in_project(files, above) || is_in_project(files, cwd);
            is_generated_name(name) && (files.is_repository(root) || files.is_project(root) && !is_output())
        };
        let root = ends.map(|end| &folder[..end]).filter(is_own).last()?;
        let rest = &folder[root.len()..];
        match (rest.is_empty(), rest.split('/').any(is_generated_name)) {
            (true, _) => Some(PathClass::Project),
            (false, true) => None,
            (false, false) if is_below(folder, cwd) => Some(PathClass::Inside),
            (false, false) => Some(PathClass::Outside),
        }
    }

    /// Returns `true` if a component of the path has the name of a generated folder, as in
    /// `~/.cache/pip`.
    pub fn is_generated(&self, path: &str) -> bool {
        self.absolute(path).is_some_and(|absolute| self.has_generated_component(&absolute))
    }

    /// Like [`is_generated`](Self::is_generated), but for an absolute path. Components of the
    /// working directory or home folder itself do not count.
    fn has_generated_component(&self, absolute: &str) -> bool {
        let PathContext { cwd, home, .. } = *self.path_context;
        let below_root = absolute.trim_start_matches('/').split_once('/').map_or("", |(_, rest)| rest);
        let below = |folder: &str| {
            let folder = folder.trim_end_matches('/');
            absolute.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let rest = below(cwd).or_else(|| below(home)).unwrap_or(below_root);
        rest.split('/').any(is_generated_name)
    }

    /// Returns the absolute path without `.` and `..`; `None` if it contains a variable of unknown
    /// value.
    fn absolute(&self, path: &str) -> Option<String> {
        let path = self.expand_variable(path, 0)?;
        if path.starts_with(TEMPORARY_MARK) {
            return Some(path);
        }
        if is_windows_path(&path) {
            return Some(path.replace('\\', "/"));
        }
        let home = self.path_context.home;
        let path = match path.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
            // Another person's home.
            Some(_) => return Some("/home".to_owned()),
            None => path,
        };
        if path.starts_with('/') {
            return Some(normalize(&path));
        }
        let from = match &self.command.folder {
            Some(folder) => {
                let site = CommandContext {
                    command: &SimpleCommand::default(),
                    path_context: self.path_context,
                    variables: self.variables,
                };
                site.absolute(folder)?
            }
            None if self.command.is_remote => return Some(normalize(&format!("/elsewhere/{path}"))),
            None => self.path_context.cwd.to_owned(),
        };
        Some(normalize(&format!("{from}/{path}")))
    }

    /// Replaces the first variable in a path by its value; `None` if the value is unknown.
    fn expand_variable(&self, path: &str, depth: usize) -> Option<String> {
        let upper = path.to_ascii_uppercase();
        if upper.starts_with("%TEMP%")
            || upper.starts_with("%TMP%")
            || upper.starts_with("$ENV:TEMP")
            || upper.starts_with("$ENV:TMP")
        {
            return Some(TEMPORARY_MARK.to_owned());
        }
        if upper.starts_with("%USERPROFILE%") || upper.starts_with("$ENV:USERPROFILE") {
            return Some(self.path_context.home.to_owned());
        }
        let Some(dollar) = path.find(['$', '`']) else { return Some(path.to_owned()) };
        let (name, rest) = variable(&path[dollar..])?;
        let before = &path[..dollar];
        let value = match name {
            "HOME" => self.path_context.home.to_owned(),
            "PWD" | "CLAUDE_PROJECT_DIR" => self.path_context.cwd.to_owned(),
            "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" => TEMPORARY_MARK.to_owned(),
            _ if name.starts_with("(mktemp") => TEMPORARY_MARK.to_owned(),
            "(pwd)" => self.path_context.cwd.to_owned(),
            "(git rev-parse --show-toplevel)" => self.path_context.cwd.to_owned(),
            _ => {
                let value = self.variables.0.get(name).filter(|_| depth < 4)?;
                self.expand_variable(value, depth + 1)?
            }
        };
        if value == TEMPORARY_MARK {
            // `..` from an unknown folder can lead anywhere.
            return (before.is_empty() && !rest.contains("..")).then_some(value);
        }
        // A further variable deeper in the path does not lead out of the folder that is known.
        let rest = rest.split(['$', '`']).next().unwrap_or("");
        Some(format!("{before}{value}{rest}"))
    }

    /// Classifies a path with a variable of unknown value, by the text before the variable.
    fn of_variable(&self, path: &str) -> PathClass {
        let before = path.split(['$', '`']).next().unwrap_or("");
        match before.trim_end_matches('/') {
            "" => PathClass::Unknown,
            // Nothing of the path is hidden: the folder that it stands in is.
            whole if whole == path.trim_end_matches('/') => PathClass::Unknown,
            // An empty variable would leave the whole folder.
            before => Some(self.path_class(before))
                .filter(|class| *class != PathClass::Workspace)
                .unwrap_or(PathClass::Unknown),
        }
    }

    fn of_absolute(&self, folder: &str) -> PathClass {
        let PathContext { cwd, home, .. } = *self.path_context;
        let cwd = cwd.trim_end_matches('/');
        if is_windows_path(folder) {
            return class_of_windows_path(folder);
        }
        if folder.split('/').any(|part| part == ".git") && is_below(folder, cwd) {
            return PathClass::Repository;
        }
        // Wherever a home lies, in a container perhaps below a temporary folder.
        if home.len() > 1 && folder == home.trim_end_matches('/') {
            return PathClass::Home;
        }
        // A project below a temporary folder is one all the same; a folder for scratch files is not.
        let is_work = |files: &dyn FileLookup| files.is_project(cwd);
        if folder == cwd && !TEMPORARY.contains(&cwd) && self.path_context.files.is_none_or(is_work) {
            return PathClass::Workspace;
        }
        let at_home = is_below(folder, home) && home.len() > 1;
        if let Some(root) =
            TEMPORARY.iter().find(|root| is_below(folder, root) && !(at_home && is_below(home, root)))
        {
            // All temporary files of the machine are not only one's own.
            return if folder == *root { PathClass::Shared } else { PathClass::Temporary };
        }
        if folder == cwd {
            return PathClass::Workspace;
        }
        // From a home, or from above it, what lies below is no part of one work.
        if is_below(folder, cwd) && cwd.len() > 1 && !is_below(home, cwd) {
            let made = folder[cwd.len()..].split('/').any(is_generated_name);
            return if made { PathClass::Generated } else { PathClass::Inside };
        }
        if folder != "/" && is_below(home, folder) || folder == "/home" || folder == "/Users" {
            return PathClass::Home;
        }
        if is_below(cwd, folder) && is_below(folder, home) {
            return PathClass::Project;
        }
        if is_below(folder, "/elsewhere") {
            return if folder == "/elsewhere" { PathClass::Workspace } else { PathClass::Inside };
        }
        if folder == "/"
            || folder.matches('/').count() == 1
            || SYSTEM.iter().any(|root| is_below(folder, root))
        {
            return if is_below(folder, home) { PathClass::Outside } else { PathClass::System };
        }
        PathClass::Outside
    }
}

/// Whether a folder is or lies in a project.
fn is_in_project(files: &dyn FileLookup, folder: &str) -> bool {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    ends.filter(|end| *end > 0).any(|end| files.is_project(&folder[..end]))
}

/// Stands for the path of a temporary folder whose name is unknown.
const TEMPORARY_MARK: &str = "\u{1}temporary";

/// Returns `true` if a file or folder of this name is usually generated.
pub(crate) fn is_generated_name(name: &str) -> bool {
    GENERATED_NAMES.contains(&name)
        || GENERATED_SUFFIXES.iter().any(|ending| name.ends_with(ending) && name.len() >= ending.len())
}

/// Splits a leading variable or command substitution from a text; returns its name and the
/// remaining text.
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

/// Returns the folder of a pattern such as `dir/*`; other paths stay as they are.
fn glob_folder(path: &str) -> &str {
    for ending in ["/*", "/.*", "/{*,.*}", "/**", "/*.*"] {
        if let Some(folder) = path.strip_suffix(ending) {
            return if folder.is_empty() { "/" } else { folder };
        }
    }
    path
}

/// Normalizes a path: removes empty components and `.`, and resolves `..`.
fn normalize(path: &str) -> String {
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

/// Returns `true` if a path is `folder` or below it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_windows_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|byte| matches!(byte, b'\\' | b'/' | b'*'))
}

fn class_of_windows_path(path: &str) -> PathClass {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != "." && !part.contains('*')) {
        match part {
            // The first part is the drive.
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            part => parts.push(part),
        }
    }
    match parts.as_slice() {
        [_] | [_, "windows" | "program files" | "program files (x86)" | "programdata", ..] => {
            PathClass::System
        }
        [_, "users"] | [_, "users", _] => PathClass::Home,
        [.., "temp"] | [_, "temp", ..] => PathClass::Temporary,
        parts if parts.contains(&"temp") => PathClass::Temporary,
        parts if parts.iter().any(|part| is_generated_name(part)) => PathClass::Generated,
        _ => PathClass::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_class(script: &str, path: &str) -> PathClass {
        let script = cm_shell::read(&format!("{script}; rm"));
        let path_context = PathContext::new("/home/ada/shop", "/home/ada");
        let variables = ScriptVariables::of(&script);
        let site = CommandContext {
            path_context: &path_context,
            variables: &variables,
            command: script.commands.last().unwrap(),
        };
        site.path_class(path)
    }

    #[test]
    fn a_path_leads_where_the_shell_would_go() {
        for (path, expected) in [
            ("/", PathClass::System),
            ("/*", PathClass::System),
            ("/etc/x", PathClass::System),
            ("~", PathClass::Home),
            ("$HOME/*", PathClass::Home),
            ("/home", PathClass::Home),
            ("~/x", PathClass::Outside),
            ("..", PathClass::Home),
            ("../other", PathClass::Outside),
            (".", PathClass::Workspace),
            ("./*", PathClass::Workspace),
            ("src/../..", PathClass::Home),
            ("src/x", PathClass::Inside),
            ("target/debug", PathClass::Generated),
            ("target/../src", PathClass::Inside),
            (".git", PathClass::Repository),
            ("/tmp/x", PathClass::Temporary),
            ("/tmp", PathClass::Shared),
            ("$TMPDIR/x", PathClass::Temporary),
            ("$TMPDIR/../x", PathClass::Unknown),
            ("$X", PathClass::Unknown),
            ("/opt/$X", PathClass::System),
            ("src/$X", PathClass::Inside),
            ("C:\\", PathClass::System),
            ("C:\\Users\\ada", PathClass::Home),
            ("C:\\temp\\..\\Users", PathClass::Home),
            ("C:\\x\\target\\..\\src", PathClass::Outside),
            ("C:\\..\\..\\Windows", PathClass::System),
            ("%TEMP%\\x", PathClass::Temporary),
        ] {
            assert_eq!(path_class("true", path), expected, "{path}");
        }
    }

    #[test]
    fn only_components_below_the_folder_are_generated() {
        let script = cm_shell::read("rm");
        let path_context = PathContext::new("/home/ada/re", "/home/ada");
        let variables = ScriptVariables::of(&script);
        let command = script.commands.last().unwrap();
        let site = CommandContext { path_context: &path_context, variables: &variables, command };
        assert!(site.is_generated("/home/ada/re/build"));
        assert!(!site.is_generated("/home/ada/rebuild"));
    }

    #[test]
    fn from_a_folder_that_nothing_is_recognized_of_a_path_leads_nobody_knows_where() {
        for path in ["src", "src/", "./src", "..", "src/$Y", "*"] {
            assert_eq!(path_class("cd \"$X\"", path), PathClass::Unknown, "{path}");
        }
        assert_eq!(path_class("cd $X", "/etc"), PathClass::System);
    }

    #[test]
    fn what_the_script_says_of_a_variable_counts() {
        assert_eq!(path_class("X=/tmp/a", "$X/b"), PathClass::Temporary);
        assert_eq!(path_class("X=$(mktemp -d)", "${X}"), PathClass::Temporary);
        assert_eq!(path_class("export X=/etc", "$X/b"), PathClass::System);
        assert_eq!(path_class("A=$B; B=$A", "$A"), PathClass::Unknown);
        assert_eq!(path_class("cd /tmp/a", "b"), PathClass::Temporary);
        assert_eq!(path_class("cd ..", "shop"), PathClass::Workspace);
    }
}
