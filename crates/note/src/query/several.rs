//! Whether a question is about several occasions: it counts, lists or orders them.
//!
//! English, German, Spanish, French and Chinese. It does not find out what is counted.

/// Phrases of questions that count.
const COUNTING: [&str; 18] = [
    "how many",
    "how often",
    "how much total",
    "number of times",
    "in total",
    "altogether",
    "wie viele",
    "wieviele",
    "wie oft",
    "insgesamt",
    "cuántos",
    "cuántas",
    "cuantos",
    "cuantas",
    "combien de",
    "au total",
    "多少",
    "总共",
];
/// Phrases of questions that order.
const ORDERING: [&str; 25] = [
    "what order",
    "which order",
    "the order",
    "in order how",
    "came first",
    "come first",
    "happened first",
    "did first",
    "chronolog",
    "timeline",
    "welcher reihenfolge",
    "kam zuerst",
    "was zuerst",
    "zuerst passiert",
    "chronologisch",
    "qué orden",
    "que orden",
    "pasó primero",
    "fue primero",
    "quel ordre",
    "en premier",
    "l'ordre",
    "先后",
    "顺序",
    "最先",
];
/// Phrases of questions for a list.
const LISTING: [&str; 14] = [
    "list all",
    "list of all",
    "all the different",
    "everything i",
    "liste aller",
    "alle auf",
    "enumera",
    "lista de todos",
    "liste de tous",
    "toutes les fois",
    "哪些",
    "几次",
    "几个",
    "列出",
];
/// Beginnings of a question for things of one kind, and the words after them that say that they were
/// done or had: "which museums have we visited".
const KINDS: [(&[&str], &[&str]); 4] = [
    (&["which", "what"], &["have i", "have we", "has he", "has she", "have they", "did i all"]),
    (&["welche"], &["habe ich", "haben wir", "hat sie", "hat er", "haben sie"]),
    (&["qué", "que", "cuáles", "cuales"], &["he ", "hemos ", "ha "]),
    (&["quels", "quelles"], &["ai-je", "avons-nous", "j'ai", "a-t-il", "a-t-elle", "nous avons"]),
];
/// Units of a duration: "how many days between" asks for two occasions at most.
const DURATIONS: [&str; 28] = [
    "day", "days", "week", "weeks", "month", "months", "year", "years", "hours", "minutes", "tage", "wochen",
    "monate", "jahre", "stunden", "minuten", "días", "semanas", "meses", "años", "horas", "minutos", "jours",
    "semaines", "mois", "ans", "heures", "天",
];

/// Whether a question counts, lists or orders occasions, so that its answer is in several sessions.
///
/// ```
/// use cm_note::query::several::asks_for_several;
/// assert!(asks_for_several("How many doctors did I see?"));
/// assert!(!asks_for_several("How many days passed between the two calls?"));
/// assert!(!asks_for_several("Who is my doctor?"));
/// ```
pub fn asks_for_several(question: &str) -> bool {
    let question = question.to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| question.contains(phrase));
    has(&ORDERING)
        || has(&LISTING)
        || is_kind(&question)
        || COUNTING.iter().any(|phrase| counts(&question, phrase))
}

/// Whether the question counts something other than a duration with this phrase.
fn counts(question: &str, phrase: &str) -> bool {
    question.split_once(phrase).is_some_and(|(_, rest)| {
        let next = rest.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
        !DURATIONS.iter().any(|unit| next == *unit || *unit == "天" && next.starts_with(unit))
    })
}

fn is_kind(question: &str) -> bool {
    let words: Vec<&str> = question.split(|c: char| !c.is_alphabetic() && c != '-' && c != '\'').collect();
    KINDS.iter().any(|(beginnings, verbs)| {
        let begins = words.iter().take(2).any(|word| beginnings.contains(word));
        begins && verbs.iter().any(|verb| question.contains(&format!(" {verb}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_count_list_or_order_are_recognised_in_five_languages() {
        for question in [
            "How many doctors did I see?",
            "How often did the build fail in March?",
            "How many different user roles did I mention across my sessions?",
            "Can you list the order in which I brought up the topics?",
            "What came first, the outage or the release?",
            "Which frameworks have I tried?",
            "What museums have we visited so far?",
            "Wie viele Ärzte habe ich besucht?",
            "Wie oft ist der Server ausgefallen?",
            "In welcher Reihenfolge haben wir das besprochen?",
            "Welche Bibliotheken haben wir ausprobiert?",
            "¿Cuántos médicos he visto?",
            "¿En qué orden lo hicimos?",
            "¿Qué bibliotecas hemos probado?",
            "Combien de médecins ai-je consultés ?",
            "Dans quel ordre avons-nous essayé ?",
            "Quelles bibliothèques avons-nous essayées ?",
            "我看过多少医生？",
            "我们试过哪些框架？",
            "这些事情的先后顺序是什么？",
        ] {
            assert!(asks_for_several(question), "{question}");
        }
    }

    #[test]
    fn questions_for_one_thing_or_a_duration_are_not() {
        for question in [
            "Who is my doctor?",
            "What have you recommended?",
            "Which port does the server use?",
            "How many days passed between the two calls?",
            "How much memory does it need?",
            "Place an order of pizza",
            "Wie viele Tage dauert das?",
            "Welcher Port ist offen?",
            "¿Cuántos días faltan?",
            "Combien de jours reste-t-il ?",
            "多少天？",
            "",
        ] {
            assert!(!asks_for_several(question), "{question}");
        }
    }
}
