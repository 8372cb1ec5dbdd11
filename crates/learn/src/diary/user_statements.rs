//! Extracts statements beyond the task from a user's messages: preferences, decisions and facts.
//!
//! It uses English sentence patterns tuned for precision over recall; a sentence without a match is
//! ignored.

use crate::content_words::content_word_count;
use crate::prose::{MessageAuthor, Sentence, pattern, sentences, without_polite_question};
use crate::statement::takes_back;

/// A sentence in which the user states a preference, decision or fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    pub kind: UtteranceKind,
    /// The sentence without filler words at its start.
    pub text: String,
    /// Whether the statement stays valid after the task, as "always" or "from now on" show.
    pub standing: bool,
}

/// What the user states in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UtteranceKind {
    /// The user wants something, or does not want it.
    Preference,
    /// The user chooses something or corrects the agent.
    Decision,
    /// The user states a fact about the project.
    Learning,
    /// The user takes back an earlier statement.
    Retraction,
}

pattern!(
    FILLER = r"(?i)^(?:(?:ok(?:ay)?|oh|ah|hm+|well|yes|yep|yeah|please|pls|plz|and|also|but|so|hey|btw|no|nope|nah|actually|sorry|again|right|alright|wait|hold on|one more thing|great|good|nice|thanks|perfect|cool)\b(?:\s*[,.!:;–—-]+\s*|\s+))+"
);
pattern!(
    CORRECTING = r"(?i)^(?:(?:ok(?:ay)?|oh|hm+|well|wait|sorry|hey)[,.!\s]+)*(?:no|nope|nah|actually|wrong|stop|hold on|wait)\b[\s,.!:;–—-]"
);

// What holds beyond the task.
pattern!(
    EVER = r"(?i)^(?:you (?:should|must|need to|have to|can) |(?:make sure|be sure|remember|try) (?:to|you|that you) |(?:and|but) )?(?:always|never|don'?t ever|do not ever)\s+(?:please )?(\w[\w'’-]*)"
);
pattern!(
    NO_VERB = r"(?i)^(?:\w+ed|\w+ing|seen|had|mind|heard|got|get|gets|been|was|were|is|are|knew|know|thought|the|a|an|when|in|on|at|said|saw|a|this|that|it|i|we|you|there|sure|on|true|false|again|before|ever|not|returns?|fails?|happens?|works?|shows?|has|does|goes|comes|equals?|same|nil|null|none|zero|empty|ready|active|visible|present|open|closed|available|lower|upper|possible|null|fun|good|nice|safe|better)$"
);
pattern!(
    HENCE = r"(?i)^(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|for (?:the|all) future|as a (?:general )?rule|as a rule of thumb|in general|generally)\b[\s,:]+(.+)$"
);
// The same at the end, where only an order is sure to be meant: "we may need it going forward" is none.
pattern!(
    HENCE_LAST = r"(?i)^(?:use|prefer|keep|take|pick|choose|call|name|write|put|go with|run|deploy|ask|answer|reply|commit|push|merge|test|check|format|log|store|add|make|avoid|stop|don'?t|do not|dont|only|let'?s|we (?:use|deploy|run|write|keep|commit|test|only))\b.+\b(?:from now on|from here on(?: out)?|going forward|in (?:the )?future)(?:[,\s]+(?:please|pls|ok(?:ay)?|thanks|thank you))?[.!]*$"
);
// The same in German, French, Spanish and Chinese.
pattern!(
    HENCE_ELSEWHERE = r"(?i)\b(?:ab (?:jetzt|sofort|heute)|von nun an|künftig|in zukunft|nie wieder|désormais|dorénavant|à partir de maintenant|plus jamais|a partir de ahora|de ahora en adelante|en adelante|nunca más)\b|从现在(?:开始|起)|从今以后|今后|^以后"
);
pattern!(
    WHEN_YOU = r"(?i)^(?:whenever|every ?time|each time|before|after|when(?:ever)?) you (?:commit|push|write|add|create|change|edit|run|make|open|finish|touch|modify|implement|fix|are done|refactor|rename|delete|release|merge)\b[^,]*,\s*(?:always|never|please|run|make|use|ask|check|don'?t|do not|first|also|update|add|write|you (?:must|should|have to))\b"
);
pattern!(
    TASTE = r"(?i)^i(?:'d|’d| would)? (?:really |much |strongly |generally |usually |personally |still |definitely )*(?:prefer|rather)\b"
);
pattern!(
    DISLIKE = r"(?i)^i (?:really |generally |personally )*(?:don'?t|do not|dont|hate|dislike|can'?t stand)\s*(?:like|love)?\s+(?:it when|when|that you|you|using|having|the way you|these kinds? of|any|seeing|comments|emoji\w*|\w+ing)\b"
);
pattern!(
    HABIT = r"(?i)^i (?:always|never|usually|generally|normally) (?:use|want|like|write|run|keep|put|name|commit|work|format|avoid|do)\b"
);
pattern!(
    LIKING =
        r"(?i)^i (?:really )?(?:like|love|want) (?:it when|when you|you to always|you to never|my|our)\b"
);
pattern!(
    CUSTOM = r"(?i)^(?:in this (?:repo|project|codebase)\w*,? )?(?:we|our team) (?:always|never|only|prefer(?: to)?|avoid|try to avoid|don'?t ever|(?:don'?t|do not|dont) (?:use|commit|write|push|import|mock|allow|put|call|log|add|do|ship|merge|squash|rebase|hardcode|inline|abbreviate))\b\s*(\w[\w'’-]*)?"
);
pattern!(
    CONVENTION = r"(?i)^(?:our|the|this|my) (?:\w+(?:'s)? )?(?:convention|style guide|policy|coding standard|guideline|house style|naming scheme|rule)s?(?: here)? (?:is|are|says?|requires?)\b"
);
pattern!(NOT_THAT = r"(?i)^(?:we|our team) use \S.*\b(?:instead of|rather than|, ?not|and not|, ?never)\b");

