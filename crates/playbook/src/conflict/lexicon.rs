//! Tables of words that determine the meaning of a rule: affirmation, denial, clause boundaries and
//! mutually exclusive things.
//!
//! They cover general English and common programming vocabulary. [`claim`](super::claim) combines
//! the words.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::ConflictReason;

/// Grammatical function of a word that structures a rule, such as "never", "unless" or "in".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CueWord {
    /// Article, pronoun or preposition, which has no meaning for the comparison.
    Silent,
    /// Demands what follows: `use`, `should`; `absolute` words allow no exception: `always`,
    /// `must`.
    Affirm { absolute: bool },
    /// Forbids what follows: strictly if `hard` (`never`), otherwise not (`avoid`).
    Deny { hard: bool },
    /// A verb that demands if it starts a clause: `keep tests`.
    Do,
    /// A verb that forbids if it starts a clause: `skip tests`.
    Undo,
    /// Makes a claim universal: `every`, `any`.
    All,
    /// Restricts a claim to what it names: `only`.
    Only,
    /// Introduces a place, time or condition: `in`, `when`.
    Where,
    /// Introduces a purpose: `for`, `to`.
    Purpose,
    /// Introduces an exception: `unless`, `except`.
    Except,
    /// Introduces a reason, which is not part of the claim: `because`.
    Reason,
    /// Introduces an order of steps: `before` if the flag is set, otherwise `after`.
    Order { before: bool },
}

/// One of several exclusive alternatives that a word stands for: `tabs`, as opposed to `spaces`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChoiceOption {
    /// Index of the group of alternatives to which the word belongs.
    pub(super) choice: u16,
    /// Number of the alternative within its group; synonyms share a number.
    pub(super) option: u32,
}

/// Group of all numerals. The `option` of a numeral is its value.
pub(super) const NUMBER: u16 = u16::MAX;

const CUES: &[(CueWord, &str)] = &[
    (
        CueWord::Silent,
        "a an the this that these those it its they them their there here you your yours we our ours us i me my he she \
         of is are be been being was were am as at by with from into onto on via per up out off than then so too also \
         and or but just simply really very quite rather even still yet already again please both either such \
         own how what who whom whose why new other another instead has have had having can could may might will would \
         get gets got let lets some most much about across through between among over \
         directly properly correctly carefully clearly generally usually normally typically possible \
         necessary sure bother want wants need needs try tries thing things way ways time times",
    ),
    (
        CueWord::Affirm { absolute: false },
        "use uses used using utilize utilise utilizes prefer prefers preferred favor favour favors choose pick adopt \
         employ rely should ought ensure ensures make makes made making do does doing did enforce enforces enforced \
         enforcing recommend recommended go stick opt remember",
    ),
    (
        CueWord::Affirm { absolute: true },
        "always must shall everywhere invariably require requires requiring",
    ),
    (
        CueWord::Deny { hard: true },
        "never not no cannot without disallow disallows disallowed disallowing forbid forbids forbidden forbidding \
         prohibit prohibits prohibited prohibiting ban bans banned none nothing nobody nowhere neither refrain don't dont \
         won't can't forget",
    ),
    (
        CueWord::Deny { hard: false },
        "avoid avoids avoided avoiding rarely seldom discourage discourages discouraged minimize minimise hardly",
    ),
    (
        CueWord::Do,
        "add adds adding keep keeps keeping enable enables enabling allow allows allowing permit permits permitting \
         include includes including accept accepts write writes create creates leave leaves put puts place places \
         store stores save saves preserve preserves retain retains apply applies provide provides insert activate \
         define declare implement introduce perform",
    ),
    (
        CueWord::Undo,
        "disable disables disabling deactivate remove removes removing delete deletes deleting drop drops dropping skip \
         skips skipping omit omits omitting ignore ignores ignoring exclude excludes excluding stop stops stopping \
         strip strips discard discards eliminate eliminates prevent prevents preventing reject rejects rejecting block \
         blocks bypass suppress suppresses deny denies ditch abandon neglect",
    ),
    (CueWord::All, "all every each any everything anything whole entire entirely"),
    (CueWord::Order { before: true }, "before prior"),
    (CueWord::Order { before: false }, "after afterwards following"),
    (CueWord::Only, "only solely exclusively"),
    (CueWord::Where, "in when whenever if while where within during inside under once whilst throughout"),
    (CueWord::Purpose, "for to"),
    (CueWord::Except, "unless except excepting until till outside besides beyond"),
    (CueWord::Reason, "because since otherwise which thereby hence therefore thus whereas"),
];

