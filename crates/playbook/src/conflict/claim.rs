//! Parses a rule into claims: clauses with the words that they are about, and whether they affirm
//! or deny.
//!
//! Double negation affirms: "never commit without tests" equals "always commit with tests". "Use X,
//! not Y" makes two claims; reasons make none.

use std::collections::BTreeMap;

use super::lexicon::{ChoiceOption, CueWord, LEXICON};
use super::rule_token::{RuleToken, TokenGap};
use super::word_hashes::WordHashes;

/// Role of a word in a claim: part of the action, purpose, circumstance or exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TermRole {
    /// Action or object: `run` and `tests` in "run tests in CI".
    Core,
    Purpose,
    /// Circumstance, that is, place or time: `CI` in "run tests in CI".
    Where,
    /// Exception: `docs` in "run tests except for docs".
    Except,
}

/// A content word of a claim, with its role and negation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClaimTerm {
    /// Key for comparing words: the stem, or the group name of alternatives such as `tabs` and
    /// `spaces`.
    pub(super) key: String,
    /// The word as written, in lower case.
    pub(super) raw: String,
    /// Which of several exclusive alternatives the word stands for, such as `tabs`; `None` for
    /// other words.
    pub(super) pole: Option<ChoiceOption>,
    pub(super) place: TermRole,
    /// Whether the word directly follows the previous one, like the parts of a compound name.
    pub(super) joined: bool,
    /// Number of the "no" or "without" phrase that contains the word, as in "without tests"; `None`
    /// if the word is not negated.
    pub(super) lacking: Option<usize>,
    /// Whether the word follows an ordering word such as "after".
    pub(super) ordered: bool,
}

/// One clause of a rule, which demands or forbids something: "never commit secrets".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RuleClaim {
    /// Content words of the clause, in order.
    pub(super) terms: Vec<ClaimTerm>,
    /// Whether the clause forbids instead of demands, as "never" does.
    pub(super) denies: bool,
    /// Whether a relative clause is negated: "tests that do not wait".
    pub(super) relative: bool,
    /// For a clause about order: `true` for "X before Y", `false` for "X after Y". `None` for other
    /// clauses.
    pub(super) before: Option<bool>,
    /// Whether the clause forbids strictly, as "never" does but "avoid" does not.
    pub(super) hard: bool,
    /// Whether the clause allows no exception, as "always" and "every" express.
    pub(super) absolute: bool,
    /// Whether the clause contains "only", so that it excludes everything else.
    pub(super) only: bool,
    /// Whether the clause states where something is put: "store logs in `/var/log`".
    pub(super) placing: bool,
    /// Whether the clause forbids by its verb, such as `disable` or `skip`.
    pub(super) undoes: bool,
    /// Words that demand or forbid, such as "always" or "never", as written.
    pub(super) cues: Vec<String>,
    /// Word that introduces an exception, such as "unless"; `None` without an exception.
    pub(super) except: Option<String>,
    /// Hashes of the keys of all words except those in exceptions.
    pub(super) keys: WordHashes,
    /// Hashes of the keys of all words except those in circumstances and exceptions.
    pub(super) core: WordHashes,
}

impl RuleClaim {
    fn mark(&mut self) {
        let keys = |core: bool| {
            let counts = move |place| place != TermRole::Except && !(core && place == TermRole::Where);
            self.terms.iter().filter(move |term| counts(term.place)).map(|term| term.key.as_str())
        };
        (self.keys, self.core) = (WordHashes::of(keys(false)), WordHashes::of(keys(true)));
    }

    /// Returns a copy in which the keys of words are replaced by their values in `names`, for
    /// example to unify synonyms.
    pub(super) fn renamed(&self, names: &BTreeMap<String, String>) -> Self {
        let mut claim = self.clone();
        for term in &mut claim.terms {
            if let Some(name) = names.get(&term.key) {
                term.key.clone_from(name);
            }
        }
        claim.mark();
        claim
    }

    /// Whether any word of the claim has this role.
    pub(super) fn has(&self, place: TermRole) -> bool {
        self.terms.iter().any(|term| term.place == place)
    }
}

/// Comparison key that all ordering words such as "before" and "after" share.
pub(super) const ORDER: &str = "#order";

/// Verbs of preference. In "prefer X over Y", the word "over" introduces the rejected alternative.
const PREFERRING: [&str; 8] =
    ["prefer", "prefers", "preferred", "favor", "favour", "choose", "enforce", "enforces"];

/// Verbs that forbid as strictly as "never". `delete` is not one of them, because deleting one
/// thing does not forbid all things of that kind.
const HALTING: [&str; 8] = ["disable", "disables", "stop", "skip", "omit", "prevent", "block", "bypass"];

