//! Command lines of the ancestor processes, used to detect the calling agent. Detection itself is in the library.

/// Maximum number of ancestors to inspect.
#[cfg(target_os = "linux")]
const MAX_ANCESTORS: usize = 32;

/// Command lines of the ancestors, nearest first. Empty where `/proc` cannot be read.
#[cfg(target_os = "linux")]
pub fn lines() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut next = parent("self");
    while let Some(process) = next.filter(|_| lines.len() < MAX_ANCESTORS) {
        let Ok(bytes) = std::fs::read(format!("/proc/{process}/cmdline")) else { break };
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        lines.push(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect());
        next = parent(&process);
    }
    lines
}

/// Command lines of the ancestors: always empty, because only Linux offers `/proc`.
#[cfg(not(target_os = "linux"))]
pub fn lines() -> Vec<Vec<String>> {
    Vec::new()
}

/// Parent process id, or `None` for the first process.
#[cfg(target_os = "linux")]
fn parent(process: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain spaces and parentheses.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned();
    (parent != "0" && parent != "1").then_some(parent)
}
