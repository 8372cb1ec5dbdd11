//! Which model embeds the notes of a vault, from its settings, and whose word counts for what.
//!
//! A vault's `cm.toml` is written by everybody who can push to it. It may choose among what stays on this machine, but
//! never send notes to another one, nor name files that are loaded into this process. Nothing is opened here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::error::Result;
use super::memory::{Level, Memory, OpenVault};
use crate::config::{Origin, Settings};
use crate::domain::path::NotePath;
use crate::embed::{self, Address, Choice, Key, Onnx, Outside, openai_address};
use crate::net::ollama_host::ollama_host;
use crate::vault::layout;

const PROVIDER: &str = "embeddings.provider";
const MODEL: &str = "embeddings.model";
const PATH: &str = "embeddings.path";
const RUNTIME: &str = "embeddings.runtime";
const URL: &str = "embeddings.url";
const KEY: &str = "embeddings.key";

/// Why a value of a shared file does not count.
const WHOSE: &str = "and a file that others can write cannot decide that";

/// Whose files the settings stand in.
#[derive(Debug, Clone)]
pub struct Place {
    /// Whether the vault's own `cm.toml` is the person's, as that of the global vault is.
    pub own: bool,
    /// Whether `_config.toml` is the person's: it is not where git tracks it, for then others write it.
    pub private: bool,
    /// Where models of a hub are kept.
    pub cache: PathBuf,
}

/// What embeds, and what the person should hear about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The choice.
    pub choice: Choice,
    /// What does not count and why, and what to do.
    pub notices: Vec<String>,
}

/// The model of an open vault; what there is to hear becomes notices of the call.
pub fn choice(memory: &Memory, open: &OpenVault) -> Choice {
    heard(memory, open, &open.settings)
}

/// The model that these settings of a vault give, which may be newer than those that it was opened with.
pub(super) fn heard(memory: &Memory, open: &OpenVault, settings: &Settings) -> Choice {
    let chosen = choose(settings, &place(memory, open, settings), &memory.call.variables);
    chosen.notices.into_iter().for_each(|notice| memory.notice(notice));
    chosen.choice
}

/// How long a command may spend on embedding new notes with the finer model.
pub fn budget(settings: &Settings) -> Duration {
    Duration::from_millis(settings.whole("embeddings.budget_ms") as u64)
}

/// Whether a value of this origin is the person's own word: those of files that others can write are not.
pub(super) fn is_own_word(memory: &Memory, open: &OpenVault, origin: &Origin) -> bool {
    match origin {
        Origin::Vault => is_own(memory, open),
        Origin::Private => is_untracked(open),
        Origin::Default | Origin::Global | Origin::Environment(_) => true,
    }
}

/// Whether the vault's `cm.toml` is the person's.
fn is_own(memory: &Memory, open: &OpenVault) -> bool {
    let global = memory.call.global.as_ref().and_then(|path| path.canonicalize().ok());
    open.level == Level::Global || global.is_some_and(|path| path == open.vault.root())
}

fn place(memory: &Memory, open: &OpenVault, settings: &Settings) -> Place {
    let global = memory.call.global.as_ref();
    let cache = global.map_or_else(|| open.vault.root(), PathBuf::as_path).join("_embeddings/models");
    let holds = |name| settings.get_from(name, |origin| *origin == Origin::Private).is_some();
    let asked = [PROVIDER, PATH, RUNTIME, URL, KEY].into_iter().any(holds);
    Place { own: is_own(memory, open), private: !asked || is_untracked(open), cache }
}

/// Whether the private file is in no commit. Where that cannot be known, it counts as one that is.
fn is_untracked(open: &OpenVault) -> bool {
    let tracked = || -> Result<bool> {
        let Some(repo) = open.repo()? else { return Ok(false) };
        let (Some(commit), Ok(path)) = (repo.head()?.commit, NotePath::parse(layout::PRIVATE)) else {
            return Ok(false);
        };
        Ok(repo.has_at(commit, &path)?)
    };
    tracked().is_ok_and(|tracked| !tracked)
}

/// Maps settings to a choice. Variables are those of the environment that stand in for settings.
pub fn choose(settings: &Settings, place: &Place, variables: &BTreeMap<String, String>) -> Chosen {
    let mut words = Words { settings, place, notices: Vec::new() };
    let choice = words.choice(variables).unwrap_or_else(|why| {
        words.notices.push(format!("{why}; the built-in model embeds"));
        Choice::Builtin
    });
    Chosen { choice, notices: words.notices }
}

