//! Programs in another language that stand on the command line (`python -c`, `node -e`): the commands that they start
//! and the folders that they delete, as far as both are written out.

use super::{Simple, Word};

/// Interpreters with the flags behind which their program stands.
const INTERPRETERS: [(&str, &[&str]); 8] = [
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("node", &["-e", "--eval"]),
    ("bun", &["-e"]),
    ("deno", &["eval"]),
    ("ruby", &["-e"]),
    ("perl", &["-e", "-E"]),
    ("php", &["-r"]),
];
/// Calls that start a command given as one text.
const STARTS: [&str; 8] = [
    "os.system(",
    "os.popen(",
    "subprocess.run(",
    "subprocess.call(",
    "subprocess.check_call(",
    "execSync(",
    "shell_exec(",
    "system(",
];
/// Calls that delete a folder with what is in it.
const DELETES: [&str; 7] =
    ["rmtree(", "rmSync(", "rm_rf(", "rm_r(", "rmdirSync(", "remove_tree(", "Deno.removeSync("];

/// What a program on the command line does.
pub struct Inline {
    /// Texts that it gives to a shell.
    pub texts: Vec<String>,
    /// What it deletes, as if `rm -r` did so.
    pub removals: Vec<Simple>,
}

/// What an interpreter's program on the command line, or on its input, does.
pub fn read(command: &Simple) -> Option<Inline> {
    let (_, flags) = INTERPRETERS.iter().find(|(name, _)| *name == command.program)?;
    let at = command.args.iter().position(|word| flags.contains(&word.text.as_str()));
    let text = match at {
        Some(at) => command.args.get(at + 1)?.text.as_str(),
        None if command.operands().next().is_none_or(|word| word.text == "-") => command.input.as_deref()?,
        None => return None,
    };
    let texts = given(text, &STARTS).into_iter().map(str::to_owned).collect();
    let removal = |path: &str| Simple {
        program: "rm".to_owned(),
        args: ["-r", path].map(|text| Word { text: text.to_owned(), quoted: true }).to_vec(),
        ..Simple::default()
    };
    Some(Inline { texts, removals: given(text, &DELETES).into_iter().map(removal).collect() })
}

/// The texts in quotation marks that the calls are given first.
fn given<'t>(text: &'t str, calls: &[&str]) -> Vec<&'t str> {
    let mut found = Vec::new();
    for call in calls {
        for (at, _) in text.match_indices(call) {
            let rest = text[at + call.len()..].trim_start_matches([' ', '\n', '[', '(', 'f', 'r']);
            let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`')) else {
                continue;
            };
            let inner = &rest[1..];
            found.extend(inner.find(quote).map(|end| &inner[..end]));
        }
    }
    found
}
