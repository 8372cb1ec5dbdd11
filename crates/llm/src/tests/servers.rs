//! Requests to servers, and parsing of valid answers.

use super::*;

const NOTE: &str = r#"{"title":"a","stars":3}"#;

#[test]
fn each_server_is_asked_in_its_own_words() {
    let server = Server::start(|_, _| Said::json(&chat(NOTE)));
    let (openai, _) = model(ModelProvider::OpenAi, &server);
    let reply = openai.complete(&request()).unwrap();
    let usage = TokenUsage { input: 40, output: 9, is_estimated: false };
    let expected = ModelReply {
        text: NOTE.to_owned(),
        stop: StopReason::Done,
        usage,
        model: "small-2026-08-07".to_owned(),
    };
    assert_eq!(reply, expected);
    let asked = server.requests().remove(0);
    assert_eq!(asked.line, "POST /chat/completions HTTP/1.1");
    assert_eq!(asked.header("authorization"), Some(&*format!("Bearer {KEY}")));
    let body = json!({
        "model": "small",
        "messages": [
            { "role": "system", "content": "<!-- cm:model-call -->\nYou sum up." },
            { "role": "user", "content": "Sum up: a" },
        ],
        "max_tokens": 300,
        "response_format": { "type": "json_schema",
            "json_schema": { "name": "note", "schema": schema().value(), "strict": true } },
    });
    assert_eq!(asked.body, body);

    let server = Server::start(|_, _| Said::json(&message(NOTE)));
    let (anthropic, _) = model(ModelProvider::Anthropic, &server);
    assert_eq!(anthropic.complete(&request()).unwrap(), expected);
    let asked = server.requests().remove(0);
    assert_eq!(asked.line, "POST /messages HTTP/1.1");
    assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (Some(KEY), None));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
    let body = json!({
        "model": "small", "max_tokens": 300, "system": "<!-- cm:model-call -->\nYou sum up.",
        "messages": [{ "role": "user", "content": "Sum up: a" }],
        "output_config": { "format": { "type": "json_schema", "schema": schema().value() } },
    });
    assert_eq!(asked.body, body);
}

#[test]
fn free_text_is_asked_for_without_a_form() {
    for (provider, answer) in
        [(ModelProvider::Ollama, chat("Hello.")), (ModelProvider::Anthropic, message("Hello."))]
    {
        let server = Server::start(move |_, _| Said::json(&answer));
        let (model, _) = model(provider, &server);
        let asked = ModelRequest::new("You greet.", redacted("Hi.".to_owned()));
        assert_eq!(model.complete(&asked).unwrap().text, "Hello.");
        let body = server.requests().remove(0).body;
        assert!(body.get("response_format").is_none() && body.get("output_config").is_none(), "{body}");
    }
}

#[test]
fn a_model_that_does_not_see_its_schema_is_told_the_shape() {
    let tells = |provider| {
        let server = Server::start(|_, _| Said::json(&chat(NOTE)));
        let (model, _) = model(provider, &server);
        model.complete(&request()).unwrap();
        let body = server.requests().remove(0).body;
        assert_eq!(body["response_format"]["type"], "json_schema");
        body["messages"][0]["content"].as_str().unwrap().contains(&schema().instructions())
    };
    use ModelProvider::{Bedrock, Compatible, Google, Ollama, OpenAi};
    assert_eq!([Ollama, Compatible, Bedrock].map(tells), [true; 3]);
    assert_eq!([OpenAi, Google].map(tells), [false; 2]);
}

#[test]
fn a_conversation_is_sent_as_one() {
    for (provider, answer) in [(ModelProvider::Ollama, chat(NOTE)), (ModelProvider::Anthropic, message(NOTE))]
    {
        let server = Server::start(move |_, _| Said::json(&answer));
        let (model, _) = model(provider, &server);
        model.complete(&request().repair("{}", "That lacks all.")).unwrap();
        let body = server.requests().remove(0).body;
        let messages: Vec<_> = body["messages"].as_array().unwrap().iter().collect();
        let last = &messages[messages.len() - 3..];
        assert_eq!(last[0]["content"], "Sum up: a");
        assert_eq!(*last[1], json!({ "role": "assistant", "content": "{}" }));
        assert_eq!(*last[2], json!({ "role": "user", "content": "That lacks all." }));
    }
}

#[test]
fn a_schema_that_is_not_strict_is_not_said_to_be() {
    let server = Server::start(|_, _| Said::json(&chat("{}")));
    let (model, _) = model(ModelProvider::Compatible, &server);
    model.complete(&request().with_schema(AnswerSchema::new("any", json!({ "type": "object" })))).unwrap();
    assert_eq!(server.requests()[0].body["response_format"]["json_schema"]["strict"], false);
}