// What holds for the task.
pattern!(
    USE = r"(?i)^(?:(?:can|could|would) (?:you|we) )?(?:use|prefer|keep|take|pick|call it|name it|write|put|go with|choose) .*(?:\binstead\b|\brather than\b|, ?not\b|\band not\b)"
);
pattern!(
    INSTEAD = r"(?i)^instead of .{3,}?(?:,\s*| )(?:use|we should|do|it should|you should|let'?s|make|just|put|write|call|show|return|have)\b"
);
pattern!(
    PUT_RIGHT = r"(?i)^(?:use|let'?s|it should|it must|it needs|it has to|that should|this should|they should|we should|we must|we need|we want|you should|you must|you need|put|keep|make|remove|leave|call it|name it|rename|go with|only|just|i want|i meant|i said|i asked|i wanted|it'?s (?:called|named|supposed|meant)|refactor|drop|add|move|change|don'?t|do not|dont|do it|do this|write|return|show)\b"
);
pattern!(DONT = r"(?i)^(?:don'?t|do not|dont|stop|quit|avoid)\s+(\w[\w'’-]*)");
pattern!(
    DONT_VERB = r"(?i)^(?:worry|know|think|you|we|i|they|understand|see|forget|mind|get|care|have|believe|need|want|remember|like|work|seem|even|panic|bother|be|hesitate|stop|for|right|with|it|this|that|the|here|there|now|and|or|by|at)$"
);
pattern!(
    DEICTIC = r"(?i)\b(?:yet|right now|for now|now|this time|today|here|until|still|that one|this one|for (?:this|the moment)|in this (?:case|step|turn|session|pr|commit|branch)|do (?:that|this|it)|anything|any (?:files?|changes?|code)|just)\b"
);
pattern!(
    MEANT = r"(?i)^i (?:said|meant|asked (?:you )?(?:for|to)|told you) .*\b(?:not|instead|only|rather than|should|without)\b|^i want(?:ed)? .*(?:\binstead of\b|\brather than\b|, not\b)"
);
pattern!(
    OWN_AFFAIR = r"(?i)[,;]?\s+(?:but|and|so|because)\s+(?:now )?(?:i(?:'m|’m| am|'ve|’ve| have|'d| would| want| need| get| got|'m not| don'?t know)|it'?s not|can you|could you|how)\b.*$"
);
pattern!(
    NOT_WANTED = r"(?i)^(?:i|we) (?:really )?(?:don'?t|do not|dont) (?:want|need) (?:to |you to |any |the |a |an |this |that )"
);
pattern!(
    CHOICE = r"(?i)^(?:i (?:think|guess|say|suggest|propose)(?: that)? )?(?:let'?s|let us|we(?:'ll| will| should|'d better)|i(?:'ll| will|'d say)) (?:(?:definitely|just|then|rather|instead|go ahead and|continue|also) )*(?:go with|go for|use|using|stick (?:with|to)|keep|switch (?:to|back to)|move (?:to|away from)|stay with|drop|avoid|settle (?:on|for)|not|never|default to|standardi[sz]e on|store|treat|leave|require|support|disallow|forbid|defer|postpone|skip)\b"
);
pattern!(
    POINTING = r"(?i)\b(?:use|keep|leave|drop|store|treat|skip|defer|postpone|with|for|to) (?:it|this|that|them|these|those)\b"
);
pattern!(
    CHOSEN = r"(?i)^(?:i|we)(?:'ve| have)? (?:decided|chose|chosen|settled|agreed|opted)\s+(?:to|on|that|for|against|not)\b"
);
pattern!(GO_WITH = r"(?i)^(?:go|going|stick|stay) with (?:the )?\S+");

