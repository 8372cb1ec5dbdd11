//! Downloads models by name from a hub, file by file, into a cache. The names are those that
//! fastembed supports.
//!
//! Only models that are named explicitly are downloaded, and cached files are not requested again.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use fastembed::{EmbeddingModel, ModelInfo, Pooling, QuantizationMode, TextEmbedding};
use ureq::Agent;

use super::files::ModelFiles;
use crate::choice::OnnxConfig;
use crate::error::{Error, Result};
use cm_net::ServerUrl;
use cm_text::spelling;

const HUB: (&str, &str) = ("https://huggingface.co", "huggingface.co");
/// Model used if no name is set.
const DEFAULT: &str = "bge-small-en-v1.5";
/// Files that a model may lack.
const OPTIONAL: [&str; 3] = ["config.json", "special_tokens_map.json", "tokenizer_config.json"];
/// Maximum time without data from the hub.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

type Info = ModelInfo<EmbeddingModel>;

/// Returns the files of a model, downloading missing ones.
pub(super) fn files(onnx: &OnnxConfig) -> Result<ModelFiles> {
    let name = if onnx.model.is_empty() { DEFAULT } else { &onnx.model };
    let info = find(name)?;
    let hub = onnx.hub.clone().unwrap_or_else(|| ServerUrl::constant(HUB.0, HUB.1));
    let folder = onnx.cache.join(info.model_code.replace('/', "--"));
    let needed = info.additional_files.iter().map(String::as_str).chain(["tokenizer.json"]);
    for file in needed.chain([info.model_file.as_str()]) {
        if !fetch(&hub, &info, file, &folder)? {
            let cause = "the file does not exist on the hub".to_owned();
            return Err(Error::NotFetched { url: url(&hub, &info, file), cause });
        }
    }
    for file in OPTIONAL {
        fetch(&hub, &info, file, &folder)?;
    }
    let mut files = ModelFiles::read(&folder, &folder.join(&info.model_file))?;
    files.name = short(&info);
    files.cls = TextEmbedding::get_default_pooling_method(&info.model) == Some(Pooling::Cls);
    let mode = TextEmbedding::get_quantization_mode(&info.model);
    files.one_by_one |= mode == QuantizationMode::Dynamic;
    files.output = info.output_key;
    Ok(files)
}

fn find(name: &str) -> Result<Info> {
    let name = if name.eq_ignore_ascii_case("nomic-embed-text") { "nomic-embed-text-v1.5" } else { name };
    let mut supported = TextEmbedding::list_supported_models();
    let is_it = |info: &Info| {
        [short(info), info.model.to_string()].iter().any(|supported| supported.eq_ignore_ascii_case(name))
            || (info.model_code.eq_ignore_ascii_case(name) && !is_quantized(info))
            || name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(&short(info)))
    };
    if let Some(at) = supported.iter().position(is_it) {
        return Ok(supported.swap_remove(at));
    }
    let names: Vec<String> = supported.iter().map(short).collect();
    let nearest = spelling::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    Err(Error::UnknownModel { name: name.to_owned(), nearest })
}

/// Returns the short name of a model: `all-minilm-l6-v2`, or `all-minilm-l6-v2-q` for its quantized
/// variant.
fn short(info: &Info) -> String {
    let name = info.model_code.rsplit('/').next().unwrap_or_default().to_lowercase();
    let name = name.trim_end_matches("-q").trim_end_matches("-onnx");
    let variant = info.model.to_string();
    if variant.ends_with("Q4") {
        format!("{name}-q4")
    } else if is_quantized(info) {
        format!("{name}-q")
    } else {
        name.to_owned()
    }
}

fn is_quantized(info: &Info) -> bool {
    let variant = info.model.to_string();
    variant.ends_with('Q') || variant.ends_with("Q4")
}

fn url(hub: &ServerUrl, info: &Info, file: &str) -> String {
    hub.below(&format!("{}/resolve/main/{file}", info.model_code))
}

/// Downloads one file atomically. Returns `false` if the hub does not have it.
fn fetch(hub: &ServerUrl, info: &Info, file: &str, folder: &Path) -> Result<bool> {
    let target = folder.join(file);
    if target.is_file() {
        return Ok(true);
    }
    let parent = target.parent().unwrap_or(folder).to_owned();
    let failed = |source| Error::Io { path: target.clone(), source };
    let url = url(hub, info, file);
    let out = |cause: String| Error::NotFetched { url: url.clone(), cause };
    // No key goes with it, so that redirects to where the hub keeps large files are safe.
    let config = Agent::config_builder().proxy(None).http_status_as_error(false);
    let config = config.https_only(url.starts_with("https://")).timeout_connect(Some(READ_TIMEOUT));
    let config = config.timeout_recv_response(Some(READ_TIMEOUT)).timeout_per_read(Some(READ_TIMEOUT));
    let agent: Agent = config.build().into();
    let mut response = agent.get(&url).call().map_err(|error| out(error.to_string()))?;
    match response.status().as_u16() {
        404 => return Ok(false),
        200 => {}
        status => return Err(out(format!("the hub returned status {status}"))),
    }
    fs::create_dir_all(&parent).map_err(failed)?;
    let mut part = tempfile::NamedTempFile::new_in(&parent).map_err(failed)?;
    let copied = io::copy(&mut response.body_mut().as_reader(), part.as_file_mut());
    copied.map_err(|error| out(format!("the connection was interrupted: {error}")))?;
    part.persist(&target).map_err(|error| failed(error.error))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_the_names_that_people_use() {
        let code = |name: &str| find(name).map(|info| format!("{} {}", info.model, info.model_code));
        for (name, found) in [
            ("bge-small-en-v1.5", "BGESmallENV15 Xenova/bge-small-en-v1.5"),
            ("BAAI/bge-small-en-v1.5", "BGESmallENV15 Xenova/bge-small-en-v1.5"),
            ("bge-small-en-v1.5-q", "BGESmallENV15Q Qdrant/bge-small-en-v1.5-onnx-Q"),
            ("all-MiniLM-L6-v2", "AllMiniLML6V2 Qdrant/all-MiniLM-L6-v2-onnx"),
            ("sentence-transformers/all-MiniLM-L6-v2", "AllMiniLML6V2 Qdrant/all-MiniLM-L6-v2-onnx"),
            ("nomic-embed-text-v1.5", "NomicEmbedTextV15 nomic-ai/nomic-embed-text-v1.5"),
            ("nomic-embed-text", "NomicEmbedTextV15 nomic-ai/nomic-embed-text-v1.5"),
            ("AllMiniLML6V2Q", "AllMiniLML6V2Q Xenova/all-MiniLM-L6-v2"),
        ] {
            assert_eq!(code(name).unwrap(), found);
        }
        let mut names: Vec<_> = TextEmbedding::list_supported_models().iter().map(short).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "every name is one model");
    }

    #[test]
    fn an_unknown_name_is_told_with_one_that_is_like_it() {
        let shown = |name: &str| {
            let error = find(name).unwrap_err();
            format!("{error}\n hint: {}", error.hint().unwrap())
        };
        insta::assert_snapshot!(shown("bge-smal-en-v1.5"), @"
        there is no model `bge-smal-en-v1.5` to download
         hint: did you mean `bge-small-en-v1.5`?
        ");
        insta::assert_snapshot!(shown("gpt-4"), @"
        there is no model `gpt-4` to download
         hint: for example bge-small-en-v1.5, all-minilm-l6-v2, nomic-embed-text-v1.5; or set `embeddings.path` to a folder with a model
        ");
    }
}
