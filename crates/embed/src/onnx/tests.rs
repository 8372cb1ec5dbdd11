//! Tests of ONNX models, including missing and invalid ones.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::files::ModelFiles;
use super::*;
use cm_net::ServerUrl;
use cm_test_server::{Reply, Server};

/// A minimal tokenizer.
const TOKENIZER: &str = r#"{"version":"1.0","added_tokens":[],"model":{"type":"WordLevel","unk_token":"<unk>","vocab":{"<unk>":0,"<pad>":1}}}"#;

fn onnx(folder: &Path) -> OnnxConfig {
    let cache = folder.join("cache");
    OnnxConfig { model: String::new(), folder: Some(folder.to_owned()), hub: None, cache, runtime: None }
}

/// Creates a folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("model-").tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Starts a server for the files of a folder under a URL prefix.
fn serving(below: &'static str, folder: &Path) -> Server {
    let folder = folder.to_owned();
    Server::start(move |_, request| {
        let path = request.line.split(' ').nth(1).and_then(|path| path.strip_prefix(below));
        match path.and_then(|path| fs::read(folder.join(path)).ok()) {
            Some(bytes) => Reply::Answer(200, Vec::new(), bytes),
            None => Reply::status(404, ""),
        }
    })
}

fn refusal(files: &[(&str, &str)]) -> String {
    let folder = folder(files);
    let error = ModelFiles::of_folder(folder.path()).err().expect("it is refused");
    error.to_string().replace(&folder.path().display().to_string(), "DIR")
}

