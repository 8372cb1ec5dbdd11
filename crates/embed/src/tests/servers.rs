//! Tests of the requests sent to servers and of the parsing of valid responses.

use super::*;
use crate::Embedder as _;

fn texts() -> Vec<String> {
    (0..120).map(|number| format!("text {number}")).collect()
}

#[test]
fn texts_go_out_by_fifties_and_their_vectors_come_back_in_order() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (one, two) = (
        Server::start(|_, request| Reply::json(&embeddings(request))),
        Server::start(|_, request| Reply::json(&data(request))),
    );
    let (ollama, openai) = (ollama(&one), openai(&two));
    for (server, vectors) in [(&one, ollama.embed(&texts)), (&two, openai.embed(&texts))] {
        let vectors = vectors.unwrap();
        assert_eq!(vectors.len(), 120);
        for (text, vector) in texts.iter().zip(vectors) {
            let [x, y] = vector_of(text);
            assert!((f64::from(vector.parts()[0]) - x).abs() < 1e-6, "{text}");
            assert!((f64::from(vector.parts()[1]) - y).abs() < 1e-6, "{text}");
        }
        let batches: Vec<_> = server.requests().iter().map(|request| inputs(request).len()).collect();
        assert_eq!(batches, [50, 50, 20]);
    }
    assert_eq!((ollama.batch(), openai.batch()), (50, 50));
    assert_eq!(ollama.embed(&[]).unwrap(), []);
}

#[test]
fn each_server_is_asked_in_its_own_words() {
    let one = Server::start(|_, request| Reply::json(&embeddings(request)));
    ollama(&one).embed(&["text 1", " "]).unwrap();
    let request = one.requests().remove(0);
    assert_eq!(request.line, "POST /api/embed HTTP/1.1");
    // Servers refuse an empty text.
    assert_eq!(request.body, json!({ "model": "all-minilm", "input": ["text 1", "."] }));
    let two = Server::start(|_, request| Reply::json(&data(request)));
    openai(&two).embed_query("text 1").unwrap();
    let request = two.requests().remove(0);
    assert_eq!(request.line, "POST /embeddings HTTP/1.1");
    let expected =
        json!({ "model": "text-embedding-3-small", "input": ["text 1"], "encoding_format": "float" });
    assert_eq!(request.body, expected);
    let lower: Vec<_> = request.headers.iter().map(|header| header.to_lowercase()).collect();
    assert!(lower.contains(&format!("authorization: bearer {KEY}")), "{lower:?}");
    assert!(lower.contains(&"content-type: application/json".to_owned()), "{lower:?}");
}

#[test]
fn a_question_and_a_passage_get_the_words_that_the_model_wants() {
    let server = Server::start(|_, request| Reply::json(&embeddings(request)));
    let times = Timeouts { usual: LONG, first: LONG, pause: PAUSE };
    let ollama =
        Ollama::new(&ServerUrl::parse(&server.url()).unwrap(), "nomic-embed-text:latest", times, None);
    ollama.embed(&["a 1"]).unwrap();
    ollama.embed_query("b 2").unwrap();
    let inputs: Vec<_> = server.requests().iter().flat_map(inputs).collect();
    assert_eq!(inputs, ["search_document: a 1", "search_query: b 2"]);
}

#[test]
fn a_text_is_sent_no_longer_than_every_model_takes() {
    let server = Server::start(|_, request| Reply::json(&data(request)));
    openai(&server).embed(&[&"é".repeat(9000)]).unwrap();
    assert_eq!(inputs(&server.requests()[0])[0].len(), 8000);
}

#[test]
fn servers_that_number_nothing_answer_in_order() {
    let server = Server::start(|_, request| {
        let vectors: Vec<_> =
            inputs(request).iter().map(|text| json!({ "embedding": vector_of(text) })).collect();
        Reply::json(&json!({ "data": vectors }))
    });
    let vectors = openai(&server).embed(&["text 1", "text 90"]).unwrap();
    assert!(vectors[0].parts()[0] > vectors[1].parts()[0]);
}