// What is so.
pattern!(
    SPECIFIC = r"(?i)^(?:don'?t|do not|dont|stop|quit|avoid)\s+\w+\s+(?:(?:the|this|that|it|these|those|my|your|him|her|them)\b|\w+\s+(?:the|this|these|those|my|your)\b)"
);
pattern!(
    NOTE = r"(?i)^(?:fyi|for the record|for context|heads[ -]up)\b[,:]?\s+(?:that\s+)?(\w+)|^(?:note|remember|keep in mind|bear in mind)(?:\s+(?:also|that))+\s+(\w+)"
);
pattern!(
    TURNS_OUT = r"(?i)^(?:it )?turns out\b|^turned out\b|^(?:the )?(?:root cause|real (?:reason|problem|issue)|actual (?:reason|problem|issue|bug)|reason)\b.*\b(?:is|was)\b"
);
pattern!(
    FACT = r"(?i)^(?:we|this (?:repo|repository|project|codebase|app|service|package|library|crate)|our (?:\w+ ){0,2}\w+) (?:use|uses|run|runs|deploys?(?: to| with| from)|stores? |targets?|supports? only|only supports?|requires?|ships? (?:with|to|as)|lives? in|is deployed|are deployed|is hosted|are hosted|is built|is written|are written|are built|is generated|are generated|depends on) \S+"
);
pattern!(
    STATE = r"(?i)\b(?:fail\w*|broken|error\w*|crash\w*|wrong|slow|bug\w*|too (?:much|many)|incorrect\w*|not work\w*|weird\w*|stuck|hang\w*)\b"
);
pattern!(ASIDE = r"(?i)\b(?:i think|i guess|maybe|perhaps|not sure|wonder|probably)\b");

