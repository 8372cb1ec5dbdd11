//! Detects the languages and frameworks of a workspace from file names and manifests. Rules with
//! such a scope are shown only if the workspace uses it or the task mentions it.

use std::collections::BTreeSet;

use super::warning::MentionIndex;
use cm_note::bullet::Scope;

/// Programming languages: their names, and the file extensions and file names that show their use.
const LANGUAGES: [(&[&str], &[&str]); 27] = [
    (&["python", "py"], &["py", "pyi", "ipynb", "pyproject.toml", "requirements.txt", "setup.py"]),
    (&["rust", "rs"], &["rs", "cargo.toml"]),
    (&["typescript", "ts"], &["ts", "tsx", "mts", "cts", "tsconfig.json"]),
    (&["javascript", "js", "node", "nodejs"], &["js", "jsx", "mjs", "cjs", "ts", "tsx", "package.json"]),
    (&["go", "golang"], &["go", "go.mod"]),
    (&["java"], &["java", "pom.xml", "build.gradle"]),
    (&["kotlin"], &["kt", "kts"]),
    (&["scala"], &["scala", "sbt"]),
    (&["ruby", "rb"], &["rb", "gemfile", "rakefile"]),
    (&["php"], &["php", "composer.json"]),
    (&["c"], &["c", "h"]),
    (&["c++", "cpp"], &["cpp", "cc", "cxx", "hpp", "hh"]),
    (&["c#", "csharp", "dotnet"], &["cs", "csproj", "sln"]),
    (&["swift"], &["swift"]),
    (&["shell", "bash", "sh", "zsh"], &["sh", "bash", "zsh"]),
    (&["sql"], &["sql"]),
    (&["html"], &["html", "htm"]),
    (&["css"], &["css", "scss", "less"]),
    (&["elixir"], &["ex", "exs"]),
    (&["erlang"], &["erl", "hrl"]),
    (&["haskell"], &["hs", "cabal"]),
    (&["ocaml"], &["ml", "mli"]),
    (&["lua"], &["lua"]),
    (&["dart", "flutter"], &["dart", "pubspec.yaml"]),
    (&["r"], &["r", "rmd"]),
    (&["terraform", "hcl"], &["tf", "hcl"]),
    (&["docker"], &["dockerfile", "compose.yaml", "docker-compose.yml"]),
];

/// Manifest files that name the frameworks and libraries of a project.
pub const MANIFESTS: [&str; 9] = [
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "composer.json",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
];

/// File names and manifest texts that show which languages and frameworks a workspace uses.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceLanguages {
    /// Names and extensions of the workspace's files, in lower case.
    names: BTreeSet<String>,
    manifests: String,
}

impl WorkspaceLanguages {
    /// Collects the languages from the workspace's file names and the frameworks from the text of
    /// its manifests.
    pub fn of<'n>(names: impl Iterator<Item = &'n str>, manifests: &str) -> Self {
        let mut mentioned = BTreeSet::new();
        for name in names.map(str::to_lowercase) {
            mentioned.extend(name.rsplit_once('.').map(|(_, ending)| ending.to_owned()));
            mentioned.insert(name);
        }
        Self { names: mentioned, manifests: manifests.to_lowercase() }
    }

    /// Whether a rule with this scope and key applies: the workspace uses the language or framework
    /// `key`, or the task text `seen` mentions it. A rule without a key always applies.
    pub fn hold(&self, scope: Scope, key: Option<&str>, seen: &MentionIndex) -> bool {
        let Some(key) = key.map(|key| key.trim().to_lowercase()).filter(|key| !key.is_empty()) else {
            return true;
        };
        match scope {
            Scope::Global | Scope::Workspace => true,
            Scope::Task => seen.mentions(&key),
            Scope::Language => seen.mentions(&key) || self.is_in(&key, seen),
            Scope::Framework => seen.mentions(&key) || self.is_in(&key, seen) || self.names_framework(&key),
        }
    }

    fn is_in(&self, key: &str, seen: &MentionIndex) -> bool {
        let mentioned = LANGUAGES.iter().find(|(names, _)| names.contains(&key));
        let Some((names, files)) = mentioned else { return self.names.contains(key) };
        let is_mentioned =
            |file: &&&str| seen.mentions(&format!(".{file}")) || file.contains('.') && seen.mentions(file);
        files.iter().any(|file| self.names.contains(*file))
            || files.iter().filter(|file| file.len() > 1).any(|file| is_mentioned(&file))
            || names.iter().filter(|name| name.len() > 2).any(|name| seen.mentions(name))
    }

    /// Whether the manifests contain the framework's name as a word; `nextjs` also matches `next`
    /// and `next.js`.
    fn names_framework(&self, key: &str) -> bool {
        let stem = key.trim_end_matches("js").trim_end_matches(['.', '-']);
        let of_word = |c: char| c.is_alphanumeric() || c == '_';
        [key, stem].into_iter().filter(|name| name.len() > 1).any(|name| {
            self.manifests.match_indices(name).any(|(at, _)| {
                let before = self.manifests[..at].chars().next_back();
                let after = self.manifests[at + name.len()..].chars().next();
                !before.is_some_and(of_word) && !after.is_some_and(of_word)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_a_language_holds_where_the_files_or_the_task_are_of_it() {
        let rust =
            WorkspaceLanguages::of(["Cargo.toml", "main.rs"].into_iter(), "[dependencies]\naxum = \"0.8\"\n");
        let task = MentionIndex::of("make the retry test pass");
        let holds = |scope, key| rust.hold(scope, Some(key), &task);
        assert!(holds(Scope::Language, "rust") && holds(Scope::Language, "Rust"));
        assert!(!holds(Scope::Language, "python") && !holds(Scope::Language, "go"));
        assert!(holds(Scope::Framework, "axum") && !holds(Scope::Framework, "nextjs"));
        assert!(!holds(Scope::Task, "release") && holds(Scope::Global, "x"));
        for task in ["port it to Python", "fix src/app.py", "read pyproject.toml"] {
            assert!(rust.hold(Scope::Language, Some("python"), &MentionIndex::of(task)), "{task}");
        }
        let web =
            WorkspaceLanguages::of(["package.json"].into_iter(), "{\"dependencies\": {\"next\": \"15\"}}");
        assert!(web.hold(Scope::Framework, Some("nextjs"), &task));
        assert!(web.hold(Scope::Language, Some("javascript"), &task));
        assert!(!web.hold(Scope::Framework, Some("react"), &task));
        assert!(WorkspaceLanguages::default().hold(Scope::Language, None, &task));
    }
}
