//! One layer of settings, parsed from a TOML file or an environment variable, with the positions of
//! errors.

use std::collections::BTreeMap;
use std::fmt;

use toml_edit::{Document, Item, TableLike};

use super::keys::{self, ValueType};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::path::NotePath;
use cm_note::user_text::UserText;
use cm_text::position::line_and_column;

/// Source of a value. Later variants override earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingOrigin {
    Default,
    /// `cm.toml` of the global vault.
    Global,
    /// `cm.toml` of the project's vault, or of the only vault in use.
    Vault,
    /// The user's `config.toml` for every vault.
    User,
    /// The user's private settings for this vault.
    Private,
    /// The environment variable with this name.
    Environment(String),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Global => f.write_str("cm.toml of the global vault"),
            Self::Vault => f.write_str("cm.toml"),
            Self::User => f.write_str("your settings for all vaults"),
            Self::Private => f.write_str("your settings for this vault"),
            Self::Environment(name) => f.write_str(name),
        }
    }
}

impl SettingOrigin {
    /// Whether only the user can have set the value. Files in a vault may come from other people.
    pub fn is_users(&self) -> bool {
        !matches!(self, Self::Global | Self::Vault)
    }
}

/// The settings file in the vault, which may come from other people.
const SHARED: &str = "cm.toml";

/// Path of the findings about environment variables.
pub const ENVIRONMENT: &str = "environment";

/// Settings from one source, such as a file or the environment.
#[derive(Clone, Default)]
pub struct SettingsLayer {
    /// Valid values of known settings.
    pub values: BTreeMap<&'static str, toml::Value>,
    /// The `types` and `relations` tables, unparsed.
    pub tables: BTreeMap<&'static str, toml::Value>,
    /// Problems found in the source, such as unknown settings and invalid values.
    pub findings: Vec<Finding>,
    /// Settings in a shared file that are accepted only from the user's own configuration, each
    /// with an explanation.
    pub ignored: Vec<(&'static str, String)>,
}

impl fmt::Debug for SettingsLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(name, value)| (name, keys::find(name).map(|key| key.shown(value)));
        let values: BTreeMap<_, _> = self.values.iter().map(|(name, value)| shown((*name, value))).collect();
        let mut layer = f.debug_struct("Layer");
        layer.field("values", &values).field("tables", &self.tables);
        layer.field("findings", &self.findings).finish()
    }
}