/// Parses the words of a rule into its claims, in order.
pub(super) fn claims(pieces: &[RuleToken]) -> Vec<RuleClaim> {
    let mut reader = ClaimParser::default();
    for at in 0..pieces.len() {
        reader.read(pieces, at);
    }
    reader.finish();
    reader.claims.iter_mut().for_each(RuleClaim::mark);
    reader.claims
}

/// Which part of the claim the words that follow belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ClauseMode {
    #[default]
    Core,
    Purpose,
    Where,
    Except,
    /// Inside a reason ("because …"), which makes no claim.
    Aside,
}

#[derive(Default)]
struct ClaimParser {
    claims: Vec<RuleClaim>,
    claim: RuleClaim,
    mode: ClauseMode,
    /// Length of `claim.terms` at which the clause or its predicate started. While the length is
    /// still the same, the next word is the first one. `usize::MAX` if no word counts as the first
    /// one.
    fresh_after: usize,
    /// In a contrast such as "X, not Y": index of the claim about X while Y is parsed.
    against: Option<usize>,
    /// Whether the previous word was a content word.
    after_term: bool,
    prefers: bool,
    /// Whether the parser is inside a relative clause: "that …".
    relative: bool,
    /// Number of the "no" or "without" phrase that the parser is inside, if any; `phrases` counts
    /// all of them.
    lacking: Option<usize>,
    phrases: usize,
    /// Whether an ordering word such as "after" precedes the next words.
    ordered: bool,
}

impl ClaimParser {
    fn read(&mut self, pieces: &[RuleToken], at: usize) {
        let piece = &pieces[at];
        let next = pieces.get(at + 1).filter(|next| next.gap == TokenGap::None).map_or("", |next| &next.raw);
        let before = at.checked_sub(1).map_or("", |before| pieces[before].raw.as_str());
        let cue = cue_of(pieces, at, next);
        self.pause(piece, before, cue);
        if self.turns(piece, before, next) {
            self.turn(&piece.raw);
            return;
        }
        if piece.raw == "that" && self.after_term {
            self.relative = true;
        }
        if cue.is_some_and(|cue| cue != CueWord::All) && !matches!(piece.raw.as_str(), "a" | "an" | "the") {
            self.lacking = None;
        }
        if LEXICON.is_placing(&piece.raw) && self.is_fresh() {
            self.claim.placing = true;
        }
        match cue {
            Some(cue) if self.steer(cue, piece, next) => self.after_term = false,
            _ => self.term(piece),
        }
    }

    /// Ends the current clause if the punctuation before `piece`, or the word `before`, requires
    /// it.
    fn pause(&mut self, piece: &RuleToken, before: &str, cue: Option<CueWord>) {
        let opens = matches!(
            cue,
            Some(CueWord::Affirm { .. } | CueWord::Deny { .. } | CueWord::Do | CueWord::Undo | CueWord::Only)
        ) && piece.raw != "without"
            && piece.raw != "no";
        let joint = matches!(before, "and" | "then" | "but" | "instead");
        match piece.gap {
            TokenGap::Stop => self.finish(),
            TokenGap::Colon
                if self.claim.terms.len() > 3 || !self.claim.cues.is_empty() && !self.is_bare() =>
            {
                self.finish()
            }
            TokenGap::Colon => self.open(),
            TokenGap::Comma if self.leads() => self.open(),
            TokenGap::Comma if opens || piece.raw == "but" => self.part(piece),
            _ if joint && opens && piece.raw != "not" => self.part(piece),
            _ => {}
        }
    }

    /// Starts a new clause of the same sentence, unless the current clause is still empty.
    fn part(&mut self, piece: &RuleToken) {
        let contrast = piece.raw == "not";
        if !contrast && !self.is_bare() {
            self.finish();
        }
    }

    /// Whether the clause so far consists only of a leading circumstance: "in tests, …".
    fn leads(&self) -> bool {
        self.mode == ClauseMode::Aside && self.is_bare()
            || self.mode == ClauseMode::Where && !self.claim.has(TermRole::Core)
            || self.ordered && self.claim.terms.iter().all(|term| term.ordered)
    }

    fn is_bare(&self) -> bool {
        self.claim.terms.is_empty()
    }

    fn open(&mut self) {
        self.mode = ClauseMode::Core;
        self.fresh_after = self.claim.terms.len();
        self.after_term = false;
        self.relative = false;
        self.lacking = None;
        self.ordered = false;
    }