/// Verbs that state where something is put. Two rules that name different places for one thing
/// contradict each other.
const PLACING: &str = "put puts place places store stores save saves keep keeps live lives go goes define declare write \
                       name names format formats begin begins start starts end ends";

/// Groups of antonyms, such as `enable` and `disable`.
const ANTONYMS: &[&str] = &[
    "sync synchronous synchronously | async asynchronous asynchronously",
    "required mandatory compulsory obligatory | optional",
    "public exported | private internal",
    "mutable | immutable readonly read-only",
    "explicit explicitly | implicit implicitly",
    "static statically | dynamic dynamically",
    "uppercase upper-case uppercased capitalized | lowercase lower-case lowercased",
    "eager eagerly | lazy lazily",
    "strict strictly | loose loosely lenient leniently",
    "first | last",
    "top | bottom",
    "start begin beginning | end ending finish",
    "left leading | right trailing",
    "above | below underneath",
    "near close | far",
    "short shorter brief | long longer",
    "small smaller smallest little tiny | large larger largest big bigger biggest huge",
    "oldest | newest latest",
    "morning | afternoon",
    "few fewer less | many more",
    "minimum minimal least | maximum maximal",
    "early earlier sooner | late later",
    "fast faster quick quickly | slow slower slowly",
    "high higher highest | low lower lowest",
    "simple | complex complicated",
    "verbose detailed | terse concise",
    "positive | negative",
    "true | false",
    "empty | full",
    "same | separate different distinct",
    "named | default unnamed anonymous",
    "functional | imperative",
    "manual manually | automatic automatically automated automate",
    "composition | inheritance",
    "stateful | stateless",
    "blocking | non-blocking nonblocking",
    "recursive recursion recursively | iterative iteration iteratively",
    "ascending | descending",
    "singular | plural",
    "optimistic | pessimistic",
    "monorepo | polyrepo multirepo",
    "vertical vertically | horizontal horizontally",
    "indoor indoors | outdoor outdoors",
    "increase increases raise | decrease decreases reduce reduces",
    "open opens opened | closes closed",
    "show shows display expose exposes reveal | hide hides hidden conceal",
    "lock locks locked | unlock unlocks unlocked",
    "throw throws | swallow swallows",
    "inline inlined | extract extracted",
    "continue continues proceed | abort aborts halt",
    "serially sequential sequentially | parallel concurrently concurrent",
    "shared | isolated",
    "shallow | deep",
    "relative | absolute",
    "nullable | non-null nonnull non-nullable",
    "encrypted | unencrypted plaintext",
    "signed | unsigned",
    "sorted | unsorted",
    "versioned | unversioned",
    "safe | unsafe",
    "used | unused",
    "fail fails failing | succeed succeeds succeeding pass passes passing",
    "valid | invalid",
    "available | unavailable",
    "supported | unsupported",
    "online | offline",
    "accepts | rejects",
    "idempotent | non-idempotent",
];

/// Groups of exclusive alternatives: a project uses only one of each group.
const EXCLUSIVE: &[&str] = &[
    "tab tabs | space spaces",
    "single | double | backtick backticks",
    "npm | yarn | pnpm | bun",
    "pip | poetry | uv | pipenv | conda | pdm",
    "jest | vitest | mocha | jasmine | ava",
    "pytest | unittest | nose",
    "cypress | playwright | selenium | puppeteer",
    "prettier | biome | dprint",
    "black | yapf | autopep8 | ruff",
    "eslint | tslint | oxlint",
    "webpack | vite | rollup | esbuild | parcel | turbopack",
    "postgres postgresql | mysql | sqlite | mariadb | mongodb mongo | oracle | dynamodb | cassandra | mssql",
    "redis | memcached",
    "kafka | rabbitmq | sqs | nats",
    "prisma | drizzle | typeorm | sequelize | knex",
    "axum | actix actix-web | rocket | warp",
    "tokio | async-std | smol",
    "anyhow | eyre",
    "log4j | logback",
    "winston | pino | bunyan",
    "react | vue | angular | svelte | preact",
    "express | fastify | koa | hapi | nestjs",
    "flask | django | fastapi",
    "tailwind tailwindcss | bootstrap",
    "redux | zustand | mobx | recoil | jotai",
    "axios | fetch | ky",
    "httpx | aiohttp | urllib",
    "moment moment.js | dayjs | luxon | date-fns",
    "jenkins | circleci | travis | buildkite",
    "merge merging | rebase rebasing | squash",
    "camelcase camel-case | snakecase snake-case | kebabcase kebab-case | pascalcase pascal-case",
    "rest | graphql | grpc | soap",
    "json | yaml | toml | xml | ini",
    "github | gitlab | bitbucket",
    "docker | podman",
    "kubernetes k8s | nomad | swarm",
    "aws | gcp | azure",
    "lf | crlf",
    "utf-8 utf8 | utf-16 utf16 | latin-1 latin1 iso-8859-1",
    "main | master | develop | trunk",
    "local | global | remote | utc",
    "uuid uuids | ulid ulids | auto-increment autoincrement auto-incrementing",
    "jwt jwts | cookie cookies",
    "let | const | var",
    "callback callbacks | promise promises",
    "semver | calver",
    "microservice microservices | monolith monoliths monolithic",
    "maven | gradle",
    " makefile makefiles | justfile | bazel",
    "vim | emacs | vscode",
    "bash | zsh | fish | powershell",
    "unix | windows",
    "class classes | hook hooks",
    "float floats | decimal decimals",
    "offset | cursor",
    "javascript | typescript",
    "red | orange | yellow | green | blue | purple violet | brown | white | grey gray | pink | silver",
    "english | german | french | spanish | italian | portuguese | dutch | polish | russian | chinese | japanese | korean | \
     vietnamese | thai | indonesian | indian | american | british | irish | swedish | norwegian | danish | finnish | \
     greek | turkish | brazilian | mexican | canadian | australian",
    "kilometers kilometres | miles",
    "celsius | fahrenheit",
    "daily | weekly | fortnightly | monthly | quarterly | yearly annually",
];

