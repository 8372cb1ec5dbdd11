//! Loads the files of an ONNX model from a folder in the layout of the hub, with defaults for
//! missing optional files.

use std::fs;
use std::path::{Path, PathBuf};

use fastembed::{OutputKey, TokenizerFiles};
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Maximum number of tokens per text if the model's files do not define it.
const DEFAULT_MAX_TOKENS: usize = 512;
/// Name parts of models that use CLS pooling.
const CLS: [&str; 5] = ["bge", "mxbai", "arctic", "gte-base", "gte-large"];

/// The loaded files of a model.
pub(super) struct ModelFiles {
    pub(super) name: String,
    /// The ONNX graph, usually with its weights.
    pub(super) weights: Vec<u8>,
    /// Contents of external weight files, by file name.
    pub(super) external: Vec<(String, Vec<u8>)>,
    pub(super) tokenizer: TokenizerFiles,
    /// Maximum number of tokens per text.
    pub(super) max_length: usize,
    /// Whether to use the first token's vector (CLS pooling) instead of the mean.
    pub(super) cls: bool,
    /// The output with the vectors, if it is not the default one.
    pub(super) output: Option<OutputKey>,
    /// Whether the vector of a text depends on the other texts in its batch.
    pub(super) one_by_one: bool,
}

impl ModelFiles {
    /// Loads the model in a folder set by the user. Its name contains a hash of its content, so
    /// that replacing the files results in another name.
    pub(super) fn of_folder(folder: &Path) -> Result<Self> {
        if folder.is_relative() {
            return Err(Error::RelativePath { setting: "embeddings.path", path: folder.to_owned() });
        }
        if !folder.is_dir() {
            return Err(missing(folder, "the folder does not exist"));
        }
        let mut files = Self::read(folder, &graph(folder)?)?;
        let mut hash = blake3::Hasher::new();
        hash.update(&files.weights).update(&files.tokenizer.tokenizer_file).update(&[u8::from(files.cls)]);
        for (_, bytes) in &files.external {
            hash.update(bytes);
        }
        files.name = format!("{}-{}", files.name, &hash.finalize().to_hex()[..8]);
        Ok(files)
    }

    /// Loads the model in a folder with the given graph file.
    pub(super) fn read(folder: &Path, graph: &Path) -> Result<Self> {
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let weights = bytes(graph)?;
        let tokenizer_file = match optional(folder, "tokenizer.json")? {
            Some(file) => file,
            None => return Err(missing(folder, "tokenizer.json not found")),
        };
        let config = document(folder, "config.json")?;
        let sentence = document(folder, "sentence_bert_config.json")?;
        let longest = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 2);
        let cls = match document(folder, "1_Pooling/config.json")? {
            Value::Null => of_name(&name) || config["_name_or_path"].as_str().is_some_and(of_name),
            pooling => by_first_token(folder, &pooling)?,
        };
        Ok(Self {
            external: external_files(graph)?,
            max_length: longest(&sentence["max_seq_length"]).unwrap_or(DEFAULT_MAX_TOKENS),
            // Such a graph rounds the activations of a whole batch on one scale.
            one_by_one: holds(&weights, "DynamicQuantizeLinear"),
            tokenizer: tokenizer(folder, tokenizer_file, config)?,
            output: None,
            name,
            weights,
            cls,
        })
    }
}

/// Whether models of this name use CLS pooling.
fn of_name(name: &str) -> bool {
    let name = name.to_lowercase();
    CLS.iter().any(|part| name.contains(part))
}

fn by_first_token(folder: &Path, pooling: &Value) -> Result<bool> {
    let does = |mode: &str| pooling[mode].as_bool() == Some(true);
    match (does("pooling_mode_cls_token"), does("pooling_mode_mean_tokens")) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ => Err(missing(folder, "1_Pooling/config.json requires a pooling other than mean or first token")),
    }
}