/// Returns the statements in a user's message, in order. `corrects` is whether the agent has
/// already acted, so that the message can be a correction.
///
/// ```
/// use cm_learn::diary::{UtteranceKind, utterances};
/// let classified = utterances("No, use `pnpm` instead of npm. Is it slow?", true);
/// assert_eq!((classified.len(), classified[0].kind), (1, UtteranceKind::Decision));
/// assert_eq!(classified[0].text, "use `pnpm` instead of npm.");
/// ```
pub fn utterances(message: &str, corrects: bool) -> Vec<Utterance> {
    let message = message.trim_start();
    let message = match message.strip_prefix('/') {
        // Aider's modes take a prompt; any other word after a slash is a command of the agent's program.
        Some(rest) => match ["ask ", "code ", "architect "].iter().find_map(|mode| rest.strip_prefix(mode)) {
            Some(prompt) => prompt,
            None => return Vec::new(),
        },
        None => message,
    };
    let all = sentences(message, MessageAuthor::Person);
    let many = all.len() > MAX_MESSAGE_SENTENCES;
    // In a long message, what is forbidden is forbidden for its task.
    let general = corrects && all.len() <= MAX_GENERAL_RULE_SENTENCES;
    let own = all.iter().enumerate().filter(|(at, sentence)| {
        let edge = *at < 2 || at + 1 == all.len();
        !many || (edge && !sentence.listed)
    });
    let classified =
        own.filter_map(|(_, sentence)| Some((sentence, utterance_of(sentence, corrects, general)?)));
    // What is listed is what the task asks for, unless it says that it is to hold always.
    classified
        .filter(|(sentence, utterance)| !sentence.listed || utterance.standing)
        .map(|(_, utterance)| utterance)
        .collect()
}

/// Number of sentences above which a message counts as a written task or pasted text. Of such a
/// message, only the first two sentences and the last one are used.
const MAX_MESSAGE_SENTENCES: usize = 8;
/// Maximum number of sentences in a message whose "don't" may be meant as a general rule.
const MAX_GENERAL_RULE_SENTENCES: usize = 3;

fn utterance_of(sentence: &Sentence, corrects: bool, general: bool) -> Option<Utterance> {
    let whole = &*without_polite_question(&sentence.text);
    if takes_back(whole) {
        return Some(Utterance { kind: UtteranceKind::Retraction, text: whole.to_owned(), standing: false });
    }
    let words = whole.split_whitespace().count();
    let quoted = whole.starts_with(['"', '“', '\'', '«']) || whole.matches('"').count() % 2 == 1;
    let unfinished = whole.ends_with([':', '?', '…']) || whole.ends_with("...");
    if quoted || unfinished || !(3..=60).contains(&words) {
        return None;
    }
    let filler = FILLER.find(whole).map_or(0, |found| found.end());
    let body = &whole[filler..];
    let (kind, standing) = utterance_kind(whole, body, corrects, general)?;
    let contrast = ["instead of", "rather than", ", not "].iter().any(|words| body.contains(words));
    let least = if standing || contrast || DONT.is_match(body) { 2 } else { 3 };
    // "I've decided on x, but I'm not sure how": what they chose, without their trouble with it.
    let text = OWN_AFFAIR.find(body).map_or(body, |affair| &body[..affair.start()]);
    (content_word_count(text) >= least).then(|| Utterance { kind, text: text.to_owned(), standing })
}

fn utterance_kind(whole: &str, body: &str, corrects: bool, general: bool) -> Option<(UtteranceKind, bool)> {
    if is_standing(body) {
        return Some((UtteranceKind::Preference, true));
    }
    let verb = |pattern: &regex::Regex| {
        pattern.captures(body).and_then(|captures| captures.get(1)).map(|verb| verb.as_str().to_lowercase())
    };
    if let Some(verb) = verb(&DONT) {
        let forbids = !DONT_VERB.is_match(&verb);
        let general = general && !DEICTIC.is_match(body) && !SPECIFIC.is_match(body);
        return forbids
            .then_some((if general { UtteranceKind::Preference } else { UtteranceKind::Decision }, false));
    }
    if corrects && CORRECTING.is_match(whole) && PUT_RIGHT.is_match(body) && !STATE.is_match(body) {
        return Some((UtteranceKind::Decision, false));
    }
    let chosen = [&USE, &INSTEAD, &MEANT, &NOT_WANTED, &CHOICE, &CHOSEN, &GO_WITH];
    let pending = ["keep in mind", "bear in mind", "keep an eye", "keep track", "make sure"]
        .iter()
        .any(|words| body.to_lowercase().contains(words));
    let points = POINTING.is_match(body) && content_word_count(body) < 4;
    if !pending && !points && chosen.iter().any(|pattern| pattern.is_match(body)) {
        return Some((UtteranceKind::Decision, false));
    }
    let so = NOTE.is_match(body) || TURNS_OUT.is_match(body) || FACT.is_match(body) && !STATE.is_match(body);
    (so && !ASIDE.is_match(body)).then_some((UtteranceKind::Learning, false))
}