#[test]
fn a_folder_that_holds_no_model_is_told_with_what_is_missing() {
    insta::assert_snapshot!(refusal(&[]), @"cannot use the model in DIR: model.onnx not found");
    insta::assert_snapshot!(refusal(&[("model.onnx", "")]), @"cannot use the model in DIR: tokenizer.json not found");
    insta::assert_snapshot!(refusal(&[("onnx/a.onnx", ""), ("onnx/b.onnx", "")]), @"cannot use the model in DIR: none of a.onnx, b.onnx is named model.onnx");
    insta::assert_snapshot!(refusal(&[("a.onnx", ""), ("tokenizer.json", "{")]), @"cannot use the model in DIR: tokenizer.json is not valid JSON: EOF while parsing an object at line 1 column 1");
    let pooling = r#"{"pooling_mode_max_tokens":true}"#;
    insta::assert_snapshot!(refusal(&[("a.onnx", ""), ("tokenizer.json", "{}"), ("1_Pooling/config.json", pooling)]), @"cannot use the model in DIR: 1_Pooling/config.json requires a pooling other than mean or first token");
    let gone = ModelFiles::of_folder(Path::new("/nowhere/at/all")).err().unwrap();
    insta::assert_snapshot!(format!("{gone}\n hint: {}", gone.hint().unwrap()), @"
    cannot use the model in /nowhere/at/all: the folder does not exist
     hint: `embeddings.path` needs a folder with model.onnx and tokenizer.json, as downloaded from the hub
    ");
    assert!(matches!(ModelFiles::of_folder(Path::new("here")), Err(Error::RelativePath { .. })));
}

#[test]
fn files_that_are_missing_are_made_up_for() {
    let folder = folder(&[("onnx/model.onnx", "DynamicQuantizeLinear"), ("tokenizer.json", TOKENIZER)]);
    let files = ModelFiles::of_folder(folder.path()).unwrap();
    assert!(!files.cls && files.one_by_one && files.external.is_empty());
    assert_eq!(files.max_length, 512);
    let config: serde_json::Value = serde_json::from_slice(&files.tokenizer.tokenizer_config_file).unwrap();
    assert_eq!(config, serde_json::json!({ "pad_token": "<pad>", "model_max_length": 512 }));
    assert_eq!(files.tokenizer.config_file, b"{}");
}

#[test]
fn the_first_token_or_the_mean_is_as_the_model_says_else_as_its_name_does() {
    let cls = |more: &[(&str, &str)]| {
        let files = [&[("model.onnx", ""), ("tokenizer.json", TOKENIZER)], more].concat();
        ModelFiles::of_folder(folder(&files).path()).unwrap().cls
    };
    assert!(!cls(&[]));
    assert!(cls(&[("config.json", r#"{"_name_or_path":"BAAI/bge-small-en"}"#)]));
    assert!(cls(&[("1_Pooling/config.json", r#"{"pooling_mode_cls_token":true}"#)]));
    assert!(!cls(&[
        ("config.json", r#"{"_name_or_path":"BAAI/bge-small-en"}"#),
        ("1_Pooling/config.json", r#"{"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true}"#)
    ]));
}

#[test]
fn another_model_in_the_same_folder_has_another_name() {
    let folder = folder(&[("model.onnx", "a"), ("tokenizer.json", TOKENIZER)]);
    let first = ModelFiles::of_folder(folder.path()).unwrap().name;
    assert_eq!(ModelFiles::of_folder(folder.path()).unwrap().name, first);
    fs::write(folder.path().join("model.onnx"), "b").unwrap();
    assert_ne!(ModelFiles::of_folder(folder.path()).unwrap().name, first);
}

#[test]
fn a_panic_of_foreign_code_is_an_error() {
    let result: std::result::Result<(), String> =
        fenced(|| -> std::result::Result<(), String> { panic!("no library") });
    assert_eq!(result, Err("no library".to_owned()));
}

/// Reports a skipped test on stderr, bypassing output capture.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Returns the real model and library, if the environment variables for them are set.
fn real() -> Option<OnnxConfig> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(folder), Some(runtime)) = (variable("CM_TEST_ONNX"), variable("CM_TEST_ONNX_RUNTIME")) else {
        skipped(
            "CM_TEST_ONNX (a folder of all-MiniLM-L6-v2) and CM_TEST_ONNX_RUNTIME (the library) are not set",
        );
        return None;
    };
    Some(OnnxConfig { runtime: Some(("embeddings.runtime", runtime)), ..onnx(&folder) })
}

const TEXTS: [&str; 4] = [
    "The database connection pool is exhausted under load.",
    "Too many clients hold a connection to PostgreSQL at once.",
    "Bake the bread for forty minutes at 220 degrees.",
    "",
];

const GOLDEN: [[f32; 8]; 4] = [
    [0.05084, -0.11002, -0.04565, 0.01544, -0.02205, -0.04419, -0.01401, -0.07086],
    [0.03689, -0.05011, -0.016, 0.04531, -0.13169, -0.03362, 0.00723, -0.07128],
    [0.03419, 0.07652, 0.01531, -0.0105, -0.13061, 0.00216, -0.07253, 0.03146],
    [-0.11884, 0.0483, -0.00255, -0.01101, 0.05195, 0.01029, 0.11543, 0.0007],
];

#[test]
fn a_real_model_from_a_folder_gives_the_vectors_of_the_original() {
    let Some(onnx) = real() else { return };
    let model = Model::open(&onnx, Some(384)).unwrap();
    assert!(model.name().starts_with("fastembed/"), "{}", model.name());
    let vectors = model.embed(&TEXTS).unwrap();
    assert_eq!(vectors.len(), 4);
    // What the original weights give in 32 bits, the first eight numbers of each.
    for (vector, golden) in vectors.iter().zip(GOLDEN) {
        for (part, golden) in vector.parts().iter().zip(golden) {
            assert!((part - golden).abs() < 0.01, "{:?} {golden:?}", &vector.parts()[..8]);
        }
    }
    assert!(vectors[0].cosine(&vectors[1]) > vectors[0].cosine(&vectors[2]) + 0.3);
    // One by one or together, and asked as a question: it is the same model without prefixes.
    for (text, vector) in TEXTS.iter().zip(&vectors) {
        assert!(model.embed_query(text).unwrap().cosine(vector) > 0.9999, "{text}");
    }
    let many: Vec<String> = (0..40).map(|number| format!("note {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(model.embed(&many).unwrap().len(), 40);
    let error = Model::open(&onnx, Some(768)).err().unwrap();
    assert!(matches!(error, Error::Dimension { expected: 768, found: 384, .. }), "{error}");
}

#[test]
fn a_real_library_refuses_a_broken_model_without_ending_the_program() {
    let Some(real) = real() else { return };
    let from = real.folder.clone().unwrap();
    let folder = folder(&[("model.onnx", "this is no graph")]);
    fs::copy(from.join("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    let error =
        Model::open(&OnnxConfig { folder: Some(folder.path().to_owned()), ..real }, None).err().unwrap();
    let shown = error.to_string();
    assert!(shown.starts_with("the model `fastembed/model-") && shown.contains("is damaged: "), "{shown}");
}

#[test]
fn a_real_model_is_fetched_by_its_name_once_and_then_kept() {
    let Some(real) = real() else { return };
    let from = real.folder.clone().unwrap();
    let hub = serving("/Qdrant/all-MiniLM-L6-v2-onnx/resolve/main/", &from);
    let cache = tempfile::tempdir().unwrap();
    let by_name = OnnxConfig {
        model: "all-MiniLM-L6-v2".to_owned(),
        folder: None,
        hub: Some(ServerUrl::parse(&hub.url()).unwrap()),
        cache: cache.path().to_owned(),
        ..real
    };
    let model = Model::open(&by_name, None).unwrap();
    assert_eq!(model.name(), "fastembed/all-minilm-l6-v2");
    let fetched = hub.requests().len();
    assert_eq!(fetched, 5);
    Model::open(&by_name, None).unwrap();
    assert_eq!(hub.requests().len(), fetched);
    drop(hub);
    Model::open(&by_name, None).unwrap();
}

#[test]
fn a_hub_that_breaks_off_leaves_nothing_behind() {
    let hub = Server::start(|_, _| Reply::Cut("{".to_owned()));
    let cache = tempfile::tempdir().unwrap();
    let onnx =
        OnnxConfig { folder: None, hub: Some(ServerUrl::parse(&hub.url()).unwrap()), ..onnx(cache.path()) };
    let error = hub::files(&onnx).err().unwrap();
    assert!(matches!(error, Error::NotFetched { .. }), "{error}");
    let kept: Vec<_> = walkdir::WalkDir::new(cache.path())
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .collect();
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn a_hub_that_has_no_such_model_is_told() {
    let hub = Server::start(|_, _| Reply::status(404, "Entry not found"));
    let cache = tempfile::tempdir().unwrap();
    let onnx =
        OnnxConfig { folder: None, hub: Some(ServerUrl::parse(&hub.url()).unwrap()), ..onnx(cache.path()) };
    let error = hub::files(&onnx).err().unwrap();
    let shown = format!("{error}\n hint: {}", error.hint().unwrap());
    insta::assert_snapshot!(shown.replace(&ServerUrl::parse(&hub.url()).unwrap().to_string(), "http://HUB"), @"
    cannot download http://HUB/Xenova/bge-small-en-v1.5/resolve/main/tokenizer.json: the file does not exist on the hub
     hint: try again, or set `embeddings.path` to a folder with the model
    ");
}
