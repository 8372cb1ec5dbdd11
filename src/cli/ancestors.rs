//! The processes that this one descends from, as the system lists them. What they mean is not decided here.

/// The most ancestors that are looked at.
#[cfg(target_os = "linux")]
const MOST: usize = 32;

/// The command lines of the ancestors, the nearest first; none where the system does not list them.
#[cfg(target_os = "linux")]
pub fn lines() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut next = parent("self");
    while let Some(process) = next.filter(|_| lines.len() < MOST) {
        let Ok(bytes) = std::fs::read(format!("/proc/{process}/cmdline")) else { break };
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        lines.push(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect());
        next = parent(&process);
    }
    lines
}

/// The command lines of the ancestors, the nearest first; none where the system does not list them.
#[cfg(not(target_os = "linux"))]
pub fn lines() -> Vec<Vec<String>> {
    Vec::new()
}

/// The parent of a process, unless it is the first one.
#[cfg(target_os = "linux")]
fn parent(process: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold blanks and parentheses.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned();
    (parent != "0" && parent != "1").then_some(parent)
}
