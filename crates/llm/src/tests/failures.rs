//! Failures of servers that are slow, busy, unreachable or broken.

use super::*;

const BOTH: [ModelProvider; 2] = [ModelProvider::OpenAi, ModelProvider::Anthropic];

/// Returns the displayed error of one request, without the port, and the number of requests.
fn shown(
    provider: ModelProvider,
    script: impl Fn(usize, &cm_test_server::ReceivedRequest) -> Said + Send + 'static,
) -> String {
    let server = Server::start(script);
    let (model, waits) = model(provider, &server);
    let error = model.complete(&request()).expect_err("it fails");
    let hint = error.hint().map(|hint| format!("\n hint: {hint}")).unwrap_or_default();
    let (shown, debug) = (format!("{error}{hint}"), format!("{error:?}"));
    assert!(!shown.contains("12345") && !debug.contains("12345"), "{shown} {debug}");
    let (asked, waited) = (server.requests().len(), waits.lock().unwrap().len());
    let shown = shown.replace(&server.url(), "http://HOST");
    format!("{shown}\n {asked} asked, {waited} waited for")
}

#[test]
fn a_refusal_is_final_and_says_why() {
    let error = |message: &str| {
        let body = json!({ "type": "error", "error": { "type": "x", "message": message } }).to_string();
        move |status: u16| {
            let body = body.clone();
            move |_: usize, _: &cm_test_server::ReceivedRequest| Said::status(status, &body)
        }
    };
    insta::assert_snapshot!(shown(BOTH[0], error("context length exceeded")(400)), @"
    http://HOST/chat/completions returned status 400: context length exceeded
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(shown(BOTH[1], error("prompt is too long")(400)), @"
    http://HOST/messages returned status 400: prompt is too long
     1 asked, 0 waited for
    ");
    let wrong_key = error(&format!("Incorrect API key provided: {KEY}."));
    insta::assert_snapshot!(shown(BOTH[0], wrong_key(401)), @"
    http://HOST/chat/completions returned status 401: Incorrect API key provided: ….
     hint: check `llm.key`
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(shown(BOTH[1], wrong_key(403)), @"
    http://HOST/messages returned status 403: Incorrect API key provided: ….
     hint: check `llm.key`
     1 asked, 0 waited for
    ");
    let no_model = error("model 'small' not found");
    insta::assert_snapshot!(shown(BOTH[0], no_model(404)), @"
    http://HOST/chat/completions returned status 404: model 'small' not found
     hint: check the model name, and that `llm.base_url` ends as the server's manual says
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(shown(BOTH[1], no_model(404)), @"
    http://HOST/messages returned status 404: model 'small' not found
     hint: check the model name in `llm.model`
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(shown(ModelProvider::Ollama, no_model(404)), @"
    http://HOST/chat/completions returned status 404: model 'small' not found
     hint: `ollama pull` downloads a model; `llm.model` sets its name
     1 asked, 0 waited for
    ");
}

#[test]
fn a_busy_server_is_asked_again_and_answers() {
    for provider in BOTH {
        for status in [429, 500, 529] {
            let server = Server::start(move |nth, _| match (nth, provider) {
                (0..2, _) => Said::status(status, r#"{"error":{"message":"Overloaded"}}"#),
                (_, ModelProvider::Anthropic) => Said::json(&message("a")),
                _ => Said::json(&chat("a")),
            });
            let (model, waits) = model(provider, &server);
            assert_eq!(model.complete(&request()).unwrap().text, "a");
            let waits: Vec<_> = waits.lock().unwrap().iter().map(Duration::as_millis).collect();
            assert!(matches!(waits[..], [500..=1000, 1000..=2000]), "{waits:?}");
        }
    }
}

#[test]
fn a_server_that_stays_busy_is_given_up() {
    let resting = |seconds: &'static str| {
        move |_: usize, _: &cm_test_server::ReceivedRequest| {
            Said::Answer(429, vec![("Retry-After", seconds.to_owned())], b"slow down".to_vec())
        }
    };
    insta::assert_snapshot!(shown(BOTH[0], resting("2")), @"
    http://HOST/chat/completions returned status 429: slow down (retry after 2 s)
     hint: the provider's rate limit is reached: try again later, or with fewer sessions at once
     4 asked, 3 waited for
    ");
    insta::assert_snapshot!(shown(BOTH[1], resting("7200")), @"
    http://HOST/messages returned status 429: slow down (retry after 7200 s)
     hint: the provider's rate limit is reached: try again later, or with fewer sessions at once
     1 asked, 0 waited for
    ");
}

#[test]
fn a_silent_server_is_given_up_after_all_tries() {
    let server = Server::start(|_, _| Said::Silence);
    let (model, _) = model(ModelProvider::Compatible, &server);
    let mut request = request();
    request.timeout = SHORT;
    let error = model.complete(&request).unwrap_err();
    assert!(matches!(&error, LlmError::TimedOut { after, .. } if *after == SHORT), "{error}");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_server_that_is_gone_is_out_of_reach_at_once() {
    let server = Server::start(|_, _| Said::Last(chat("a").to_string()));
    let (model, waits) = model(ModelProvider::Ollama, &server);
    model.complete(&request()).unwrap();
    let error = model.complete(&request()).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot connect to")
            && error.to_string().ends_with(": connection refused"),
        "{error}"
    );
    assert!(waits.lock().unwrap().is_empty());
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let server = Server::start(|nth, _| match nth {
        0 => Said::Cut(chat("a").to_string()),
        1 => Said::Close,
        _ => Said::json(&chat("a")),
    });
    let (model, _) = model(ModelProvider::Compatible, &server);
    assert_eq!(model.complete(&request()).unwrap().text, "a");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn answers_that_are_none_are_told_apart_and_not_asked_for_again() {
    let said = |provider, body: &str| {
        let body = body.to_owned();
        shown(provider, move |_, _| Said::status(200, &body))
    };
    insta::assert_snapshot!(said(BOTH[0], "<html>"), @"
    http://HOST/chat/completions returned an invalid response: expected value at line 1 column 1
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(said(BOTH[1], ""), @"
    http://HOST/messages returned an invalid response: EOF while parsing a value at line 1 column 0
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(said(BOTH[0], r#"{"choices":[]}"#), @"
    http://HOST/chat/completions returned an invalid response: a response without a choice
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(said(BOTH[0], r#"{"error":{"message":"no provider is free"}}"#), @"
    http://HOST/chat/completions returned an invalid response: no provider is free
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(said(BOTH[1], r#"{"type":"error","error":{"message":"Overloaded"}}"#), @"
    http://HOST/messages returned an invalid response: Overloaded
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
    insta::assert_snapshot!(said(BOTH[1], r#"{"content":"a"}"#), @r#"
    http://HOST/messages returned an invalid response: invalid type: string "a", expected a sequence at line 1 column 14
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    "#);
    insta::assert_snapshot!(shown(BOTH[0], |_, _| Said::Endless), @"
    http://HOST/chat/completions returned an invalid response: more than 8 MiB
     hint: check that `llm.base_url` is the address of a model server
     1 asked, 0 waited for
    ");
}

#[test]
fn a_key_that_no_header_takes_is_not_sent_and_not_shown() {
    let server = Server::start(|_, _| Said::Close);
    let (address, key) = (
        Some(ServerUrl::parse(&server.url()).unwrap()),
        ApiKey::of(&format!("{KEY}\n")).map(|_| ApiKey::of("sk-é12345")),
    );
    let remote =
        RemoteModel { provider: ModelProvider::OpenAi, model: "m".to_owned(), address, key: key.flatten() };
    let model =
        open(&ModelSelection::Remote(remote), retry_policy(3, 7), RetrySleeper::default()).unwrap().unwrap();
    let error = model.complete(&request()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("12345"), "{error:?}");
    assert!(matches!(error, LlmError::Key { .. }) && server.requests().is_empty());
}

#[test]
fn who_is_called_off_asks_nobody() {
    let server = Server::start(|_, _| Said::Close);
    let remote = RemoteModel {
        provider: ModelProvider::Ollama,
        model: "m".to_owned(),
        address: Some(ServerUrl::parse(&server.url()).unwrap()),
        key: None,
    };
    let model = open(&ModelSelection::Remote(remote), retry_policy(3, 7), RetrySleeper::until(|| true))
        .unwrap()
        .unwrap();
    assert!(matches!(model.complete(&request()), Err(LlmError::Cancelled)));
    assert!(server.requests().is_empty());
}