    fn is_fresh(&self) -> bool {
        self.mode == ClauseMode::Core && self.claim.terms.len() == self.fresh_after
    }

    /// Whether `piece` starts a contrast: "not", "instead of", "rather than", "over".
    fn turns(&self, piece: &RuleToken, before: &str, next: &str) -> bool {
        if self.is_bare() || piece.code {
            return false;
        }
        match piece.raw.as_str() {
            "not" => (piece.gap == TokenGap::Comma || matches!(before, "and" | "but")) && next != "only",
            "instead" => next == "of",
            "rather" => next == "than",
            "opposed" => next == "to",
            "favor" | "favour" => before == "in" && next == "of",
            "over" => self.prefers,
            // "prefer early returns to nested ones", but not "prefer a queue to retry".
            "to" => {
                self.prefers
                    && self.names_things()
                    && ["s", "ing", "ed"].iter().any(|end| next.ends_with(end))
            }
            _ => false,
        }
    }

    /// Whether no content word of the clause so far ends with "ing", as actions such as "passing"
    /// do.
    fn names_things(&self) -> bool {
        !self.claim.terms.iter().any(|term| term.raw.ends_with("ing"))
    }

    fn turn(&mut self, word: &str) {
        let mut claim = RuleClaim { denies: !self.claim.denies, hard: true, ..RuleClaim::default() };
        claim.cues.push(word.to_owned());
        claim.terms = self
            .claim
            .terms
            .iter()
            .filter(|term| matches!(term.place, TermRole::Where | TermRole::Purpose))
            .cloned()
            .collect();
        let main = std::mem::replace(&mut self.claim, claim);
        self.claims.push(main);
        self.against = Some(self.claims.len() - 1);
        self.open();
        self.prefers = false;
    }

    /// Changes the parser's state according to a cue word. Returns `false` if the word is an
    /// ordinary content word in this position.
    fn steer(&mut self, cue: CueWord, piece: &RuleToken, next: &str) -> bool {
        let claiming = matches!(self.mode, ClauseMode::Core | ClauseMode::Purpose);
        match cue {
            CueWord::Silent => {}
            CueWord::Affirm { absolute } => {
                self.resume();
                self.claim.absolute |= absolute;
                self.prefers |= PREFERRING.contains(&piece.raw.as_str());
                self.push_token(piece);
                if self.mode == ClauseMode::Core {
                    self.fresh_after = self.claim.terms.len();
                }
            }
            CueWord::Deny { hard } => return self.deny(hard, piece, next),
            CueWord::Do | CueWord::Undo if !self.is_fresh() => return false,
            CueWord::Do => self.push_token(piece),
            CueWord::Undo => {
                self.claim.denies = !self.claim.denies;
                self.claim.hard |= HALTING.contains(&piece.raw.as_str());
                self.claim.undoes = true;
                self.push_token(piece);
                // A second verb is an ordinary word: "never add or remove files".
                self.fresh_after = usize::MAX;
            }
            CueWord::All => {
                self.claim.absolute |= self.mode == ClauseMode::Core || self.mode == ClauseMode::Purpose
            }
            CueWord::Only => self.claim.only = true,
            CueWord::Order { before } => {
                self.claim.before = Some(before);
                self.ordered = true;
                self.push(ORDER.to_owned(), piece, None);
                return true;
            }
            CueWord::Where if self.mode != ClauseMode::Aside && self.mode != ClauseMode::Except => {
                self.mode = ClauseMode::Where
            }
            CueWord::Purpose if claiming => {
                let purpose =
                    matches!(LEXICON.cue(next), Some(CueWord::Deny { .. } | CueWord::Undo | CueWord::Do));
                let lead = self.is_bare() && self.claim.cues.is_empty() && piece.raw == "to";
                self.mode = if piece.raw == "to" && (purpose || lead) {
                    ClauseMode::Aside
                } else {
                    ClauseMode::Purpose
                };
            }
            CueWord::Except => {
                self.mode = ClauseMode::Except;
                self.claim.except.get_or_insert_with(|| piece.raw.clone());
            }
            CueWord::Reason if !self.claim.terms.is_empty() => self.mode = ClauseMode::Aside,
            CueWord::Where | CueWord::Purpose | CueWord::Reason => {}
        }
        true
    }

