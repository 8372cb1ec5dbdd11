//! A small HTTP server whose answers are scripted, the wrong ones among them, and what it makes of good requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use super::*;
use crate::embed::Embedder as _;

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Request {
    pub line: String,
    pub headers: Vec<String>,
    pub body: Value,
    pub at: Instant,
}

impl Request {
    /// The texts that are to be embedded.
    pub fn inputs(&self) -> Vec<String> {
        let inputs = self.body["input"].as_array().expect("the request has an input");
        inputs.iter().map(|text| text.as_str().expect("texts").to_owned()).collect()
    }

    pub fn has_key(&self) -> bool {
        self.headers.iter().any(|header| header.contains(KEY))
    }
}

/// What the server does once it has read a request.
pub enum Reply {
    /// Answers with this status, these headers and this body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Answers with these bytes.
    #[cfg(feature = "onnx")]
    File(Vec<u8>),
    /// Says that the body is longer than what it then sends.
    Cut(String),
    /// Sends a body without an end.
    Endless,
    /// Closes the connection without a word.
    Close,
    /// Keeps the connection open without a word.
    Silence,
    /// Answers, and is gone for good.
    Last(String),
}

impl Reply {
    pub fn json(body: &Value) -> Self {
        Self::Answer(200, Vec::new(), body.to_string())
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.to_owned())
    }
}

pub struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that answers the nth request, from 0, as the script says.
    pub fn start(script: impl Fn(usize, &Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let over = Arc::new(AtomicBool::new(false));
        let (kept, end) = (Arc::clone(&requests), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let count = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(request.clone());
                    kept.len() - 1
                };
                match script(count, &request) {
                    Reply::Answer(status, headers, body) => {
                        answer(&mut stream, status, &headers, body.as_bytes())
                    }
                    #[cfg(feature = "onnx")]
                    Reply::File(bytes) => answer(&mut stream, 200, &[], &bytes),
                    Reply::Cut(body) => {
                        let length = body.len() + 100;
                        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
                    }
                    Reply::Endless => {
                        let _ =
                            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n[");
                        while stream.write_all(&[b' '; 65536]).is_ok() {}
                    }
                    Reply::Close => {}
                    Reply::Silence => silent.push(stream),
                    Reply::Last(body) => return answer(&mut stream, 200, &[], body.as_bytes()),
                }
            }
        });
        Self { port, requests, over, thread: Some(thread) }
    }

    /// A server of the files of a folder below this path.
    #[cfg(feature = "onnx")]
    pub fn serving(below: &'static str, folder: &std::path::Path) -> Self {
        let folder = folder.to_owned();
        Self::start(move |_, request| {
            let path = request.line.split(' ').nth(1).and_then(|path| path.strip_prefix(below));
            match path.and_then(|path| std::fs::read(folder.join(path)).ok()) {
                Some(bytes) => Reply::File(bytes),
                None => Reply::status(404, ""),
            }
        })
    }

    pub fn address(&self) -> Address {
        Address::parse(&format!("http://127.0.0.1:{}", self.port)).unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().expect("it is joined once").join();
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Request { line: lines.remove(0), headers: lines, body, at: Instant::now() })
}

fn answer(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], body: &[u8]) {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}

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
        let batches: Vec<_> = server.requests().iter().map(|request| request.inputs().len()).collect();
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
    let times = Times { usual: LONG, first: LONG, pause: PAUSE };
    let ollama = Ollama::new(&server.address(), "nomic-embed-text:latest", times, None);
    ollama.embed(&["a 1"]).unwrap();
    ollama.embed_query("b 2").unwrap();
    let inputs: Vec<_> = server.requests().iter().flat_map(Request::inputs).collect();
    assert_eq!(inputs, ["search_document: a 1", "search_query: b 2"]);
}

#[test]
fn a_text_is_sent_no_longer_than_every_model_takes() {
    let server = Server::start(|_, request| Reply::json(&data(request)));
    openai(&server).embed(&[&"é".repeat(9000)]).unwrap();
    assert_eq!(server.requests()[0].inputs()[0].len(), 8000);
}

#[test]
fn servers_that_number_nothing_answer_in_order() {
    let server = Server::start(|_, request| {
        let vectors: Vec<_> =
            request.inputs().iter().map(|text| json!({ "embedding": vector_of(text) })).collect();
        Reply::json(&json!({ "data": vectors }))
    });
    let vectors = openai(&server).embed(&["text 1", "text 90"]).unwrap();
    assert!(vectors[0].parts()[0] > vectors[1].parts()[0]);
}