impl SettingsLayer {
    /// Parses a TOML file. `name` is the file name used in findings.
    pub fn parse_toml(name: &str, text: &str) -> Self {
        let mut layer = Self::default();
        let document = match text.parse::<Document<String>>() {
            Ok(document) => document,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let message = error.message().lines().next().unwrap_or("invalid TOML").to_owned();
                let hint =
                    "fix that line; until then all settings in the file are ignored and nothing is written"
                        .to_owned();
                let message = format!("the file is not valid TOML: {message}");
                layer.find(name, text, at, FindingCode::InvalidSetting, message, Some(hint));
                // A file of which nothing is known may say anything, `git.commit` among it.
                layer.findings.iter_mut().for_each(|finding| finding.severity = Severity::Error);
                return layer;
            }
        };
        layer.table(name, text, "", document.as_table());
        layer
    }

    /// Reads variables such as `CM_GIT_COMMIT=manual`. Variables that match no setting are ignored.
    pub fn of_environment(variables: &BTreeMap<String, String>) -> Vec<(Self, SettingOrigin)> {
        let mut layers = Vec::new();
        for key in keys::KEYS {
            let variable = format!("CM_{}", key.name.replace('.', "_").to_uppercase());
            let Some(typed) = variables.get(&variable) else { continue };
            let mut layer = Self::default();
            match read_typed(key.shape, typed) {
                Some(value) => drop(layer.values.insert(key.name, value)),
                None => {
                    let message =
                        format!("{variable} is `{typed}`, but {} takes {}", key.name, key.shape.words());
                    layer.find(ENVIRONMENT, "", 0, FindingCode::InvalidSetting, message, None);
                }
            }
            layers.push((layer, SettingOrigin::Environment(variable)));
        }
        layers
    }

    fn table(&mut self, file: &str, text: &str, prefix: &str, table: &dyn TableLike) {
        for (written, item) in table.iter() {
            let name = format!("{prefix}{}", snake(written));
            let at = table.key(written).and_then(toml_edit::Key::span).map_or(0, |span| span.start);
            if let Some(table_name) = keys::TABLES.iter().find(|table_name| **table_name == name) {
                if let Some(value) = value_of(item) {
                    self.tables.insert(table_name, value);
                }
            } else if let Some(key) = keys::find(&name) {
                match value_of(item).filter(|value| fits(key.shape, value)) {
                    Some(value) if file == SHARED && !key.may_be_shared(&value) => {
                        self.ignore(file, text, at, key);
                    }
                    Some(value) => drop(self.values.insert(key.name, value)),
                    None => {
                        let message = format!("`{name}` takes {}", key.shape.words());
                        self.find(file, text, at, FindingCode::InvalidSetting, message, None);
                    }
                }
            } else if let Some(inner) = item.as_table_like().filter(|_| is_group(&name)) {
                self.table(file, text, &format!("{name}."), inner);
            } else if is_group(&name) {
                let message = format!("`{name}` is a group of settings and takes a table");
                self.find(file, text, at, FindingCode::InvalidSetting, message, None);
            } else {
                let hint = keys::nearest(&name).map(|nearest_name| format!("did you mean `{nearest_name}`?"));
                self.find(
                    file,
                    text,
                    at,
                    FindingCode::UnknownSetting,
                    format!("unknown setting `{name}`"),
                    hint,
                );
            }
        }
    }

    /// Records a setting as ignored, because it is not accepted from a shared file.
    fn ignore(&mut self, file: &str, text: &str, at: usize, key: &'static keys::SettingKey) {
        let name = key.name;
        let message = format!("`{name}` is ignored in {file}, because others can write to this file");
        let hint = match key.shape {
            ValueType::Secret => {
                format!(
                    "remove it, replace the secret if others saw it, then run `cm config set {name} … --private`"
                )
            }
            _ => format!("`cm config set {name} … --private` sets it for yourself"),
        };
        self.ignored.push((name, format!("{message}; {hint}")));
        self.find(file, text, at, FindingCode::InvalidSetting, message, Some(hint));
    }

    fn find(
        &mut self,
        file: &str,
        text: &str,
        at: usize,
        code: FindingCode,
        message: String,
        hint: Option<String>,
    ) {
        // The names of our own files are sound paths.
        let Ok(path) = NotePath::parse(file) else { return };
        let mut finding = Finding::new(&path, code, Severity::Warning, message);
        if !text.is_empty() {
            let (line, column) = line_and_column(text, at);
            finding = finding.with_location(line, column);
        }
        finding.hint = hint.map(UserText::from);
        self.findings.push(finding);
    }
}

