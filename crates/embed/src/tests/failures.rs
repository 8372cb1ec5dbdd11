//! Tests with servers that are slow, busy, unreachable or faulty.

use super::*;
use crate::Embedder;

const SHORT: Duration = Duration::from_millis(100);

fn hasty(server: &Server) -> OpenAi {
    OpenAi::new(&ServerUrl::parse(&server.url()).unwrap(), "m", ApiKey::of(KEY), (SHORT, PAUSE), None)
}

/// Returns the error message and hint of a failed request, with the port masked.
fn shown(server: &Server, result: Result<impl Sized, Error>) -> String {
    let error = result.err().expect("it fails");
    let hint = error.hint().map(|hint| format!("\n hint: {hint}")).unwrap_or_default();
    let (shown, debug) = (format!("{error}{hint}"), format!("{error:?}"));
    assert!(!shown.contains(KEY) && !debug.contains(KEY), "{shown} {debug}");
    shown.replace(&server.url(), "http://127.0.0.1:PORT")
}

#[test]
fn a_silent_server_is_given_up_after_the_time_out() {
    let server = Server::start(|_, _| Reply::Silence);
    let text = shown(&server, hasty(&server).embed_query("a"));
    insta::assert_snapshot!(text, @"
    cannot connect to http://127.0.0.1:PORT/embeddings: no answer within 100ms
     hint: start the server or correct `embeddings.url`; search works without it in the meantime
    ");
    assert_eq!(server.requests().len(), 1, "who waited once does not wait thrice");
}

#[test]
fn the_first_passages_of_ollama_have_the_time_of_a_pull_and_nothing_else_has() {
    let times = Timeouts { usual: SHORT, first: LONG, pause: PAUSE };
    let slow = |count: usize, request: &ReceivedRequest| {
        if count == 0 {
            std::thread::sleep(SHORT * 5);
        }
        if count == 0 { Reply::json(&embeddings(request)) } else { Reply::Silence }
    };
    let server = Server::start(slow);
    let ollama = Ollama::new(&ServerUrl::parse(&server.url()).unwrap(), "m", times, None);
    ollama.embed(&["text 1"]).unwrap();
    assert!(shown(&server, ollama.embed(&["text 2"])).contains("no answer within 100ms"));
    let server = Server::start(slow);
    let ollama = Ollama::new(&ServerUrl::parse(&server.url()).unwrap(), "m", times, None);
    assert!(shown(&server, ollama.embed_query("text 1")).contains("no answer within 100ms"));
}

#[test]
fn a_busy_server_is_asked_again_and_answers() {
    for status in [429, 500, 503] {
        let server = Server::start(move |count, request| match count {
            0 | 1 => Reply::status(status, r#"{"error":"busy"}"#),
            _ => Reply::json(&data(request)),
        });
        openai(&server).embed(&["text 1"]).unwrap();
        assert_eq!(server.requests().len(), 3, "{status}");
    }
}

#[test]
fn a_server_that_stays_busy_is_given_up_after_two_repetitions() {
    let server = Server::start(|_, _| Reply::status(503, r#"{"error":{"message":"model is loading"}}"#));
    let text = shown(&server, openai(&server).embed_query("a"));
    insta::assert_snapshot!(text, @"http://127.0.0.1:PORT/embeddings returned status 503: model is loading");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_server_that_asks_for_a_wait_gets_it() {
    let server = Server::start(|count, request| match count {
        0 => Reply::Answer(429, vec![("Retry-After", "1".to_owned())], Vec::new()),
        _ => Reply::json(&data(request)),
    });
    openai(&server).embed(&["text 1"]).unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));
}

#[test]
fn a_refusal_is_final_and_says_why_without_the_key() {
    let server = Server::start(|_, _| {
        Reply::status(401, &format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#))
    });
    let text = shown(&server, openai(&server).embed_query("a"));
    insta::assert_snapshot!(text, @"
    http://127.0.0.1:PORT/embeddings returned status 401: Incorrect API key provided: ….
     hint: check `embeddings.key`
    ");
    assert_eq!(server.requests().len(), 1);
    let server = Server::start(|_, _| {
        Reply::status(404, r#"{"error":"model \"all-minilm\" not found, try pulling it first"}"#)
    });
    let text = shown(&server, ollama(&server).embed_query("a"));
    insta::assert_snapshot!(text, @r#"
    http://127.0.0.1:PORT/api/embed returned status 404: model "all-minilm" not found, try pulling it first
     hint: ollama pull all-minilm
    "#);
}

#[test]
fn a_key_that_no_header_takes_is_not_sent_and_not_shown() {
    let server = Server::start(|_, _| Reply::Close);
    let key = ApiKey::of(&format!("{KEY}\n{KEY}"));
    let model = OpenAi::new(&ServerUrl::parse(&server.url()).unwrap(), "m", key, (LONG, PAUSE), None);
    let text = shown(&server, model.embed_query("a"));
    insta::assert_snapshot!(text, @"
    cannot send a request to http://127.0.0.1:PORT/embeddings: the key contains characters that cannot be sent
     hint: run `cm config set embeddings.key KEY --private`, or set CM_EMBEDDINGS_KEY
    ");
    assert!(server.requests().is_empty());
}

#[test]
fn vectors_of_two_sizes_are_never_taken_for_those_of_one_model() {
    // Within an answer, between two, and against the size that the caller knows.
    let server = Server::start(|_, _| Reply::json(&json!({ "embeddings": [[1, 2], [1, 2, 3]] })));
    let text = shown(&server, ollama(&server).embed(&["a", "b"]));
    insta::assert_snapshot!(text, @"
    `ollama/all-minilm` returned a vector with 3 dimensions; expected 2
     hint: another model answers under this name: set its name in `embeddings.model`, then run `cm embed rebuild`
    ");
    let server = Server::start(|count, _| {
        Reply::json(&json!({ "embeddings": [if count == 0 { vec![1, 2] } else { vec![1, 2, 3] }] }))
    });
    let model = ollama(&server);
    model.embed(&["a"]).unwrap();
    assert!(matches!(model.embed_query("a"), Err(Error::Dimension { expected: 2, found: 3, .. })));
    let times = Timeouts { usual: LONG, first: LONG, pause: PAUSE };
    let model = Ollama::new(&ServerUrl::parse(&server.url()).unwrap(), "m", times, Some(384));
    assert!(matches!(model.embed_query("a"), Err(Error::Dimension { expected: 384, found: 3, .. })));
}

#[test]
fn answers_that_are_none_are_told_apart_and_not_asked_for_again() {
    let vector = "[0.5,0.5]";
    let malformed = |body: &str, texts: &[&str]| {
        let body = body.to_owned();
        let server = Server::start(move |_, _| Reply::status(200, &body));
        let text = shown(&server, openai(&server).embed(texts));
        assert_eq!(server.requests().len(), 1);
        let text = text.lines().next().unwrap_or_default().to_owned();
        text.strip_prefix("http://127.0.0.1:PORT/embeddings returned an invalid response: ")
            .expect(&text)
            .to_owned()
    };
    let one = |index, embedding: &str| format!(r#"{{"index":{index},"embedding":{embedding}}}"#);
    let data = |vectors: &[String]| format!(r#"{{"data":[{}]}}"#, vectors.join(","));
    let two = [one(0, vector), one(1, vector)];
    insta::assert_snapshot!(malformed(&data(&two), &["a"]), @"2 vectors for 1 texts");
    insta::assert_snapshot!(malformed(&data(&two[..1]), &["a", "b"]), @"1 vectors for 2 texts");
    let twice = [one(0, vector), one(0, vector)];
    insta::assert_snapshot!(malformed(&data(&twice), &["a", "b"]), @"vectors with an invalid `index`");
    insta::assert_snapshot!(malformed(&data(&two)[..40], &["a", "b"]), @"EOF while parsing a list at line 1 column 40");
    insta::assert_snapshot!(malformed(&data(&[one(0, "[1e39]")]), &["a"]), @"number out of range at line 1 column 37");
    insta::assert_snapshot!(malformed(&data(&[one(0, "[1e999]")]), &["a"]), @"number out of range at line 1 column 38");
    insta::assert_snapshot!(malformed(&data(&[one(0, "[]")]), &["a"]), @"a vector that is empty or contains a non-finite number");
    insta::assert_snapshot!(malformed(&data(&[one(0, "[null]")]), &["a"]), @"invalid type: null, expected f32 at line 1 column 37");
    insta::assert_snapshot!(malformed(r#"{"error":{"message":"no provider is free"}}"#, &["a"]), @"no provider is free");
    insta::assert_snapshot!(malformed("<html>", &["a"]), @"expected value at line 1 column 1");
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let server = Server::start(|count, request| match count {
        0 => Reply::Cut(data(request).to_string()[..20].to_owned()),
        1 => Reply::Close,
        _ => Reply::json(&data(request)),
    });
    openai(&server).embed(&["text 1"]).unwrap();
    assert_eq!(server.requests().len(), 3);
    let server = Server::start(|_, request| Reply::Cut(data(request).to_string()));
    let text = shown(&server, openai(&server).embed_query("a"));
    insta::assert_snapshot!(text, @"
    cannot connect to http://127.0.0.1:PORT/embeddings: the connection was interrupted
     hint: start the server or correct `embeddings.url`; search works without it in the meantime
    ");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_server_that_goes_between_two_batches_is_out_of_reach() {
    let server = Server::start(|_, request| Reply::Last(embeddings(request).to_string()));
    let texts: Vec<&str> = std::iter::repeat_n("text 1", 60).collect();
    let text = shown(&server, ollama(&server).embed(&texts));
    insta::assert_snapshot!(text, @"
    cannot connect to http://127.0.0.1:PORT/api/embed: connection refused
     hint: start the server or correct `embeddings.url`; search works without it in the meantime
    ");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_answer_without_an_end_is_cut_short() {
    let server = Server::start(|_, _| Reply::Endless);
    let text = shown(&server, openai(&server).embed_query("a"));
    insta::assert_snapshot!(text, @"
    http://127.0.0.1:PORT/embeddings returned an invalid response: more than 32 MiB
     hint: check that `embeddings.url` is the address of an embedding server
    ");
}

#[test]
fn a_redirect_is_not_followed_so_the_key_goes_nowhere_else() {
    let other = Server::start(|_, request| Reply::json(&data(request)));
    for status in [301, 302, 307, 308] {
        let target = other.url();
        let server = Server::start(move |_, _| {
            Reply::Answer(status, vec![("Location", format!("{target}/embeddings"))], Vec::new())
        });
        let text = shown(&server, openai(&server).embed_query("a"));
        let text = text.replace(&other.url(), "http://127.0.0.1:OTHER");
        let expected = format!(
            "http://127.0.0.1:PORT/embeddings returned status {status}: it redirects to \
             http://127.0.0.1:OTHER/embeddings, and redirects are not followed"
        );
        assert_eq!(text, expected);
        assert!(server.requests()[0].header("authorization").is_some_and(|value| value.contains(KEY)));
    }
    assert!(other.requests().is_empty());
}

#[test]
fn a_host_that_there_is_none_of_is_out_of_reach() {
    let nowhere = ServerUrl::parse("http://nowhere.invalid/v1").unwrap();
    let model = OpenAi::new(&nowhere, "m", None, (LONG, PAUSE), None);
    let error = model.embed_query("a").unwrap_err();
    assert!(matches!(error, Error::OutOfReach { .. }), "{error}");
}