    fn deny(&mut self, hard: bool, piece: &RuleToken, next: &str) -> bool {
        let compares =
            matches!(next, "more" | "less" | "fewer" | "later" | "earlier" | "matter" | "only" | "just");
        if matches!(piece.raw.as_str(), "no" | "not") && compares {
            return true;
        }
        self.resume();
        if matches!(piece.raw.as_str(), "no" | "without")
            && !self.is_fresh()
            && self.mode != ClauseMode::Aside
        {
            self.phrases += 1;
            self.lacking = Some(self.phrases);
            return true;
        }
        match self.mode {
            ClauseMode::Core | ClauseMode::Purpose if self.relative => {
                self.claim.relative = !self.claim.relative
            }
            ClauseMode::Core | ClauseMode::Purpose => {
                self.claim.denies = !self.claim.denies;
                self.claim.hard |= hard;
                self.claim.absolute |= piece.raw == "never";
                self.push_token(piece);
                if self.mode == ClauseMode::Core {
                    self.fresh_after = self.claim.terms.len();
                }
            }
            // "where it is not set" is another circumstance than "where it is set".
            ClauseMode::Where | ClauseMode::Except => self.push("not".to_owned(), piece, None),
            ClauseMode::Aside => {}
        }
        true
    }

    /// Starts the main clause after a circumstance that is not followed by a comma: "when in doubt
    /// never …".
    fn resume(&mut self) {
        if self.mode == ClauseMode::Where && !self.claim.has(TermRole::Core) && !self.is_bare() {
            self.open();
        }
    }

    fn push_token(&mut self, piece: &RuleToken) {
        let word = if piece.negated { format!("{}'t", piece.raw) } else { piece.raw.clone() };
        self.claim.cues.push(word);
    }

    fn term(&mut self, piece: &RuleToken) {
        let pole = LEXICON.pole(&piece.raw);
        let key = pole.map_or_else(|| piece.stem.clone(), |pole| format!("#{}", pole.choice));
        self.push(key, piece, pole);
    }

    fn push(&mut self, key: String, piece: &RuleToken, pole: Option<ChoiceOption>) {
        let place = match self.mode {
            ClauseMode::Core => TermRole::Core,
            ClauseMode::Purpose => TermRole::Purpose,
            ClauseMode::Where => TermRole::Where,
            ClauseMode::Except => TermRole::Except,
            ClauseMode::Aside => return,
        };
        let joined = self.after_term && piece.gap == TokenGap::None;
        let (lacking, ordered) = (self.lacking, self.ordered);
        let term = ClaimTerm { key, raw: piece.raw.clone(), pole, place, joined, lacking, ordered };
        // What "X rather than Y for Z" says for Z holds of X as well.
        if let Some(main) = self.against
            && place != TermRole::Core
        {
            self.claims[main].terms.push(term.clone());
        }
        self.claim.terms.push(term);
        self.after_term = true;
    }

    fn finish(&mut self) {
        let mut claim = std::mem::take(&mut self.claim);
        let against = self.against.take();
        self.open();
        self.prefers = false;
        if !claim.has(TermRole::Core) && !claim.has(TermRole::Purpose) && claim.has(TermRole::Where) {
            // "…, but never in production": what is meant was said before.
            let Some(last) = against.or(self.claims.len().checked_sub(1)).map(|at| &self.claims[at]) else {
                return;
            };
            claim.terms.extend(last.terms.iter().filter(|term| term.place == TermRole::Core).cloned());
        }
        if !claim.terms.is_empty() {
            self.claims.push(claim);
        }
    }
}

/// Returns the function of a word in its clause, given the word that follows; `None` for a content
/// word.
fn cue_of(pieces: &[RuleToken], at: usize, next: &str) -> Option<CueWord> {
    let piece = &pieces[at];
    if piece.code {
        return None;
    }
    if piece.negated {
        return Some(CueWord::Deny { hard: true });
    }
    match (piece.raw.as_str(), next) {
        ("turn" | "turns" | "switch", "off") => return Some(CueWord::Undo),
        ("turn" | "turns" | "switch", "on") => return Some(CueWord::Do),
        ("keep" | "leave" | "keeps" | "leaves", _) if is_out(&pieces[at + 1..]) => {
            return Some(CueWord::Undo);
        }
        ("fail" | "fails", "to") => return Some(CueWord::Deny { hard: true }),
        ("as", "long") | ("provided", _) => return Some(CueWord::Where),
        ("other", "than") | ("apart", "from") => return Some(CueWord::Except),
        ("so", "that") => return Some(CueWord::Reason),
        _ => {}
    }
    if LEXICON.pole(&piece.raw).is_some() {
        return None;
    }
    LEXICON.cue(&piece.raw)
}

/// Whether "out" belongs to the verb before it: "keep secrets out of the repository".
fn is_out(rest: &[RuleToken]) -> bool {
    rest.iter().take(5).take_while(|piece| piece.gap == TokenGap::None).any(|piece| piece.raw == "out")
}