/// Whether a sentence says that it is to hold always: "never …", "from now on …", "whenever you …".
pub(crate) fn is_standing(body: &str) -> bool {
    let verb = |pattern: &regex::Regex, text: &str| {
        let captures = pattern.captures(text)?;
        Some(
            captures
                .get(1)
                .is_none_or(|verb| !NO_VERB.is_match(verb.as_str()) && !third_person(verb.as_str())),
        )
    };
    let hence = HENCE.captures(body).and_then(|captures| captures.get(1)).map(|rest| rest.as_str());
    verb(&EVER, body) == Some(true)
        || hence.is_some_and(|rest| imperative(rest) || verb(&EVER, rest) == Some(true))
        || (verb(&CUSTOM, body) == Some(true) && !STATE.is_match(body))
        || [&HENCE_LAST, &HENCE_ELSEWHERE, &WHEN_YOU, &DISLIKE, &HABIT, &LIKING, &CONVENTION, &NOT_THAT]
            .iter()
            .any(|p| p.is_match(body))
        || (TASTE.is_match(body) && content_word_count(body) >= 3)
}

/// Returns `true` if a verb ends like the third person singular, as in "always returns".
fn third_person(word: &str) -> bool {
    let word = word.to_lowercase();
    word.ends_with('s') && !word.ends_with("ss") && word.len() > 3
}