/// The settings as words of somebody.
struct Words<'a> {
    settings: &'a Settings,
    place: &'a Place,
    notices: Vec<String>,
}

impl Words<'_> {
    fn choice(&mut self, variables: &BTreeMap<String, String>) -> std::result::Result<Choice, String> {
        let timeout = Duration::from_secs_f64(self.settings.number("embeddings.timeout_s").clamp(0.1, 600.0));
        // What a file says is shown again, so it holds nothing that moves a cursor.
        let model: String = self.any(MODEL).0.trim().chars().filter(|c| !c.is_control()).collect();
        Ok(match self.provider().as_str() {
            "none" => Choice::None,
            "fastembed" => Choice::Outside(Outside::Onnx(self.onnx(model, variables))),
            "ollama" => {
                Choice::Outside(Outside::Ollama { model, address: self.ollama_address(variables)?, timeout })
            }
            "openai" => {
                let address = address(&self.mine_alone(URL, "another server"))?;
                let key = self.key(address.as_ref(), variables);
                Choice::Outside(Outside::OpenAi { model, address, key, timeout })
            }
            _ => Choice::Builtin,
        })
    }

    /// The provider that counts: of a shared file only one that needs nobody's leave.
    fn provider(&mut self) -> String {
        let (provider, origin) = self.any(PROVIDER);
        let does = match provider.as_str() {
            _ if self.is_mine(&origin) => return provider,
            "openai" => "sends notes to another machine",
            "ollama" if self.stays_here() => return provider,
            "ollama" => "would send notes to another machine",
            "fastembed" if !self.mine(PATH).is_empty() => return provider,
            "fastembed" => "fetches a model and loads it",
            _ => return provider,
        };
        self.notices.push(format!(
            "{origin} sets {PROVIDER} to {provider}, which {does}, {WHOSE}. To allow it: {}",
            self.remedy(PROVIDER, &provider)
        ));
        self.mine(PROVIDER)
    }

    fn stays_here(&self) -> bool {
        let (url, _) = self.any(URL);
        url.is_empty() || Address::parse(&url).is_ok_and(|address| address.is_loopback())
    }

    /// The server that a setting names, else the one that Ollama's own variable does.
    fn ollama_address(
        &mut self,
        variables: &BTreeMap<String, String>,
    ) -> std::result::Result<Option<Address>, String> {
        let url = if self.stays_here() { self.any(URL).0 } else { self.mine_alone(URL, "another machine") };
        // A shared file that chooses the provider sends nothing to another machine.
        let is_chosen_here = self.is_mine(&self.any(PROVIDER).1);
        let named = || ollama_host(variables.get("OLLAMA_HOST")?);
        let named = || named().filter(|address| is_chosen_here || address.is_loopback());
        Ok(address(&url)?.or_else(named))
    }

    fn onnx(&mut self, model: String, variables: &BTreeMap<String, String>) -> Onnx {
        let path = |text: String| (!text.is_empty()).then(|| PathBuf::from(text));
        let folder = path(self.mine_alone(PATH, "files that are loaded"));
        let runtime = path(self.mine_alone(RUNTIME, "a library that is loaded")).map(|path| (RUNTIME, path));
        let variable = || path(variables.get("ORT_DYLIB_PATH")?.clone()).map(|path| ("ORT_DYLIB_PATH", path));
        let runtime = runtime.or_else(variable);
        Onnx { model, folder, hub: None, cache: self.place.cache.clone(), runtime }
    }

    /// The key for a server. OpenAI's own goes to nobody else.
    fn key(&self, address: Option<&Address>, variables: &BTreeMap<String, String>) -> Option<Key> {
        let private = |origin: &Origin| {
            matches!(origin, Origin::Private | Origin::Environment(_)) && self.is_mine(origin)
        };
        let set = self.settings.get_from(KEY, private).and_then(|(value, _)| Key::of(value.as_str()?));
        let openai = openai_address();
        let is_openai = address.is_none_or(|address| {
            address.host() == openai.host() && address.to_string().starts_with("https://")
        });
        let theirs = || variables.get("OPENAI_API_KEY").filter(|_| is_openai).and_then(|key| Key::of(key));
        set.or_else(theirs)
    }

    /// The person's own value; another one is told not to count.
    fn mine_alone(&mut self, name: &str, what: &str) -> String {
        let (value, origin) = self.any(name);
        if !value.is_empty() && !self.is_mine(&origin) {
            let remedy = self.remedy(name, "…");
            self.notices
                .push(format!("{origin} sets {name}, which names {what}, {WHOSE}. To allow it: {remedy}"));
        }
        self.mine(name)
    }

    fn remedy(&self, name: &str, value: &str) -> String {
        if self.place.private {
            return format!("cm config set {name} {value} --private");
        }
        let private = layout::PRIVATE;
        format!(
            "git rm --cached {private}, commit that, read what it says, then cm config set {name} {value} --private"
        )
    }

    /// The value that holds, whoever set it, and where it stands.
    fn any(&self, name: &str) -> (String, Origin) {
        text(self.settings.get(name))
    }

    /// The value that holds where only the person's own words count.
    fn mine(&self, name: &str) -> String {
        text(self.settings.get_from(name, |origin| self.is_mine(origin))).0
    }

    fn is_mine(&self, origin: &Origin) -> bool {
        match origin {
            Origin::Default | Origin::Global | Origin::Environment(_) => true,
            Origin::Vault => self.place.own,
            Origin::Private => self.place.private,
        }
    }
}

