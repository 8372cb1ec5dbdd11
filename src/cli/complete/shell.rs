//! The shells that ask for completions: their scripts, and how each of them quotes a word.

use clap::ValueEnum;

/// A shell with a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(alias = "pwsh")]
    Powershell,
    Zsh,
}

impl Shell {
    /// Returns the script that the shell reads at its start. It runs `cm completions SHELL --word=…`
    /// whenever the person presses Tab.
    pub fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("../../../templates/completions/cm.bash"),
            Self::Elvish => include_str!("../../../templates/completions/cm.elv"),
            Self::Fish => include_str!("../../../templates/completions/cm.fish"),
            Self::Nushell => include_str!("../../../templates/completions/cm.nu"),
            Self::Powershell => include_str!("../../../templates/completions/cm.ps1"),
            Self::Zsh => include_str!("../../../templates/completions/cm.zsh"),
        }
    }

    /// Parses text of a command line into words without quotes. The last word is the one at the
    /// cursor; it is empty after white space.
    pub fn words(self, line: &str) -> Vec<Word> {
        let mut words = vec![Word::default()];
        let mut chars = line.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let Some(word) = words.last_mut() else { break };
            let next = chars.peek().map(|(_, next)| *next);
            match (word.quote, c) {
                (None, c) if c.is_whitespace() => {
                    words.push(Word { start: at + c.len_utf8(), ..Word::default() });
                }
                (quote, c) if self.escapes(quote, c, next) => {
                    word.value.extend(chars.next().map(|(_, next)| next));
                }
                (None, c) if self.quotes(c) => word.quote = Some(c),
                (Some(quote), c) if quote == c => word.quote = None,
                (_, c) => word.value.push(c),
            }
        }
        // Several blanks between two words are no words.
        let last = words.pop();
        words
            .retain(|word| line.get(word.start..).is_some_and(|rest| !rest.starts_with(char::is_whitespace)));
        words.extend(last);
        words
    }

    /// Parses one word, which may contain unquoted white space.
    pub fn unquoted(self, word: &str) -> String {
        match self {
            // These shells pass values.
            Self::Elvish => word.to_owned(),
            _ => self.words(word).into_iter().map(|part| part.value).collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether `c` opens a quotation.
    fn quotes(self, c: char) -> bool {
        matches!(c, '\'' | '"') || (c == '`' && self == Self::Nushell)
    }

    /// Whether `c` makes the next character lose its meaning.
    fn escapes(self, quote: Option<char>, c: char, next: Option<char>) -> bool {
        match (self, quote, c) {
            (Self::Nushell, Some('"'), '\\') => true,
            (Self::Nushell, ..) => false,
            (Self::Powershell, None | Some('"'), '`') => true,
            // Twice the quotation mark stands for itself.
            (Self::Powershell, Some(quote), c) => c == quote && next == Some(quote),
            (Self::Powershell, ..) => false,
            (_, None, '\\') => true,
            (_, Some('"'), '\\') => next.is_some_and(|next| "\"\\$`".contains(next)),
            (Self::Fish, Some('\''), '\\') => next.is_some_and(|next| "'\\".contains(next)),
            _ => false,
        }
    }
}

/// A word of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The word without its quotation marks and escapes.
    pub value: String,
    /// The quotation that is open at the end of the word.
    pub quote: Option<char>,
    /// Offset of the word in the line, in bytes.
    pub start: usize,
}

/// Characters that need no quotation in any of the shells.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "_-+./:=@%,".contains(c)
}

/// The part of a value that Bash puts in place of `replaced`, the end of the word at the cursor.
/// Bash replaces from the last quotation mark, `:` or `=` on. `None` if the rest of the word does
/// not begin the value.
pub fn in_bash(line: &str, replaced: &str, value: &str) -> Option<String> {
    let word = Shell::Bash.words(line).pop()?;
    let raw = line.get(word.start..)?;
    let head = raw.strip_suffix(replaced).unwrap_or(raw);
    let head = Shell::Bash.words(head).pop()?;
    let rest = value.strip_prefix(&head.value)?;
    let escaped = |special: &dyn Fn(char) -> bool| {
        rest.chars().fold(String::with_capacity(rest.len()), |mut text, c| {
            text.extend(special(c).then_some('\\'));
            text.push(c);
            text
        })
    };
    Some(match head.quote {
        Some('"') => escaped(&|c| "\"\\$`".contains(c)).replace('!', "\"'!'\""),
        Some(_) => rest.replace('\'', "'\\''"),
        None => escaped(&|c| !is_plain(c)),
    })
}

/// Quotes a value for PowerShell, unless it needs no quotation.
pub fn in_powershell(value: &str) -> String {
    let is_plain = !value.is_empty() && !value.starts_with(['@', '%']) && !value.contains(',');
    if is_plain && value.chars().all(self::is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "''"))
}

/// Quotes a value for Nushell, unless it needs no quotation.
pub fn in_nushell(value: &str) -> String {
    if value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
