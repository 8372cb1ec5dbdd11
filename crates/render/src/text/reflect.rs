//! Text output of `cm reflect`.

use super::style::{BAD, DIM, GOOD, ID, WARN, count, one_line, paint, safe, safe_lines};
use cm_app::verbs::reflect::work_package::WorkPackages;
use cm_app::verbs::reflect::{LearnedChange, ReflectResult, RunOutcome, SessionReflection};

/// Results by session, then how the run ended and why.
pub fn reflected(outcome: &ReflectResult) -> String {
    let mut text: String =
        outcome.worked.iter().map(|session_result| session(session_result, outcome.dry_run)).collect();
    for note in &outcome.native.notes {
        let verb = if outcome.dry_run { "would take" } else { "taken over" };
        text += &format!("{verb}  {}\n", safe(&note.path));
    }
    let run = &outcome.run;
    let colour = match run.ending {
        RunOutcome::Changed => GOOD,
        RunOutcome::NothingToDo | RunOutcome::NothingLearned => DIM,
        RunOutcome::PartlyFailed => WARN,
        RunOutcome::Failed => BAD,
    };
    let dry = if outcome.dry_run { " (dry run: nothing is written)" } else { "" };
    let model = outcome.model.as_ref().map(|model| format!(", with {}", safe(model))).unwrap_or_default();
    let ending = match (outcome.interrupted, run.ending) {
        (true, RunOutcome::NothingToDo) => "stopped".to_owned(),
        (true, ending) => format!("stopped; {}", ending.name()),
        (false, RunOutcome::Changed) if outcome.dry_run => "would change".to_owned(),
        (false, ending) => ending.name().to_owned(),
    };
    text += &format!("{}{dry}", paint(colour, &ending));
    if run.sessions > 0 {
        text += &format!(
            ": {}{model}, {}, {} proposed, {} applied, {} refused",
            count(run.sessions, "session"),
            count(run.diaries, "diary"),
            run.proposed,
            run.applied,
            run.refused
        );
        let unchanged = run.proposed.saturating_sub(run.applied + run.refused);
        if unchanged > 0 {
            text += &format!(", {unchanged} already in the vault");
        }
    }
    text.push('\n');
    for reason in &run.reasons {
        text += &format!("  {}\n", safe(reason));
    }
    let all = outcome.worked.iter().flat_map(|session_result| &session_result.learned);
    let waiting = all.filter(|one| one.draft || one.unverified).count();
    if waiting > 0 && !outcome.dry_run {
        text += &format!("{}\n", paint(DIM, &format!("{waiting} to accept or reject: `cm review`")));
    }
    text
}

fn session(worked: &SessionReflection, dry_run: bool) -> String {
    let done = &worked.done;
    let short: String = done.session.chars().take(8).collect();
    let mut text = format!(
        "{}  {}  {}  {}\n",
        paint(ID, &safe(&short)),
        done.agent,
        worked.status.name(),
        one_line(&worked.title)
    );
    if let Some(failure) = &done.failure {
        text += &format!("    {} {}\n", paint(BAD, "failed:"), safe(failure));
        return text;
    }
    match &worked.path {
        Some(path) if done.diary => {
            let verb = if dry_run { "would write" } else { "diary" };
            text += &format!("    {:<10}  {}\n", verb, safe(path));
        }
        Some(path) => {
            text +=
                &format!("    {}\n", paint(DIM, &format!("{:<10}  {} is up to date", "diary", safe(path))))
        }
        None => text += &format!("    {}\n", paint(DIM, "nothing worth a diary")),
    }
    worked.learned.iter().for_each(|one| text += &learned(one));
    text
}

fn learned(one: &LearnedChange) -> String {
    let state = match (one.draft, one.unverified) {
        (true, _) => " (draft)",
        (_, true) => " (unverified)",
        _ => "",
    };
    let line = one.line.map(|line| format!("  line {line}")).unwrap_or_default();
    format!(
        "    {}  {}{state}{}\n",
        paint(GOOD, &format!("{:<10}", one.what)),
        safe(&one.text),
        paint(DIM, &line)
    )
}

/// The prompts of the work packages.
pub fn work_packages(outcome: &WorkPackages) -> String {
    let texts: Vec<String> = outcome.packages.iter().map(|package| safe_lines(&package.prompt)).collect();
    texts.join("\n")
}
