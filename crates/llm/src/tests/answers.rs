//! Structured answers: valid ones, invalid ones that are repaired, and ones that stay invalid.

use serde::Deserialize;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    title: String,
    stars: u8,
}

const GOOD: &str = r#"{"title":"a","stars":3}"#;

fn check(note: &Note) -> std::result::Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    if note.title.is_empty() {
        wrong.push("`title` is empty".to_owned());
    }
    if note.stars > 5 {
        wrong.push(format!("`stars` is {}, and at most 5", note.stars));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Returns the result of these answers in sequence, with the requests.
fn asked(
    answers: &[&str],
) -> (std::result::Result<StructuredAnswer<Note>, StructuredAnswerError>, Vec<ModelRequest>) {
    let script = ScriptedModel::of(answers.iter().copied());
    (request_structured(&script, &request(), check), script.requests())
}

#[test]
fn a_good_answer_is_taken_at_once() {
    for answer in [GOOD, "Sure!\n```json\n{\"title\":\"a\",\"stars\":3}\n```\nAnything else?"] {
        let (answered, asked) = asked(&[answer]);
        let answered = answered.unwrap();
        assert_eq!(answered.value, Note { title: "a".to_owned(), stars: 3 });
        assert_eq!(
            (answered.invalid_answers, asked.len(), answered.model.as_str()),
            (Vec::new(), 1, "script")
        );
        assert!(answered.usage.is_estimated && answered.usage.input > 0);
    }
}

#[test]
fn a_bad_answer_is_shown_to_the_model_with_its_faults_and_put_right() {
    let (answered, asked) = asked(&[r#"{"title":"","stars":9}"#, GOOD]);
    let answered = answered.unwrap();
    assert_eq!(answered.value.stars, 3);
    assert_eq!(answered.invalid_answers[0].faults, ["`title` is empty", "`stars` is 9, and at most 5"]);
    insta::assert_snapshot!(asked[1].turns().iter().map(|turn| format!("{}: {}", turn.role, turn.text)).collect::<Vec<_>>().join("\n---\n"), @r#"
    user: Sum up: a
    ---
    assistant: {"title":"","stars":9}
    ---
    user: Your answer is not usable:
    - `title` is empty
    - `stars` is 9, and at most 5
    Answer the question above again, completely, with these problems fixed. Answer with one JSON object of this shape, and nothing else:
    {"title": string, "stars": integer}
    "#);
    assert_eq!(asked[1].schema, asked[0].schema);
}

#[test]
fn each_kind_of_bad_answer_is_told() {
    for bad in [
        "",
        "I cannot say.",
        r#"{"title":"a""#,
        r#"{"title":1,"stars":3}"#,
        r#"{"title":"a","stars":3,"x":1}"#,
    ] {
        let (answered, _) = asked(&[bad, GOOD]);
        assert_eq!(answered.unwrap().invalid_answers[0].text, bad);
    }
    let told = |first: &str, second: &str| {
        let (answered, asked) = asked(&[first, second, GOOD]);
        assert_eq!(asked.len(), 2, "it is asked once more, and not twice");
        let unanswered = answered.unwrap_err();
        assert_eq!(unanswered.attempts.len(), 2);
        unanswered.to_string()
    };
    insta::assert_snapshot!(told("", "No."), @"the model's answer is not usable: the answer is empty; its second answer is not usable either: it contains no JSON object (expected value)");
    insta::assert_snapshot!(told(r#"{"title":"a","stars":"#, r#"{"title":"a"}"#), @"the model's answer is not usable: line 1, column 21: `stars`: the JSON is incomplete (EOF while parsing a value); its second answer is not usable either: line 1, column 13: missing field `stars`");
    insta::assert_snapshot!(told("{\n \"title\": \"a\",\n \"stars\": \"3\"\n}", r#"{"title":"","stars":6}"#), @r#"the model's answer is not usable: line 3, column 13: `stars`: invalid type: string "3", expected u8; its second answer is not usable either: `title` is empty; `stars` is 6, and at most 5"#);
}

#[test]
fn an_answer_that_is_cut_off_is_asked_for_shorter() {
    let script = ScriptedModel::parse(
        "{\"answer\":\"{\\\"title\\\":\\\"aaaa\",\"cut\":true}\n{\"answer\":{\"title\":\"a\",\"stars\":1}}",
    );
    let script = script.unwrap();
    let answered = request_structured(&script, &request(), check).unwrap();
    insta::assert_snapshot!(answered.invalid_answers[0].faults.join("\n"), @"
    it was cut off at 300 tokens; use a shorter answer
    line 1, column 14: `title`: the JSON is incomplete (EOF while parsing a string)
    ");
    let script = ScriptedModel::parse("{\"answer\":\"\",\"cut\":true,\"again\":true}").unwrap();
    let unanswered = request_structured(&script, &request(), check).unwrap_err();
    insta::assert_snapshot!(format!("{unanswered}\n hint: {}", unanswered.hint().unwrap()), @"
    the model's answer is not usable: it was cut off at 300 tokens; use a shorter answer; it contains no JSON; its second answer is not usable either: it was cut off at 300 tokens; use a shorter answer; it contains no JSON
     hint: raise `llm.max_tokens`; reasoning counts too
    ");
    // One that is whole all the same is good.
    let script = ScriptedModel::parse(&format!("{{\"answer\":{GOOD},\"cut\":true}}")).unwrap();
    assert!(request_structured(&script, &request(), check).unwrap().invalid_answers.is_empty());
}

#[test]
fn a_model_that_declines_is_not_urged() {
    let script =
        ScriptedModel::parse("{\"declined\":\"I won't.\",\"tokens\":[7,2]}\n{\"answer\":\"x\"}").unwrap();
    let unanswered = request_structured(&script, &request(), check).unwrap_err();
    assert_eq!(unanswered.to_string(), "the model's answer is not usable: the model declined: I won't.");
    assert_eq!(unanswered.usage, TokenUsage { input: 7, output: 2, is_estimated: false });
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn a_model_that_is_gone_is_told_with_what_it_said_before() {
    let (none, _) = asked(&[]);
    insta::assert_snapshot!(none.unwrap_err(), @"the answer script has no answer left for this question");
    let (once, _) = asked(&["{}"]);
    let once = once.unwrap_err();
    insta::assert_snapshot!(once, @"the model's answer is not usable (line 1, column 2: missing field `title`), and its second answer failed: the answer script has no answer left for this question");
    assert!(once.usage.input > 0 && once.attempts.len() == 1);
}

#[test]
fn a_huge_bad_answer_is_not_sent_back_whole() {
    let huge = format!("{{\"title\":\"{}\"}}", "é".repeat(1 << 20));
    let (answered, asked) = asked(&[&huge, GOOD]);
    assert_eq!(answered.unwrap().invalid_answers[0].text.len(), huge.len());
    assert!(asked[1].as_text().len() < 25_000);
}

#[test]
fn a_repair_goes_through_a_real_server_too() {
    let server = Server::start(|nth, _| Said::json(&chat(if nth == 0 { "{\"stars\": 1}" } else { GOOD })));
    let (model, _) = model(ModelProvider::Compatible, &server);
    let answered: StructuredAnswer<Note> = request_structured(&model, &request(), check).unwrap();
    assert_eq!(answered.usage, TokenUsage { input: 80, output: 18, is_estimated: false });
    let told = server.requests()[1].body["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(told.contains("missing field `title`"), "{told}");
}