/// Finds the graph: `model.onnx`, or the only `.onnx` file, in the folder or its subfolder `onnx`.
fn graph(folder: &Path) -> Result<PathBuf> {
    let mut several = Vec::new();
    for place in [folder.to_owned(), folder.join("onnx")] {
        let model = place.join("model.onnx");
        if model.is_file() {
            return Ok(model);
        }
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "onnx"))
            .collect();
        found.sort();
        match found.as_slice() {
            [only] => return Ok(only.clone()),
            all => several
                .extend(all.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))),
        }
    }
    if several.is_empty() {
        return Err(missing(folder, "model.onnx not found"));
    }
    Err(missing(folder, &format!("none of {} is named model.onnx", several.join(", "))))
}

/// Loads the external weights of a graph that is too large for one file.
fn external_files(graph: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let name = graph.file_name().unwrap_or_default().to_string_lossy();
    let mut found = Vec::new();
    for name in [format!("{name}_data"), format!("{name}.data")] {
        let path = graph.with_file_name(&name);
        if path.is_file() {
            found.push((name, bytes(&path)?));
        }
    }
    Ok(found)
}

/// Loads the tokenizer's files. Values of missing files are derived from the others.
fn tokenizer(folder: &Path, tokenizer_file: Vec<u8>, config: Value) -> Result<TokenizerFiles> {
    let tokens: Value = serde_json::from_slice(&tokenizer_file)
        .map_err(|error| missing(folder, &format!("tokenizer.json is not valid JSON: {error}")))?;
    let special = document(folder, "special_tokens_map.json")?;
    let mut settings = document(folder, "tokenizer_config.json")?;
    if !settings.is_object() {
        settings = json!({});
    }
    let pad = |value: &Value| value.as_str().or(value["content"].as_str()).map(str::to_owned);
    if pad(&settings["pad_token"]).is_none() {
        let usual = ["[PAD]", "<pad>"].into_iter().find(|token| knows(&tokens, token)).map(str::to_owned);
        let token = pad(&special["pad_token"]).or_else(|| pad(&tokens["padding"]["pad_token"])).or(usual);
        settings["pad_token"] = token.unwrap_or_else(|| "[PAD]".to_owned()).into();
    }
    if settings["model_max_length"].as_f64().is_none() {
        settings["model_max_length"] =
            config["max_position_embeddings"].as_u64().unwrap_or(DEFAULT_MAX_TOKENS as u64).into();
    }
    let or_empty = |value: Value| if value.is_object() { value } else { json!({}) }.to_string().into_bytes();
    Ok(TokenizerFiles {
        tokenizer_file,
        config_file: or_empty(config),
        special_tokens_map_file: or_empty(special),
        tokenizer_config_file: or_empty(settings),
    })
}

fn knows(tokens: &Value, token: &str) -> bool {
    let added = tokens["added_tokens"].as_array().into_iter().flatten();
    added.filter_map(|added| added["content"].as_str()).any(|content| content == token)
        || tokens["model"]["vocab"].get(token).is_some()
}

/// Parses a JSON file of the folder. Returns null if it does not exist.
fn document(folder: &Path, name: &str) -> Result<Value> {
    let Some(bytes) = optional(folder, name)? else { return Ok(Value::Null) };
    serde_json::from_slice(&bytes)
        .map_err(|error| missing(folder, &format!("{name} is not valid JSON: {error}")))
}

fn optional(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    let path = folder.join(name);
    if path.is_file() { bytes(&path).map(Some) } else { Ok(None) }
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })
}

/// Whether the bytes of a graph match `step`, a regular expression for the name of an operation.
fn holds(graph: &[u8], step: &str) -> bool {
    regex::bytes::Regex::new(step).is_ok_and(|step| step.is_match(graph))
}

fn missing(folder: &Path, why: &str) -> Error {
    Error::ModelMissing { folder: folder.to_owned(), why: why.to_owned() }
}