/// Returns `true` if a clause may be an imperative: it does not start with a subject.
fn imperative(clause: &str) -> bool {
    let first = clause.split_whitespace().next().unwrap_or("").to_lowercase();
    let subject = [
        "i", "it", "this", "that", "the", "a", "an", "there", "they", "he", "she", "we'll", "these", "those",
    ];
    !subject.contains(&first.as_str()) && !third_person(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(message: &str) -> Vec<(UtteranceKind, bool)> {
        utterances(message, true).into_iter().map(|utterance| (utterance.kind, utterance.standing)).collect()
    }

    #[track_caller]
    fn each(messages: &[&str], expected: Option<(UtteranceKind, bool)>) {
        for message in messages {
            let expected: Vec<_> = expected.into_iter().collect();
            assert_eq!(kinds(message), expected, "{message}");
        }
    }

    #[test]
    fn what_is_to_hold_always_is_a_standing_preference() {
        each(
            &[
                "Always run the linter before you commit.",
                "never commit directly to main",
                "please never use force push on shared branches",
                "You should always ask before deleting files",
                "From now on, use British spelling in docs.",
                "Going forward please add a changelog entry",
                "use pnpm instead of npm from now on!",
                "from now on use pnpm, never npm, got it?",
                "deploy with ansible from now on, please",
                "Whenever you commit, run the formatter first.",
                "I prefer small commits with one subject each",
                "I'd rather have explicit types than inference",
                "I don't like comments that repeat the code",
                "I always use tabs in Makefiles",
                "we never mock the database in tests",
                "We don't use default exports in this repo.",
                "We use pnpm here, not npm.",
                "Our naming convention is snake_case for tables",
            ],
            Some((UtteranceKind::Preference, true)),
        );
    }

    #[test]
    fn what_only_sounds_like_a_standing_preference_is_none() {
        each(
            &[
                "Always returns nil when the list is empty",
                "it never worked on windows",
                "Never seen this error before in production",
                "The function always returns true here",
                "I never got the email from the server",
                "always the same error message appears",
                "Should we always run the linter?",
                "\"always use tabs\" is what their docs say",
                "in general it fails on the second run",
                "in the future the API returns more fields",
                "it runs every night from now on",
                "everything is checked in the future",
                "never had that problem with sqlite",
                "we never get there in the loop",
                "I prefer this one",
                "make the button always visible on mobile",
            ],
            None,
        );
    }

    #[test]
    fn what_is_put_right_or_chosen_is_a_decision() {
        each(
            &[
                "No, use the worktree path for the session id",
                "no, it should be the worktree based on HEAD",
                "Actually, let's continue using bash for the script",
                "use true/false instead of on/off for the flag",
                "Instead of \"Strategy initialized\" we should print the strategy name",
                "let's use python instead of bash",
                "Let's go with the event sourcing design",
                "we decided to drop support for Node 16",
                "I don't want to change the public API",
                "don't commit the generated files yet",
                "no let's refactor the warning too as outlined in the spec",
                "I've decided to use bcrypt for the passwords, but I'm not sure how to do it",
            ],
            Some((UtteranceKind::Decision, false)),
        );
    }

    #[test]
    fn a_choice_is_reported_without_the_trouble_that_came_of_it() {
        let classified =
            utterances("I've decided to use bcrypt for the passwords, but I'm not sure how to do it", true);
        assert_eq!(classified[0].text, "I've decided to use bcrypt for the passwords");
    }

    #[test]
    fn what_only_sounds_like_a_decision_is_none() {
        each(
            &[
                "no errors during this session and all tests passed",
                "let's go with #4 and #5",
                "let's do it",
                "go with option 2",
                "No prompt context is shown to the user",
                "don't you think that is too slow?",
                "don't worry about the failing lint job",
                "I don't know why the build fails on arm",
                "let's see what happens with the parser",
                "can you use the other parser instead?",
                "no, then it's good",
                "Instead of lines 235-236:",
                "use the parser",
                "let's leave this for a future exercise",
                "I want to check users before they join, but I'm not sure how",
                "I'll keep an eye on network overhead",
                "we should keep in mind that the user might use stash",
                "stop for a second, the tests are still running",
            ],
            None,
        );
        assert_eq!(
            utterances("No, it should be the worktree based on HEAD", false),
            [],
            "nothing was done before"
        );
    }

    #[test]
    fn what_is_forbidden_in_general_is_a_preference_and_for_the_moment_a_decision() {
        each(
            &["don't add comments that explain obvious code", "stop adding emojis to commit messages"],
            Some((UtteranceKind::Preference, false)),
        );
        each(
            &[
                "don't push the branch for now",
                "don't change anything, just let me know",
                "stop stripping the leading slash from posix paths",
            ],
            Some((UtteranceKind::Decision, false)),
        );
    }

    #[test]
    fn a_task_that_is_written_out_is_not_taken_for_asides() {
        let task = "Build the page.\n".to_owned() + &"- Do not modify Python modules in any case\n".repeat(9);
        assert_eq!(kinds(&task), []);
        assert_eq!(
            kinds("Build it:\n- don't use external fonts anywhere\n- always escape user input").len(),
            1
        );
    }

    #[test]
    fn what_is_so_is_a_learning() {
        each(
            &[
                "FYI the staging database is reset every night",
                "note that the API key is read from vault",
                "remember that we have two tenants per region",
                "turns out the proxy strips the trailing slash",
                "this project targets Python 3.9 and newer",
                "our CI runs on self-hosted arm runners",
                "we deploy with nomad from the release branch",
            ],
            Some((UtteranceKind::Learning, false)),
        );
        each(
            &[
                "remember to update the docs afterwards",
                "note any team conventions in the docs",
                "this project uses a broken parser",
                "note the difference:",
                "our tests are failing on main",
                "I think this project uses redis for caching",
            ],
            None,
        );
    }

    #[test]
    fn what_is_taken_back_is_reported() {
        each(&["Actually, never mind.", "scratch that"], Some((UtteranceKind::Retraction, false)));
    }

    #[test]
    fn commands_of_the_agents_program_say_nothing_and_their_prompts_do() {
        assert_eq!(kinds("/add always use tabs in files"), []);
        assert_eq!(kinds("/ask never use eval in templates").len(), 1);
    }
}