/// Whether the name is a group of settings, such as `git` of `git.commit`.
fn is_group(name: &str) -> bool {
    keys::KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn value_of(item: &Item) -> Option<toml::Value> {
    let text = match item {
        Item::Value(value) => format!("x = {}", value.clone().decorated(" ", "")),
        Item::Table(table) => {
            let mut inline = table.clone().into_inline_table();
            inline.fmt();
            format!("x = {inline}")
        }
        _ => return None,
    };
    text.parse::<toml::Table>().ok()?.remove("x")
}

/// Whether a value has the type and is in the range of `shape`.
pub fn fits(shape: ValueType, value: &toml::Value) -> bool {
    match (shape, value) {
        (ValueType::Bool, toml::Value::Boolean(_)) => true,
        (ValueType::Integer(least, most), toml::Value::Integer(n)) => (least..=most).contains(n),
        (ValueType::Number(least, most), toml::Value::Float(x)) => (least..=most).contains(x),
        (ValueType::Number(least, most), toml::Value::Integer(n)) => (least..=most).contains(&(*n as f64)),
        (ValueType::Keyword(words), toml::Value::String(text)) => words.contains(&text.as_str()),
        (ValueType::Text | ValueType::Secret, toml::Value::String(_)) => true,
        (ValueType::TextList, toml::Value::Array(items)) => items.iter().all(toml::Value::is_str),
        _ => false,
    }
}

/// Parses a value typed by the user. Lists are written as in TOML, `["a", "b"]`, or separated by
/// commas; strings may be quoted. Returns `None` if the value does not have the shape.
pub fn read_typed(shape: ValueType, typed: &str) -> Option<toml::Value> {
    let typed = typed.trim();
    let value = match shape {
        ValueType::Bool => toml::Value::Boolean(typed.parse().ok()?),
        ValueType::Integer(..) => toml::Value::Integer(typed.parse().ok()?),
        ValueType::Number(..) => toml::Value::Float(typed.parse().ok()?),
        ValueType::Text | ValueType::Secret if is_toml_string(typed) => toml_value(typed)?,
        ValueType::Keyword(_) | ValueType::Text | ValueType::Secret => toml::Value::String(typed.to_owned()),
        ValueType::TextList if typed.starts_with('[') => toml_value(typed)?,
        ValueType::TextList => {
            // Half a list, or a table, is no list of names.
            if typed.contains(['[', ']', '{', '}', '"', '\n']) {
                return None;
            }
            let items = typed.split(',').map(str::trim).filter(|item| !item.is_empty());
            toml::Value::Array(items.map(|item| toml::Value::String(item.to_owned())).collect())
        }
    };
    fits(shape, &value).then_some(value)
}

/// Whether the text starts and ends with a double quote.
fn is_toml_string(typed: &str) -> bool {
    typed.len() > 1 && typed.starts_with('"') && typed.ends_with('"')
}

/// Parses a value of the tables [`keys::TABLES`], which users define: a list of names for
/// `relations`, else a TOML value or an unquoted string.
pub fn read_typed_in_table(name: &str, typed: &str) -> Option<toml::Value> {
    match name {
        "relations" => read_typed(ValueType::TextList, typed),
        _ => Some(toml_value(typed.trim()).unwrap_or_else(|| toml::Value::String(typed.trim().to_owned()))),
    }
}

/// Parses a TOML value.
fn toml_value(typed: &str) -> Option<toml::Value> {
    let mut table = format!("x = {typed}").parse::<toml::Table>().ok().filter(|table| table.len() == 1)?;
    table.remove("x")
}

/// Sets a setting in a TOML text, or removes it if `value` is `None`, preserving everything else.
///
/// # Errors
///
/// The text is not valid TOML, or a part of the name is not a table.
pub fn with_value(text: &str, name: &str, value: Option<&toml::Value>) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        error.message().lines().next().unwrap_or_default().to_owned()
    })?;
    if document.as_table().is_empty() && !text.trim().is_empty() {
        // Comments alone stand at the end of such a document; the setting belongs below them.
        let added = with_value("", name, value)?;
        let gap = if added.is_empty() { "" } else { "\n" };
        let line_end = if text.ends_with('\n') { "" } else { "\n" };
        return Ok(if added.is_empty() { text.to_owned() } else { format!("{text}{line_end}{gap}{added}") });
    }
    let (group, leaf) = name.rsplit_once('.').map_or((None, name), |(group, leaf)| (Some(group), leaf));
    let mut table = document.as_table_mut() as &mut dyn TableLike;
    for part in group.into_iter().flat_map(|group| group.split('.')) {
        if !table.contains_key(part) {
            let Some(_) = value else { return Ok(text.to_owned()) };
            let mut new = toml_edit::Table::new();
            // Without keys of its own it needs no header.
            new.set_implicit(true);
            table.insert(part, Item::Table(new));
        }
        let item = table.get_mut(part).and_then(Item::as_table_like_mut);
        table = item.ok_or_else(|| format!("`{part}` is a value, not a table"))?;
    }
    match value {
        None => drop(table.remove(leaf)),
        Some(value) => {
            let new: toml_edit::Value =
                value.to_string().parse().map_err(|_| "there is no such value".to_owned())?;
            match table.get_mut(leaf).and_then(Item::as_value_mut) {
                Some(old) => {
                    let decor = old.decor().clone();
                    *old = new;
                    *old.decor_mut() = decor;
                }
                None => drop(table.insert(leaf, Item::Value(new))),
            }
        }
    }
    Ok(document.to_string())
}