const NUMBERS: &[(&str, u32)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("fifteen", 15),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("hundred", 100),
];

/// Lookup tables for the words that structure rules: cues, placing verbs and alternatives.
pub(super) struct Lexicon {
    cues: HashMap<&'static str, CueWord>,
    placing: HashSet<&'static str>,
    poles: HashMap<&'static str, ChoiceOption>,
    reason_kinds: Vec<ConflictReason>,
}

impl Lexicon {
    /// Returns the grammatical function of a word, or `None` for a content word.
    pub(super) fn cue(&self, word: &str) -> Option<CueWord> {
        self.cues.get(word).copied()
    }

    /// Whether a verb states where something is put, such as `store`.
    pub(super) fn is_placing(&self, word: &str) -> bool {
        self.placing.contains(word)
    }

    /// Looks up which alternative a word stands for; `None` if it neither belongs to a group of
    /// alternatives nor is a number.
    pub(super) fn pole(&self, word: &str) -> Option<ChoiceOption> {
        let word =
            &*if word.contains('_') { Cow::Owned(word.replace('_', "-")) } else { Cow::Borrowed(word) };
        if let Some(pole) = self.poles.get(word) {
            return Some(*pole);
        }
        word.parse().ok().map(|pole| ChoiceOption { choice: NUMBER, option: pole })
    }

    /// Returns how two alternatives of this group contradict each other: as antonyms or as
    /// exclusive alternatives.
    pub(super) fn reason_kind(&self, choice: u16) -> ConflictReason {
        self.reason_kinds.get(usize::from(choice)).copied().unwrap_or(ConflictReason::Exclusive)
    }

    fn new() -> Self {
        let mut lexicon = Self {
            cues: HashMap::new(),
            placing: PLACING.split_whitespace().collect(),
            poles: HashMap::new(),
            reason_kinds: Vec::new(),
        };
        for (cue, words) in CUES {
            for word in words.split_whitespace() {
                lexicon.cues.entry(word).or_insert(*cue);
            }
        }
        for (reason_kind, choices) in
            [(ConflictReason::Antonym, ANTONYMS), (ConflictReason::Exclusive, EXCLUSIVE)]
        {
            for sides in choices {
                let choice = lexicon.reason_kinds.len() as u16;
                lexicon.reason_kinds.push(reason_kind);
                for (pole, words) in (0..).zip(sides.split('|')) {
                    for word in words.split_whitespace() {
                        lexicon.poles.entry(word).or_insert(ChoiceOption { choice, option: pole });
                    }
                }
            }
        }
        for (word, pole) in NUMBERS {
            lexicon.poles.entry(word).or_insert(ChoiceOption { choice: NUMBER, option: *pole });
        }
        lexicon
    }
}

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_steers_in_two_ways() {
        let mut known = HashMap::new();
        for (cue, words) in CUES {
            for word in words.split_whitespace() {
                assert_eq!(known.insert(word, cue), None, "{word}");
            }
        }
    }
}