fn text(found: Option<&(toml::Value, Origin)>) -> (String, Origin) {
    let held = found.and_then(|(value, origin)| Some((value.as_str()?.trim().to_owned(), origin.clone())));
    held.unwrap_or((String::new(), Origin::Default))
}

fn address(url: &str) -> std::result::Result<Option<Address>, String> {
    if url.is_empty() {
        return Ok(None);
    }
    Address::parse(url).map(Some).map_err(|error| embed::Error::from(error).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layer;
    use crate::ops::Call;

    const CACHE: &str = "/cache";

    fn chosen_in(place: &Place, files: &[(&str, Origin)], variables: &[(&str, &str)]) -> Chosen {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut layers: Vec<_> = files
            .iter()
            .map(|(text, origin)| {
                let name = if *origin == Origin::Private { "_config.toml" } else { "cm.toml" };
                (Layer::of_toml(name, &format!("[embeddings]\n{text}\n")), origin.clone())
            })
            .collect();
        layers.extend(Layer::of_environment(&variables));
        choose(&Settings::of(layers), place, &variables)
    }

    fn chosen(files: &[(&str, Origin)], variables: &[(&str, &str)]) -> Chosen {
        chosen_in(&Place { own: false, private: true, cache: CACHE.into() }, files, variables)
    }

    /// What is chosen and what is said, as one text.
    fn shown(chosen: &Chosen) -> String {
        let what = match &chosen.choice {
            Choice::Outside(Outside::Onnx(onnx)) => {
                format!("fastembed {:?} {:?} {:?}", onnx.model, onnx.folder, onnx.runtime)
            }
            Choice::Outside(Outside::Ollama { model, address, timeout }) => {
                format!("ollama {model:?} {} {timeout:?}", url(address.as_ref()))
            }
            Choice::Outside(Outside::OpenAi { model, address, key, .. }) => {
                format!(
                    "openai {model:?} {} {}",
                    url(address.as_ref()),
                    if key.is_some() { "with a key" } else { "without a key" }
                )
            }
            other => format!("{other:?}"),
        };
        [vec![what], chosen.notices.clone()].concat().join("\n")
    }

    fn url(address: Option<&Address>) -> String {
        address.map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    #[test]
    fn the_built_in_model_embeds_where_nothing_is_set() {
        assert_eq!(shown(&chosen(&[], &[("OPENAI_API_KEY", "sk-12345")])), "Builtin");
        assert_eq!(shown(&chosen(&[("provider = 'none'", Origin::Vault)], &[])), "None");
    }

    #[test]
    fn a_project_chooses_what_stays_on_this_machine() {
        let text = "provider = 'ollama'\nmodel = 'all-minilm'\nurl = 'http://localhost:1'\ntimeout_s = 2.5";
        insta::assert_snapshot!(shown(&chosen(&[(text, Origin::Vault)], &[])), @r#"ollama "all-minilm" http://localhost:1 2.5s"#);
        insta::assert_snapshot!(shown(&chosen(&[("provider = 'ollama'", Origin::Vault)], &[])), @r#"ollama "" - 30s"#);
        let theirs = ("provider = 'fastembed'", Origin::Vault);
        let mine = ("path = '/models/minilm'", Origin::Private);
        insta::assert_snapshot!(shown(&chosen(&[theirs, mine], &[])), @r#"fastembed "" Some("/models/minilm") None"#);
    }

    #[test]
    fn a_project_sends_no_notes_to_another_machine() {
        insta::assert_snapshot!(shown(&chosen(&[("provider = 'openai'", Origin::Vault)], &[("OPENAI_API_KEY", "sk-12345")])), @"
        Builtin
        cm.toml sets embeddings.provider to openai, which sends notes to another machine, and a file that others can write cannot decide that. To allow it: cm config set embeddings.provider openai --private
        ");
        // Not even one of this machine: a key would go with it.
        let here = "provider = 'openai'\nurl = 'http://localhost:1/v1'";
        assert_eq!(chosen(&[(here, Origin::Vault)], &[]).choice, Choice::Builtin);
        let there = "provider = 'ollama'\nurl = 'http://example.org'";
        insta::assert_snapshot!(shown(&chosen(&[(there, Origin::Vault)], &[])), @"
        Builtin
        cm.toml sets embeddings.provider to ollama, which would send notes to another machine, and a file that others can write cannot decide that. To allow it: cm config set embeddings.provider ollama --private
        ");
        let mine = ("provider = 'openai'\nkey = 'sk-12345'", Origin::Private);
        for url in ["https://example.org/v1", "http://localhost:1/v1"] {
            let theirs = format!("url = '{url}'");
            // The private file is laid upon the shared one and names no address.
            insta::allow_duplicates!(
                insta::assert_snapshot!(shown(&chosen(&[(&theirs, Origin::Vault), mine.clone()], &[])), @r#"
                openai "" - with a key
                cm.toml sets embeddings.url, which names another server, and a file that others can write cannot decide that. To allow it: cm config set embeddings.url … --private
                "#)
            );
        }
    }

    #[test]
    fn what_a_project_may_not_say_does_not_hide_what_the_person_said() {
        let mine = ("provider = 'ollama'\nurl = 'http://10.0.0.7:11434'", Origin::Global);
        let theirs = ("provider = 'openai'\nurl = 'https://example.org'", Origin::Vault);
        insta::assert_snapshot!(shown(&chosen(&[mine, theirs], &[])), @r#"
        ollama "" http://10.0.0.7:11434 30s
        cm.toml sets embeddings.provider to openai, which sends notes to another machine, and a file that others can write cannot decide that. To allow it: cm config set embeddings.provider openai --private
        cm.toml sets embeddings.url, which names another machine, and a file that others can write cannot decide that. To allow it: cm config set embeddings.url … --private
        "#);
    }

    #[test]
    fn a_project_names_no_file_that_is_loaded() {
        let theirs = "provider = 'fastembed'\npath = '/tmp/evil'\nruntime = '/tmp/evil.so'";
        insta::assert_snapshot!(shown(&chosen(&[(theirs, Origin::Vault)], &[])), @"
        Builtin
        cm.toml sets embeddings.provider to fastembed, which fetches a model and loads it, and a file that others can write cannot decide that. To allow it: cm config set embeddings.provider fastembed --private
        ");
        let mine = ("provider = 'fastembed'", Origin::Private);
        insta::assert_snapshot!(shown(&chosen(&[(theirs, Origin::Vault), mine], &[("ORT_DYLIB_PATH", "/opt/ort.so")])), @r#"
        fastembed "" None Some(("ORT_DYLIB_PATH", "/opt/ort.so"))
        cm.toml sets embeddings.path, which names files that are loaded, and a file that others can write cannot decide that. To allow it: cm config set embeddings.path … --private
        cm.toml sets embeddings.runtime, which names a library that is loaded, and a file that others can write cannot decide that. To allow it: cm config set embeddings.runtime … --private
        "#);
    }

    #[test]
    fn the_persons_own_files_and_the_environment_decide_everything() {
        let text = "provider = 'fastembed'\npath = '/m'\nruntime = '/r.so'\nmodel = 'x'";
        let expected = "fastembed \"x\" Some(\"/m\") Some((\"embeddings.runtime\", \"/r.so\"))";
        for origin in [Origin::Private, Origin::Global] {
            assert_eq!(shown(&chosen(&[(text, origin)], &[("ORT_DYLIB_PATH", "/other.so")])), expected);
        }
        let own = Place { own: true, private: true, cache: CACHE.into() };
        assert_eq!(shown(&chosen_in(&own, &[(text, Origin::Vault)], &[])), expected);
        let variables = [
            ("CM_EMBEDDINGS_PROVIDER", "openai"),
            ("CM_EMBEDDINGS_URL", "https://example.org/v1"),
            ("CM_EMBEDDINGS_KEY", "k"),
        ];
        assert_eq!(shown(&chosen(&[], &variables)), "openai \"\" https://example.org/v1 with a key");
    }

    #[test]
    fn a_private_file_that_git_tracks_is_not_private() {
        let place = Place { own: false, private: false, cache: CACHE.into() };
        let text = "provider = 'openai'\nkey = 'sk-12345'";
        insta::assert_snapshot!(shown(&chosen_in(&place, &[(text, Origin::Private)], &[])), @"
        Builtin
        _config.toml sets embeddings.provider to openai, which sends notes to another machine, and a file that others can write cannot decide that. To allow it: git rm --cached _config.toml, commit that, read what it says, then cm config set embeddings.provider openai --private
        ");
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a test makes its own repository")]
    fn whether_git_tracks_the_private_file_is_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("cm.toml"), "").unwrap();
        std::fs::write(root.join("_config.toml"), "[embeddings]\nprovider = 'openai'\n").unwrap();
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
            let mut git = std::process::Command::new("git");
            let output = git.arg("-C").arg(&root).args(identity).args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        let opened = || {
            let call = Call {
                cwd: root.clone(),
                vault: None,
                home: None,
                global: None,
                variables: BTreeMap::new(),
                environment: BTreeMap::new(),
                now: crate::domain::instant::Instant::parse("2026-11-21T12:00:00Z").unwrap(),
                now_is_given: true,
                seed: None,
                no_refresh: true,
                by: crate::ops::By::default(),
                clock: || 0,
                threads: 1,
                verb: "cm embed".to_owned(),
                holder: "a test".to_owned(),
                watch: Default::default(),
            };
            let memory = Memory::open(call).unwrap();
            (choice(&memory, memory.target()), memory.take_notices().len())
        };
        let is_openai = |choice: &Choice| matches!(choice, Choice::Outside(Outside::OpenAi { .. }));
        assert!(is_openai(&opened().0), "there is no repository");
        git(&["init", "--quiet"]);
        git(&["add", "cm.toml"]);
        git(&["commit", "--quiet", "--message", "Begin"]);
        assert!(is_openai(&opened().0), "git does not track it");
        git(&["add", "--force", "_config.toml"]);
        git(&["commit", "--quiet", "--message", "Push what is private"]);
        assert_eq!(opened(), (Choice::Builtin, 1));
    }

    #[test]
    fn the_key_of_openai_goes_to_openai_alone() {
        let key = ("OPENAI_API_KEY", "sk-12345");
        let has = |text: &str, variables: &[(&str, &str)]| {
            let chosen = chosen(&[(text, Origin::Private)], variables);
            assert!(!format!("{chosen:?}").contains("12345"), "{chosen:?}");
            shown(&chosen).ends_with("with a key")
        };
        assert!(has("provider = 'openai'", &[key]));
        assert!(has("provider = 'openai'\nurl = 'https://api.openai.com/v1/'", &[key]));
        assert!(!has("provider = 'openai'\nurl = 'http://api.openai.com/v1'", &[key]));
        assert!(!has("provider = 'openai'\nurl = 'https://example.org/v1'", &[key]));
        assert!(has("provider = 'openai'\nurl = 'https://example.org/v1'\nkey = 'sk-12345'", &[]));
        assert!(!has("provider = 'openai'", &[]));
    }

    #[test]
    fn an_address_that_is_none_is_told_and_not_repeated() {
        let text = "provider = 'ollama'\nurl = 'http://me:hunter2@example.org'";
        insta::assert_snapshot!(shown(&chosen(&[(text, Origin::Private)], &[])), @"
        Builtin
        `embeddings.url` is no address: it holds a name or a password, and a key has a setting of its own; the built-in model embeds
        ");
    }

    #[test]
    fn a_models_name_moves_no_cursor() {
        let text = "provider = 'ollama'\nmodel = \"a\\u001b[2Jb\"";
        assert!(shown(&chosen(&[(text, Origin::Vault)], &[])).starts_with("ollama \"a[2Jb\""));
    }
}