#[test]
fn odd_but_sound_answers_are_understood() {
    let reply = |provider, body: Value| {
        let server = Server::start(move |_, _| Said::Chunks(vec![body.to_string()]));
        let (model, _) = model(provider, &server);
        model.complete(&request()).unwrap()
    };
    // Parts instead of a text; nobody counted; no model named.
    let parts = json!([{ "type": "text", "text": "{\"a\"" }, { "type": "text", "text": ":1}" }]);
    let bare = json!({ "choices": [{ "message": { "content": parts } }] });
    let bare = reply(ModelProvider::Compatible, bare);
    assert_eq!(
        (bare.text.as_str(), bare.stop, bare.model.as_str()),
        ("{\"a\":1}", StopReason::Done, "small")
    );
    assert!(bare.usage.is_estimated && bare.usage.input > 0 && bare.usage.output > 0, "{:?}", bare.usage);
    let mut cut = chat("{\"a\"");
    cut["choices"][0]["finish_reason"] = json!("length");
    assert_eq!(reply(ModelProvider::Compatible, cut).stop, StopReason::Length);
    let mut declined = chat("");
    declined["choices"][0]["message"] = json!({ "content": null, "refusal": "I can't\nhelp." });
    let declined = reply(ModelProvider::OpenAi, declined);
    assert_eq!(
        (declined.text.as_str(), declined.stop),
        ("", StopReason::Refused("I can't help.".to_owned()))
    );
    let mut filtered = chat("{");
    filtered["choices"][0]["finish_reason"] = json!("content_filter");
    assert!(matches!(reply(ModelProvider::OpenAi, filtered).stop, StopReason::Refused(_)));
    for (why, stop) in
        [("max_tokens", StopReason::Length), ("refusal", StopReason::Refused("No.".to_owned()))]
    {
        let mut other = message("No.");
        other["stop_reason"] = json!(why);
        assert_eq!(reply(ModelProvider::Anthropic, other).stop, stop);
    }
}

/// Creates a server that accepts only these forms and rejects others; it reports the requested
/// forms.
fn taking(forms: &'static [&'static str], refusal: &'static str) -> Server {
    Server::start(move |_, request| {
        if forms.contains(&&*form(request)) { Said::json(&chat(NOTE)) } else { Said::status(400, refusal) }
    })
}

fn form(request: &cm_test_server::ReceivedRequest) -> String {
    request.body["response_format"]["type"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn a_server_that_refuses_a_form_is_asked_in_a_plainer_one_and_remembered() {
    let refusal = r#"{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}"#;
    for (taken, forms) in [
        (&["json_object"][..], &["json_schema", "json_object", "json_object"][..]),
        (&["none"][..], &["json_schema", "json_object", "none", "none"][..]),
    ] {
        let server = taking(taken, refusal);
        let (model, waits) = model(ModelProvider::Compatible, &server);
        for _ in 0..2 {
            assert_eq!(model.complete(&request()).unwrap().text, NOTE);
        }
        let requests = server.requests();
        assert_eq!(requests.iter().map(form).collect::<Vec<_>>(), forms);
        assert!(waits.lock().unwrap().is_empty());
        // Who takes no schema is told it in words, and the marker is there all the same.
        let system = requests[forms.len() - 1].body["messages"][0]["content"].as_str().unwrap().to_owned();
        assert!(system.starts_with(MARKER) && system.contains(&schema().instructions()), "{system}");
    }
}

#[test]
fn a_server_that_refuses_every_form_is_told_by_its_last_words() {
    let server = taking(&[], r#"{"error":"no response_format here"}"#);
    let (model, _) = model(ModelProvider::Compatible, &server);
    let error = model.complete(&request()).unwrap_err().to_string();
    assert!(error.ends_with("returned status 400: no response_format here"), "{error}");
    let forms: Vec<_> = server.requests().iter().map(form).collect();
    assert_eq!(forms, ["json_schema", "json_object", "none"]);
}

#[test]
fn anthropic_is_asked_by_the_prompt_alone_where_it_takes_no_schema() {
    let server = Server::start(|_, request| match request.body.get("output_config") {
        Some(_) => Said::status(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}"#,
        ),
        None => Said::json(&message(NOTE)),
    });
    let (model, _) = model(ModelProvider::Anthropic, &server);
    for _ in 0..2 {
        assert_eq!(model.complete(&request()).unwrap().text, NOTE);
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[2].body["system"].as_str().unwrap().contains("one JSON object of this shape"));
}

#[test]
fn a_server_that_knows_another_word_for_brevity_is_asked_with_it() {
    let said = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#;
    let server = Server::start(move |_, request| match request.body.get("max_tokens") {
        Some(_) => Said::status(400, said),
        None => Said::json(&chat(NOTE)),
    });
    let (model, _) = model(ModelProvider::Compatible, &server);
    for _ in 0..2 {
        assert_eq!(model.complete(&request()).unwrap().text, NOTE);
    }
    let requests = server.requests();
    assert_eq!((requests.len(), &requests[2].body["max_completion_tokens"]), (3, &json!(300)));
    assert_eq!(form(&requests[2]), "json_schema");
}
