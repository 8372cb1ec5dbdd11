//! Recognizes that a person points to what the agent overlooked, and what the agent then says of it.

use super::command::reduce;
use super::explanation::MAX_EXPLANATION_CHARS;
use super::remark::statements;
use super::trace::TracedKind;
use crate::content_words::content_word_count;
use crate::prose::{capitalized, pattern};

/// Minimum number of content words of a sentence that says how things are done here.
const MIN_HINT_WORDS: usize = 5;
/// Maximum number of words of a prompt that points to a file or asks where something comes from; a longer one is a task.
const MAX_POINTING_WORDS: usize = 20;
/// Maximum number of words of a prompt that says what the person did to the agent's work.
const MAX_REDONE_WORDS: usize = 25;

pattern!(
    HINT = r"(?ix)\b(?:have\ you\ (?:seen|looked\ at) | (?:look|see|check)\ (?:at\ )?(?:how\ (?:the|it['’]?s|others|we)|the\ (?:neighbou?rs?|others?|rest)|its\ neighbou?rs?|what\ the\ others)
        | (?:like|as)\ (?:all\ )?the\ (?:others|rest) | the\ (?:others|rest|other\ \w+)\ (?:all\ )?(?:do|are\ done|look|work|go)\ (?:it\ )?(?:this\ way|that\ way|alike|the\ same|so) | next\ time
        | (?:wie|so\ machen\ es)\ (?:alle\ |auch\ )*(?:die\ )?ander(?:e|en)(?:\ auch)? | die\ anderen\ \w+\ (?:\w+\ )?(?:alle\ |auch\ )*so
        | l[ao]s\ (?:demás|otr[ao]s)(?:\ \w+){0,3}\ (?:igual|así) | igual\ que\ (?:es[ao]s|est[ao]s|l[ao]s\ (?:demás|otr[ao]s)) | como\ l[ao]s\ (?:demás|otr[ao]s)
        | comme\ (?:tous\ |toutes\ )?les\ autres | les\ autres(?:\ \w+){0,3}\ (?:pareil|ainsi|comme\ ça)
        | (?:schau|guck|sieh)\w*\ (?:dir\ (?:mal\ )?an,?\ |mal,?\ |doch\ )?wie\ (?:die|das|es) | nächstes\ mal | beim\ nächsten\ mal
        | mira\ c[óo]mo\ (?:est[áa]n?|lo|se) | f[ií]jate | la\ próxima
        | jeter\ un\ (?:œil|oeil|coup\ d) | wirf\ (?:mal\ )?einen\ blick | regarde\ comment\ (?:c['’]est|les|on|font) | la\ prochaine\ fois | pour\ (?:le|la)\ prochaine?)\b"
);
// "mira dags/vigo.py", "peek at StorageQuota, same file".
pattern!(
    POINTS_AT_FILE = r"(?x)^(?:[^\s/.]+[.,!?…]*\s+){0,3}?(?i:peek|look|check|open|see|mira|abre|schau\w*|guck\w*|sieh|öffne|regarde|ouvre)\s+
        (?:(?i:at|into|in|mal|noch|again|en|dans|otra|vez)\s+){0,2}(?:`|[^\s/.]*[/.]\w|[A-Z][a-z]+[A-Z])"
);
// "where do the port names come from": the agent made up what the project has already.
pattern!(
    ASKS_ORIGIN = r"(?ix)\bwhere\s+do(?:es)?\s+(?:\S+\s+){1,4}(?:come|get\s+(?:\S+\s+){1,3}?)\s*from\b
      | \bwoher\s+(?:kommen|kommt|hat|haben|nimmt|nehmen)\b | \bde\s+d[óo]nde\s+(?:salen?|vienen?|sacan?)\b | \bd['’]où\s+(?:viennent|vient|sortent)\b"
);
// "binned it, sorry", "I rewrote your test over lunch": the agent may see there what it should have done.
pattern!(
    REDID = r"(?ix)\b(?:
        i\s+(?:\w+\s+)?(?:re(?:wrote|did|named|verted|placed|moved)|undid|changed|threw|deleted|dropped|touched|fixed|moved)\b | i['’]ve\s+(?:\w+\s+)?(?:rewritten|redone|renamed|reverted|replaced|removed|undone|changed|thrown|deleted|dropped|touched|moved)\b
      | (?:binned|scrapped|reverted|undid|threw)\s+(?:it|that|yours|them)
      | (?:ich\s+)?hab['’e]?\s+(?:\S+\s+){1,4}?(?:umbenannt|umgeschrieben|neu\s+geschrieben|weggeworfen|gelöscht|geändert|zurückgesetzt|verworfen|rausgeworfen|verschoben)
      | (?:l[oae]s?|te|te\s+l[oae]s?)\s+he\s+(?:quitado|reescrito|borrado|cambiado|tirado|deshecho|tocado|movido|rehecho)
      | je\s+l['’]ai\s+(?:ré[ée]crite?|supprimée?|changée?|jetée?|annulée?|refaite?|déplacée?) | j['’]ai\s+(?:tout\s+)?(?:remis|repris|renommé|ré[ée]crit|supprimé|changé|jeté|annulé|refait|déplacé)
      )\b"
);
// "with `it()` and not as a class", "not axios but useApi".
pattern!(
    CONTRASTS = r"(?ix)(?:,\s*|\b)(?:not\s+(?:\S+\s+){0,3}?but | and\s+not | instead\s+of | rather\s+than | in\s+place\s+of | nicht\b.+\bsondern | statt | anstelle | und\s+nicht
      | no\b.+\bsino | en\s+(?:lugar|vez)\s+de | y\s+no | au\s+lieu | et\s+non | plutôt\s+que)\b | ,\s*(?:not|nicht|kein\w*|no|pas)\s"
);
// "open src/app.ts and add a route" is a task.
pattern!(
    ORDERS = r"(?i)\b(?:and|then|und|dann|y|luego|et|puis)\s+(?:add|fix|change|write|make|remove|delete|rename|update|implement|move|run|füge?|ändere?|schreib|lösch\w*|añade|cambia|arregla|borra|ajoute|change|corrige)\b"
);
pattern!(
    TAKEN = r"(?i)^(?:(?:ah|oh|i see|understood|got it|right|noted|you['’]re right|entendido|ya veo|anotado|verstanden|ich sehe|notiert|stimmt|compris|je vois|noté)\b[\s:,.;!–—-]*)+"
);
// A report of what is done by now.
pattern!(
    REPORTS = r"(?i)\b(?:now|jetzt|nun|ahora|maintenant|enough|is done|are done)\b|^(?:\d|angepasst|geändert|korrigiert|fixed|changed|moved|renamed|updated|cambiado|corregido|movido|corrigé|déplacé|renommé)"
);
pattern!(
    POINTS = r"(?i)^(?:that one|that|this|it|they|das|dies|es|eso|esto|ése?|ça|cela|celui-là|ils?|elles?)\b"
);

/// Whether a message points to what the agent overlooked in the project.
pub(super) fn is_hint(prompt: &str) -> bool {
    points_out(prompt) || is_redone(prompt)
}

fn points_out(prompt: &str) -> bool {
    let is_short = || prompt.split_whitespace().count() <= MAX_POINTING_WORDS;
    let points =
        || (POINTS_AT_FILE.is_match(prompt) || ASKS_ORIGIN.is_match(prompt)) && !ORDERS.is_match(prompt);
    !prompt.contains("://") && (HINT.is_match(prompt) || is_short() && points())
}

/// Whether the person says that they changed or threw away what the agent did.
fn is_redone(prompt: &str) -> bool {
    prompt.split_whitespace().count() <= MAX_REDONE_WORDS && REDID.is_match(prompt)
}

/// Whether a command that a person ran changes files: it may move or take back what the agent did.
pub(super) fn hint_of_command(line: &str) -> bool {
    reduce(line, None).changes
}

/// Returns what the agent says, right after a hint, about how things are done here.
pub(super) fn taken_hint(text: &str, hint: &str, answer: Option<String>) -> Option<TracedKind> {
    let taken = TAKEN.find(text).map_or(0, |found| found.end());
    let stated = statements(&text[taken..]).next()?;
    // Where only a change of the person hints, the agent has to say that it understood, or what is done instead.
    if taken == 0 && !points_out(hint) && !(is_redone(hint) && CONTRASTS.is_match(&stated)) {
        return None;
    }
    let is_convention = |text: &String| content_word_count(text) >= MIN_HINT_WORDS && !REPORTS.is_match(text);
    // "From a seed, dbt/seeds/ports.csv." says too little without the question.
    let stated = match ASKS_ORIGIN.find(hint) {
        Some(question) => format!("{}? {stated}", &hint[question.range()]),
        None => stated,
    };
    let stated = Some(stated).filter(is_convention)?;
    let place = place_in(hint).filter(|_| POINTS.is_match(&stated));
    let stated = place.map_or_else(|| capitalized(&stated), |place| format!("{place}: {stated}"));
    (stated.chars().count() <= MAX_EXPLANATION_CHARS).then_some(TracedKind::TookHint { text: stated, answer })
}

/// Returns the first path in the project that a text names.
fn place_in(text: &str) -> Option<&str> {
    let is_mark = |c: char| "\"'`()[]{},;:!?".contains(c);
    let mut words = text.split_whitespace().map(|word| word.trim_matches(is_mark).trim_end_matches('.'));
    words.find(|word| {
        let is_path = word.matches('/').count() > 1 || word.contains(['.', '_']) && word.contains('/');
        is_path && !word.starts_with(['/', '~', '-'])
    })
}