/// Converts camel case to snake case: `maxTokens` to `max_tokens`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read_and_slips_are_found_with_their_place() {
        let layer = SettingsLayer::parse_toml(
            "cm.toml",
            "projects = ['a']\nredaction = 'x'\n[core]\nmaxTokens = 2000\nmax_entry = 3\n[git]\n  commit = 'never'\n",
        );
        assert_eq!(layer.values["core.max_tokens"].as_integer(), Some(2000));
        assert_eq!(layer.values["projects"].as_array().map(Vec::len), Some(1));
        let places: Vec<_> =
            layer.findings.iter().map(|found| (found.code, found.line, found.column)).collect();
        assert_eq!(
            places,
            [
                (FindingCode::InvalidSetting, Some(2), Some(1)),
                (FindingCode::UnknownSetting, Some(5), Some(1)),
                (FindingCode::InvalidSetting, Some(7), Some(3))
            ]
        );
        assert_eq!(
            layer.findings[1].hint.as_ref().map(UserText::for_terminal),
            Some("did you mean `core.max_entries`?")
        );
    }

    #[test]
    fn a_setting_is_written_beside_the_comments_that_are_there() {
        let text = "# mine\n[git] # about git\ncommit = \"auto\" # for now\n";
        let manual = toml::Value::String("manual".into());
        let set = with_value(text, "git.commit", Some(&manual)).unwrap();
        assert_eq!(set, "# mine\n[git] # about git\ncommit = \"manual\" # for now\n");
        let limit = with_value(text, "search.limit", Some(&toml::Value::Integer(5))).unwrap();
        assert_eq!(limit, format!("{text}\n[search]\nlimit = 5\n"));
        assert_eq!(with_value(&limit, "search.limit", None).unwrap(), format!("{text}\n[search]\n"));
        assert!(with_value("git = 1", "git.commit", Some(&manual)).is_err());
    }

    #[test]
    fn a_list_is_read_as_toml_or_by_commas_and_half_a_list_is_none() {
        let list = |typed| read_typed(ValueType::TextList, typed).map(|value| value.to_string());
        assert_eq!(list("a, b"), Some("[\"a\", \"b\"]".to_owned()));
        assert_eq!(list("[\"a, b\", 'c']"), Some("[\"a, b\", \"c\"]".to_owned()));
        assert_eq!(list("[]"), Some("[]".to_owned()));
        for bad in ["[\"a\"", "[1, 2]", "\"a\", \"b\"", "{a = 1}", "[\"a\"]\ny = 1", "a]"] {
            assert_eq!(list(bad), None, "{bad}");
        }
        let text = |typed| read_typed(ValueType::Text, typed).map(|value| value.to_string());
        assert_eq!(text("\"a b\""), Some("\"a b\"".to_owned()));
        assert_eq!(text("say \"a\""), Some("'say \"a\"'".to_owned()));
    }

    #[test]
    fn a_secret_counts_in_private_settings_alone_and_is_never_shown() {
        let text = "[embeddings]\nmodel = 'm'\nkey = 'sk-12345'\n";
        let shared = SettingsLayer::parse_toml("cm.toml", text);
        assert_eq!(shared.values.len(), 1);
        assert_eq!((shared.findings[0].line, shared.findings[0].column), (Some(3), Some(1)));
        let private = SettingsLayer::parse_toml("config.toml", text);
        assert_eq!(private.values["embeddings.key"].as_str(), Some("sk-12345"));
        assert!(private.findings.is_empty());
        for layer in [shared, private] {
            assert!(!format!("{layer:?}").contains("12345"), "{layer:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_toml_is_one_finding() {
        let layer = SettingsLayer::parse_toml("cm.toml", "[git\ncommit = 1");
        assert_eq!(layer.findings.len(), 1);
        assert_eq!(layer.findings[0].line, Some(1));
    }

    #[test]
    fn the_environment_names_settings_in_capitals() {
        let variables = [("CM_GIT_COMMIT", "manual"), ("CM_SEARCH_LIMIT", "x"), ("CM_VAULT", "/a")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let layers = SettingsLayer::of_environment(&variables);
        assert_eq!(layers.len(), 2);
        assert_eq!(layers[0].0.values["git.commit"].as_str(), Some("manual"));
        assert_eq!(layers[1].0.findings.len(), 1);
    }
}
