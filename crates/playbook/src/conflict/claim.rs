//! What a rule claims: its clauses, each with the words that it is about and whether it affirms or denies them.
//!
//! Denials are counted, so that "never commit without tests" affirms what "always commit with tests" does. "Use X, not Y"
//! makes two claims. Reasons claim nothing. It does not compare claims.

use std::collections::BTreeMap;

use super::lexicon::{Cue, LEXICON, Pole};
use super::marks::Marks;
use super::piece::{Gap, Piece};

/// What a word is to its claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// What is to be done, and to what.
    Core,
    /// What for.
    Purpose,
    /// Where and when.
    Where,
    /// What it leaves out.
    Except,
}

/// A word that a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// As it is compared: the stem, or the name of the choice that it makes.
    pub(super) key: String,
    /// As written.
    pub(super) raw: String,
    /// What it chooses.
    pub(super) pole: Option<Pole>,
    /// Its place.
    pub(super) place: Place,
    /// Whether it follows the word before it without anything between, as the parts of a name do.
    pub(super) joined: bool,
    /// The number of the phrase that says there is none of it: "without tests".
    pub(super) lacking: Option<usize>,
    /// Whether it comes behind a word of order: what is done after, in "after merging", or before.
    pub(super) ordered: bool,
}

/// A clause.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Claim {
    /// The words, in order.
    pub(super) terms: Vec<Term>,
    /// Whether it denies.
    pub(super) denies: bool,
    /// Whether a clause that tells its things apart denies: "tests that do not wait".
    pub(super) relative: bool,
    /// Whether it says that one thing comes before another, or behind it.
    pub(super) before: Option<bool>,
    /// Whether a denial leaves no room.
    pub(super) hard: bool,
    /// Whether it is said of everything.
    pub(super) absolute: bool,
    /// Whether it holds for what it names alone.
    pub(super) only: bool,
    /// Whether it says where something goes.
    pub(super) placing: bool,
    /// Whether a verb denies in it, such as `disable`.
    pub(super) undoes: bool,
    /// The words that affirm and deny, as written.
    pub(super) cues: Vec<String>,
    /// The word that makes an exception.
    pub(super) except: Option<String>,
    /// The keys of its words, but for those that it leaves out.
    pub(super) keys: Marks,
    /// The same without circumstances.
    pub(super) core: Marks,
}

impl Claim {
    fn mark(&mut self) {
        let keys = |core: bool| {
            let counts = move |place| place != Place::Except && !(core && place == Place::Where);
            self.terms.iter().filter(move |term| counts(term.place)).map(|term| term.key.as_str())
        };
        (self.keys, self.core) = (Marks::of(keys(false)), Marks::of(keys(true)));
    }

    /// The same with other keys.
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

    /// Whether it has words of its own that stand there.
    pub(super) fn has(&self, place: Place) -> bool {
        self.terms.iter().any(|term| term.place == place)
    }
}

/// The key of a word of order.
pub(super) const ORDER: &str = "#order";

/// Verbs after which "over" sets one thing against another.
const PREFERRING: [&str; 8] =
    ["prefer", "prefers", "preferred", "favor", "favour", "choose", "enforce", "enforces"];

/// Verbs that deny as "never" does; to delete one thing is no word against all others of its kind.
const HALTING: [&str; 8] = ["disable", "disables", "stop", "skip", "omit", "prevent", "block", "bypass"];

/// The claims of a text.
pub(super) fn claims(pieces: &[Piece]) -> Vec<Claim> {
    let mut reader = Reader::default();
    for at in 0..pieces.len() {
        reader.read(pieces, at);
    }
    reader.finish();
    reader.claims.iter_mut().for_each(Claim::mark);
    reader.claims
}

/// Which words the next one is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    #[default]
    Core,
    Purpose,
    Where,
    Except,
    /// A reason: claims nothing.
    Aside,
}

#[derive(Default)]
struct Reader {
    claims: Vec<Claim>,
    claim: Claim,
    mode: Mode,
    /// How many terms the claim had when its clause, or what the clause says of them, began: with no more of them the next
    /// word is the first. More than there can be where no word is to count as the first.
    fresh_after: usize,
    /// The claim that the current one stands against: "X, not Y".
    against: Option<usize>,
    /// Whether the last piece was a term.
    after_term: bool,
    prefers: bool,
    /// Whether the words belong to a clause that tells things apart: "that …".
    relative: bool,
    /// The phrase of "no" or "without" that the words belong to, and how many there were.
    lacking: Option<usize>,
    phrases: usize,
    /// Whether the words belong to a word of order.
    ordered: bool,
}

