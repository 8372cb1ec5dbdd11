//! Finds the ONNX Runtime library and loads it once per process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ort::LoadDynamicError;
use ort::environment::Environment;
use parking_lot::Mutex;

use super::fenced;
use crate::choice::OnnxConfig;
use crate::error::{Error, Result};

/// File name of the library on this platform.
const NAME: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// The environment of the process. Only one can ever exist, so it is never released.
static LOADED: Mutex<Option<Environment>> = Mutex::new(None);

/// Returns the environment for sessions. The library is loaded by the first call only.
pub(super) fn environment(onnx: &OnnxConfig) -> Result<Environment> {
    let mut loaded = LOADED.lock();
    if let Some(environment) = &*loaded {
        return Ok(environment.clone());
    }
    let environment = load(&library(onnx)?)?;
    *loaded = Some(environment.clone());
    Ok(environment)
}

/// Selects the library: the configured one, then one in the model's folder, then the system's.
fn library(onnx: &OnnxConfig) -> Result<PathBuf> {
    if let Some((setting, path)) = &onnx.runtime {
        if path.is_relative() {
            return Err(Error::RelativePath { setting, path: path.clone() });
        }
        if !path.is_file() {
            let why = format!("{setting} is {}, but this file does not exist", path.display());
            return Err(Error::RuntimeMissing { why });
        }
        return Ok(path.clone());
    }
    let library_in = onnx.folder.as_deref().and_then(library_in);
    Ok(library_in.unwrap_or_else(|| PathBuf::from(NAME)))
}

/// Finds the library in a folder, with or without a version suffix.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME)))
        .collect();
    found.sort();
    found.pop()
}

fn load(library: &Path) -> Result<Environment> {
    let builder = match std::panic::catch_unwind(|| ort::init_from(library)) {
        Ok(Ok(builder)) => builder,
        Ok(Err(LoadDynamicError::BadVersion { version_str, path })) => {
            return Err(Error::RuntimeVersion { path, found: version_str, needed: ort::MINOR_VERSION });
        }
        Ok(Err(LoadDynamicError::Dlopen { error, path })) => {
            let why = if path == Path::new(NAME) {
                format!("none is set, and the system has no {NAME}")
            } else {
                // Only the cause says what the system said.
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
            };
            return Err(Error::RuntimeMissing { why });
        }
        Ok(Err(other)) => return Err(Error::RuntimeMissing { why: other.to_string() }),
        Err(_) => {
            let why = format!("{} is not an ONNX Runtime library", library.display());
            return Err(Error::RuntimeMissing { why });
        }
    };
    // The library would tell its makers what it does, and write to stderr.
    let builder = builder.with_telemetry(false).with_name("cm").with_logger(Arc::new(|_, _, _, _, _| {}));
    fenced(|| builder.build()).map_err(|why| Error::RuntimeMissing { why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn onnx(runtime: Option<PathBuf>, folder: Option<PathBuf>) -> OnnxConfig {
        let runtime = runtime.map(|path| ("embeddings.runtime", path));
        OnnxConfig { model: String::new(), folder, hub: None, cache: PathBuf::new(), runtime }
    }

    #[test]
    fn the_library_that_is_set_holds_then_one_beside_the_model_then_the_systems() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(library(&onnx(None, None)).unwrap(), Path::new(NAME));
        assert_eq!(library(&onnx(None, Some(folder.path().to_owned()))).unwrap(), Path::new(NAME));
        std::fs::write(at(&format!("{NAME}.1.31.1")), "").unwrap();
        let library_in = library(&onnx(None, Some(folder.path().to_owned()))).unwrap();
        assert_eq!(library_in, at(&format!("{NAME}.1.31.1")));
        std::fs::write(at("set.so"), "").unwrap();
        let set = library(&onnx(Some(at("set.so")), Some(folder.path().to_owned()))).unwrap();
        assert_eq!(set, at("set.so"));
    }

    #[test]
    fn a_library_that_is_none_is_told_apart_from_one_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let shown = |error: Error| {
            format!("{error}\n hint: {}", error.hint().unwrap())
                .replace(&folder.path().display().to_string(), "DIR")
        };
        let missing = library(&onnx(Some(folder.path().join("gone.so")), None)).unwrap_err();
        insta::assert_snapshot!(shown(missing), @"
        cannot load the ONNX Runtime library: embeddings.runtime is DIR/gone.so, but this file does not exist
         hint: run `pip install --upgrade onnxruntime`, then `cm config set embeddings.runtime --private …/site-packages/onnxruntime/capi/libonnxruntime.so.1.x`
        ");
        let relative = library(&onnx(Some(PathBuf::from("lib/x.so")), None)).unwrap_err();
        insta::assert_snapshot!(shown(relative), @"
        `embeddings.runtime` is `lib/x.so`, which is not an absolute path
         hint: use an absolute path, starting with /
        ");
        let text = folder.path().join("text.so");
        std::fs::write(&text, "This is not a library, but long enough to be looked at as one.\n".repeat(9))
            .unwrap();
        // Where another test has loaded the true one, no other is looked at any more.
        let loaded = LOADED.lock();
        if loaded.is_none() {
            let error = shown(load(&text).unwrap_err());
            assert!(error.starts_with("cannot load the ONNX Runtime library: DIR/text.so: "), "{error}");
        }
    }

    /// Compiles a library from C source. Returns `None` if there is no compiler.
    fn compiled(folder: &Path, name: &str, source: &str) -> Option<PathBuf> {
        let (from, to) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
        std::fs::write(&from, source).unwrap();
        let mut compiler = std::process::Command::new("cc");
        let made = compiler.args(["-shared", "-fPIC", "-o"]).arg(&to).arg(&from).status();
        made.is_ok_and(|status| status.success()).then_some(to)
    }

    #[test]
    fn a_library_of_an_old_version_and_another_library_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let old = "typedef struct { const void *(*api)(unsigned); const char *(*version)(void); } Base;\n\
            static const char *version(void) { return \"1.9.0\"; }\n\
            static Base base = { 0, version };\n\
            const Base *OrtGetApiBase(void) { return &base; }\n";
        let made = |name, source| compiled(folder.path(), name, source);
        let (Some(old), Some(other)) = (made("old", old), made("other", "int answer(void) { return 42; }\n"))
        else {
            return super::super::tests::skipped("there is no C compiler");
        };
        let shown = |error: Error| error.to_string().replace(&folder.path().display().to_string(), "DIR");
        // Where another test has loaded the true one, no other is looked at any more.
        let loaded = LOADED.lock();
        if loaded.is_none() {
            insta::assert_snapshot!(shown(load(&old).unwrap_err()), @"the ONNX Runtime library DIR/old.so has version 1.9.0; 1.24 or later is required");
            insta::assert_snapshot!(shown(load(&other).unwrap_err()), @"cannot load the ONNX Runtime library: DIR/other.so does not export `OrtGetApiBase`");
        }
    }
}
