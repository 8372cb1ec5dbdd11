//! Programs in another language on the command line (`python -c`, `node -e`): finds the commands
//! that they start and the folders that they delete, if both are literals.

use super::scan::{after, split};
use super::{ShellWord, SimpleCommand};

/// Interpreters and their flags that take a program as argument.
const INTERPRETERS: [(&str, &[&str]); 10] = [
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("node", &["-e", "--eval", "-p", "-pe"]),
    ("bun", &["-e", "--eval"]),
    ("deno", &["eval"]),
    ("ruby", &["-e"]),
    ("perl", &["-e", "-E", "-pe", "-ne", "-le"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("Rscript", &["-e"]),
];
/// Calls that run a command given as one text.
const STARTS: [&str; 16] = [
    "os.system(",
    "os.popen(",
    "os.execvp(",
    "subprocess.run(",
    "subprocess.call(",
    "subprocess.check_call(",
    "subprocess.check_output(",
    "subprocess.getoutput(",
    "subprocess.Popen(",
    "execSync(",
    "spawnSync(",
    "exec(",
    "shell_exec(",
    "passthru(",
    "system(",
    "os.execute(",
];
/// Calls that delete a folder and its content.
const DELETES: [&str; 10] = [
    "rmtree(",
    "rmSync(",
    ".rm(",
    "rm_rf(",
    "rm_r(",
    "remove_entry_secure(",
    "rmdirSync(",
    "remove_tree(",
    "Deno.removeSync(",
    "glob(",
];

/// Effects of a program on the command line.
pub struct ProgramEffects {
    /// Texts that it passes to a shell.
    pub texts: Vec<String>,
    /// Its deletions, as equivalent `rm -r` commands.
    pub removals: Vec<SimpleCommand>,
}

/// Returns the source text of an interpreter's program, given as an argument or on its input.
pub fn program(command: &SimpleCommand) -> Option<&str> {
    let stem = command.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (_, flags) = INTERPRETERS.iter().find(|(name, _)| *name == command.program || *name == stem)?;
    let at = command.args.iter().position(|word| flags.contains(&word.text.as_str()));
    match at {
        Some(at) => command.args.get(at + 1).map(|word| word.text.as_str()),
        None if command.operands().next().is_none_or(|word| word.text == "-") => command.input.as_deref(),
        None => None,
    }
}

/// Returns the effects of an interpreter's program; `None` if the command has none.
pub fn read(command: &SimpleCommand) -> Option<ProgramEffects> {
    let text = program(command)?;
    let removes = |call: &&str| *call != "glob(" || text.contains("unlink");
    let deletes: Vec<&str> = DELETES.iter().filter(|call| removes(call)).copied().collect();
    let removal = |path: String| {
        let args = ["-r", &path].map(|text| ShellWord { text: text.to_owned(), quoted: true }).to_vec();
        let mut removal = SimpleCommand { args, folder: command.folder.clone(), ..SimpleCommand::default() };
        removal.set_program("rm");
        removal
    };
    let removals = calls(text, &deletes).into_iter().map(removal).collect();
    Some(ProgramEffects { texts: calls(text, &STARTS), removals })
}

/// Returns the argument of each occurrence of the calls: its first literal, or the joined items of
/// a list.
pub fn calls(text: &str, calls: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for call in calls {
        for (at, _) in text.match_indices(call).take(32) {
            found.extend(argument_text(text, after(text, at + call.len())));
        }
    }
    found
}

/// Expressions for the home folder in the languages of inline programs.
const HOMES: [&str; 16] = [
    "Path.home()",
    "homedir()",
    "Dir.home",
    "process.env.HOME",
    "process.env['HOME']",
    "process.env[\"HOME\"]",
    "os.environ['HOME']",
    "os.environ[\"HOME\"]",
    "os.environ.get('HOME'",
    "os.environ.get(\"HOME\"",
    "getenv('HOME'",
    "getenv(\"HOME\"",
    "$ENV{HOME}",
    "$ENV{'HOME'}",
    "ENV['HOME']",
    "ENV[\"HOME\"]",
];
/// Maximum length of an argument that is inspected, in bytes.
const MAX_ARGUMENT_BYTES: usize = 2048;

fn argument_text(text: &str, rest: &str) -> Option<String> {
    let rest = split(rest, rest.floor_char_boundary(MAX_ARGUMENT_BYTES)).0.trim_start();
    let (argument, _) = split(rest, closing(rest));
    if HOMES.iter().any(|home| argument.contains(home)) {
        let below: String = literals(argument).into_iter().filter(|text| text != "HOME").collect();
        return Some(format!("~/{}", below.trim_start_matches('/')).trim_end_matches('/').to_owned());
    }
    let list = argument.starts_with('[') || argument.starts_with('"') && argument.contains("\", [\"");
    let texts = literals(argument);
    match texts.first() {
        Some(_) if list => Some(texts.join(" ")),
        Some(first) if argument.contains("os.path.join(") => Some(texts.join("/")).or(Some(first.clone())),
        Some(first) => Some(first.clone()),
        None => {
            let name = argument.split([',', ')', ' ']).next().filter(|name| !name.is_empty())?;
            assigned(text, name)
        }
    }
}

/// Returns the literal that the program assigns to a variable.
fn assigned(text: &str, name: &str) -> Option<String> {
    let set = [format!("{name} = "), format!("{name}=")];
    let at = set.iter().find_map(|set| text.find(set.as_str()).map(|at| at + set.len()))?;
    let line = after(text, at).lines().next()?;
    if line.contains("temp") {
        return None;
    }
    literals(line).into_iter().next()
}

/// Returns the length of the text up to the bracket that closes the argument list.
fn closing(text: &str) -> usize {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']' | ';' | '\n') if depth == 0 => return at,
            (None, ')' | ']') => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let mut inner = after(rest, open).chars();
        let Some((literal, tail)) = inner.next().and_then(|quote| inner.as_str().split_once(quote)) else {
            break;
        };
        found.push(literal.to_owned());
        rest = tail;
    }
    found
}