impl Reader {
    fn read(&mut self, pieces: &[Piece], at: usize) {
        let piece = &pieces[at];
        let next = pieces.get(at + 1).filter(|next| next.gap == Gap::None).map_or("", |next| &next.raw);
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
        if cue.is_some_and(|cue| cue != Cue::All) && !matches!(piece.raw.as_str(), "a" | "an" | "the") {
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

    /// Ends the clause where the marks and words before this piece do.
    fn pause(&mut self, piece: &Piece, before: &str, cue: Option<Cue>) {
        let opens =
            matches!(cue, Some(Cue::Affirm { .. } | Cue::Deny { .. } | Cue::Do | Cue::Undo | Cue::Only))
                && piece.raw != "without"
                && piece.raw != "no";
        let joint = matches!(before, "and" | "then" | "but" | "instead");
        match piece.gap {
            Gap::Stop => self.finish(),
            Gap::Colon if self.claim.terms.len() > 3 || !self.claim.cues.is_empty() && !self.is_bare() => {
                self.finish()
            }
            Gap::Colon => self.open(),
            Gap::Comma if self.leads() => self.open(),
            Gap::Comma if opens || piece.raw == "but" => self.part(piece),
            _ if joint && opens && piece.raw != "not" => self.part(piece),
            _ => {}
        }
    }

    /// Begins a new clause of the same sentence, unless this one has said nothing yet.
    fn part(&mut self, piece: &Piece) {
        let contrast = piece.raw == "not";
        if !contrast && !self.is_bare() {
            self.finish();
        }
    }

    /// Whether the clause so far is only the circumstance that leads it: "in tests, …".
    fn leads(&self) -> bool {
        self.mode == Mode::Aside && self.is_bare()
            || self.mode == Mode::Where && !self.claim.has(Place::Core)
            || self.ordered && self.claim.terms.iter().all(|term| term.ordered)
    }

    fn is_bare(&self) -> bool {
        self.claim.terms.is_empty()
    }

    fn open(&mut self) {
        self.mode = Mode::Core;
        self.fresh_after = self.claim.terms.len();
        self.after_term = false;
        self.relative = false;
        self.lacking = None;
        self.ordered = false;
    }

    fn is_fresh(&self) -> bool {
        self.mode == Mode::Core && self.claim.terms.len() == self.fresh_after
    }

    /// Whether this piece sets what follows against what came before: "not", "instead of", "rather than", "over".
    fn turns(&self, piece: &Piece, before: &str, next: &str) -> bool {
        if self.is_bare() || piece.code {
            return false;
        }
        match piece.raw.as_str() {
            "not" => (piece.gap == Gap::Comma || matches!(before, "and" | "but")) && next != "only",
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

    /// Whether no word so far is what is done, such as "passing".
    fn names_things(&self) -> bool {
        !self.claim.terms.iter().any(|term| term.raw.ends_with("ing"))
    }

    fn turn(&mut self, word: &str) {
        let mut claim = Claim { denies: !self.claim.denies, hard: true, ..Claim::default() };
        claim.cues.push(word.to_owned());
        claim.terms = self
            .claim
            .terms
            .iter()
            .filter(|term| matches!(term.place, Place::Where | Place::Purpose))
            .cloned()
            .collect();
        let main = std::mem::replace(&mut self.claim, claim);
        self.claims.push(main);
        self.against = Some(self.claims.len() - 1);
        self.open();
        self.prefers = false;
    }

    /// Lets a steering word act; false where it is an ordinary word here.
    fn steer(&mut self, cue: Cue, piece: &Piece, next: &str) -> bool {
        let claiming = matches!(self.mode, Mode::Core | Mode::Purpose);
        match cue {
            Cue::Silent => {}
            Cue::Affirm { absolute } => {
                self.resume();
                self.claim.absolute |= absolute;
                self.prefers |= PREFERRING.contains(&piece.raw.as_str());
                self.say(piece);
                if self.mode == Mode::Core {
                    self.fresh_after = self.claim.terms.len();
                }
            }
            Cue::Deny { hard } => return self.deny(hard, piece, next),
            Cue::Do | Cue::Undo if !self.is_fresh() => return false,
            Cue::Do => self.say(piece),
            Cue::Undo => {
                self.claim.denies = !self.claim.denies;
                self.claim.hard |= HALTING.contains(&piece.raw.as_str());
                self.claim.undoes = true;
                self.say(piece);
                // A second verb is an ordinary word: "never add or remove files".
                self.fresh_after = usize::MAX;
            }
            Cue::All => self.claim.absolute |= self.mode == Mode::Core || self.mode == Mode::Purpose,
            Cue::Only => self.claim.only = true,
            Cue::Order { before } => {
                self.claim.before = Some(before);
                self.ordered = true;
                self.push(ORDER.to_owned(), piece, None);
                return true;
            }
            Cue::Where if self.mode != Mode::Aside && self.mode != Mode::Except => self.mode = Mode::Where,
            Cue::Purpose if claiming => {
                let purpose = matches!(LEXICON.cue(next), Some(Cue::Deny { .. } | Cue::Undo | Cue::Do));
                let lead = self.is_bare() && self.claim.cues.is_empty() && piece.raw == "to";
                self.mode = if piece.raw == "to" && (purpose || lead) { Mode::Aside } else { Mode::Purpose };
            }
            Cue::Except => {
                self.mode = Mode::Except;
                self.claim.except.get_or_insert_with(|| piece.raw.clone());
            }
            Cue::Reason if !self.claim.terms.is_empty() => self.mode = Mode::Aside,
            Cue::Where | Cue::Purpose | Cue::Reason => {}
        }
        true
    }

    fn deny(&mut self, hard: bool, piece: &Piece, next: &str) -> bool {
        let compares =
            matches!(next, "more" | "less" | "fewer" | "later" | "earlier" | "matter" | "only" | "just");
        if matches!(piece.raw.as_str(), "no" | "not") && compares {
            return true;
        }
        self.resume();
        if matches!(piece.raw.as_str(), "no" | "without") && !self.is_fresh() && self.mode != Mode::Aside {
            self.phrases += 1;
            self.lacking = Some(self.phrases);
            return true;
        }
        match self.mode {
            Mode::Core | Mode::Purpose if self.relative => self.claim.relative = !self.claim.relative,
            Mode::Core | Mode::Purpose => {
                self.claim.denies = !self.claim.denies;
                self.claim.hard |= hard;
                self.claim.absolute |= piece.raw == "never";
                self.say(piece);
                if self.mode == Mode::Core {
                    self.fresh_after = self.claim.terms.len();
                }
            }
            // "where it is not set" is another circumstance than "where it is set".
            Mode::Where | Mode::Except => self.push("not".to_owned(), piece, None),
            Mode::Aside => {}
        }
        true
    }

    /// A directive behind a circumstance without a comma: "when in doubt never …".
    fn resume(&mut self) {
        if self.mode == Mode::Where && !self.claim.has(Place::Core) && !self.is_bare() {
            self.open();
        }
    }

    fn say(&mut self, piece: &Piece) {
        let word = if piece.negated { format!("{}'t", piece.raw) } else { piece.raw.clone() };
        self.claim.cues.push(word);
    }

    fn term(&mut self, piece: &Piece) {
        let pole = LEXICON.pole(&piece.raw);
        let key = pole.map_or_else(|| piece.stem.clone(), |pole| format!("#{}", pole.choice));
        self.push(key, piece, pole);
    }

    fn push(&mut self, key: String, piece: &Piece, pole: Option<Pole>) {
        let place = match self.mode {
            Mode::Core => Place::Core,
            Mode::Purpose => Place::Purpose,
            Mode::Where => Place::Where,
            Mode::Except => Place::Except,
            Mode::Aside => return,
        };
        let joined = self.after_term && piece.gap == Gap::None;
        let (lacking, ordered) = (self.lacking, self.ordered);
        let term = Term { key, raw: piece.raw.clone(), pole, place, joined, lacking, ordered };
        // What "X rather than Y for Z" says for Z holds of X as well.
        if let Some(main) = self.against
            && place != Place::Core
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
        if !claim.has(Place::Core) && !claim.has(Place::Purpose) && claim.has(Place::Where) {
            // "…, but never in production": what is meant was said before.
            let Some(last) = against.or(self.claims.len().checked_sub(1)).map(|at| &self.claims[at]) else {
                return;
            };
            claim.terms.extend(last.terms.iter().filter(|term| term.place == Place::Core).cloned());
        }
        if !claim.terms.is_empty() {
            self.claims.push(claim);
        }
    }
}

/// What a piece steers, by what follows it too.
fn cue_of(pieces: &[Piece], at: usize, next: &str) -> Option<Cue> {
    let piece = &pieces[at];
    if piece.code {
        return None;
    }
    if piece.negated {
        return Some(Cue::Deny { hard: true });
    }
    match (piece.raw.as_str(), next) {
        ("turn" | "turns" | "switch", "off") => return Some(Cue::Undo),
        ("turn" | "turns" | "switch", "on") => return Some(Cue::Do),
        ("keep" | "leave" | "keeps" | "leaves", _) if is_out(&pieces[at + 1..]) => return Some(Cue::Undo),
        ("fail" | "fails", "to") => return Some(Cue::Deny { hard: true }),
        ("as", "long") | ("provided", _) => return Some(Cue::Where),
        ("other", "than") | ("apart", "from") => return Some(Cue::Except),
        ("so", "that") => return Some(Cue::Reason),
        _ => {}
    }
    if LEXICON.pole(&piece.raw).is_some() {
        return None;
    }
    LEXICON.cue(&piece.raw)
}

/// Whether "out" closes what a verb opened: "keep secrets out of the repository".
fn is_out(rest: &[Piece]) -> bool {
    rest.iter().take(5).take_while(|piece| piece.gap == Gap::None).any(|piece| piece.raw == "out")
}
