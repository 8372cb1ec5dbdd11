//! Load test of a team server: many clients search while some write. Afterwards it checks that
//! every acknowledged note exists.
//!
//!     load ADDRESS --tokens FILE [--readers 64] [--writers 4] [--seconds 60] [--pid PID]
//!          [--statements FILE] [--kept FILE] [--end-after S]
//!     load ADDRESS --tokens FILE --verify FILE
//!
//! ADDRESS is the address of `cm serve`, such as 127.0.0.1:7700. The token file has one token per
//! line. Clients share them in order, writers first; each token is rate-limited, so provide one per
//! client. Writers store the lines of `--statements` in turn, each with a unique word; without that
//! file, words that no other note has. `--kept` writes the acknowledged notes to a file; `--verify`
//! checks that they exist.
//! `--end-after` sends SIGTERM to the process PID during the run; later connection errors do not
//! count.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "an example is an edge"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

type Failed<T> = Result<T, String>;

/// Parameters of the run.
struct Plan {
    address: String,
    tokens: Vec<String>,
    readers: usize,
    writers: usize,
    seconds: u64,
    pid: Option<u32>,
    statements: Vec<String>,
    kept: Option<String>,
    verify: Option<String>,
    end_after: Option<u64>,
}

/// Measurements of the run.
#[derive(Default)]
struct Tally {
    reads: Mutex<Vec<u32>>,
    writes: Mutex<Vec<u32>>,
    kept: Mutex<Vec<String>>,
    errors: Mutex<Vec<String>>,
    ending: AtomicBool,
    sequence: AtomicU64,
    statements: AtomicU64,
}

/// A persistent connection with a token.
struct Client<'a> {
    plan: &'a Plan,
    token: &'a str,
    stream: Option<BufReader<TcpStream>>,
}

impl Client<'_> {
    fn ask(&mut self, method: &str, target: &str, body: &str) -> Failed<(u16, String)> {
        let answer = self.try_ask(method, target, body);
        if answer.is_err() {
            self.stream = None;
        }
        answer.map_err(|error| error.to_string())
    }

    fn try_ask(&mut self, method: &str, target: &str, body: &str) -> std::io::Result<(u16, String)> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.plan.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(Duration::from_secs(60)))?;
                BufReader::new(stream)
            }
        };
        let stream = self.stream.insert(stream);
        let request = format!(
            "{method} {target} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.plan.address,
            self.token,
            body.len()
        );
        stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let lower = line.trim_end().to_ascii_lowercase();
            if lower.is_empty() {
                break;
            } else if let Some(rest) = lower.strip_prefix("http/1.1 ") {
                status = rest.split(' ').next().and_then(|status| status.parse().ok()).unwrap_or(0);
            } else if let Some(value) = lower.strip_prefix("content-length: ") {
                length = value.parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }
}

fn plan() -> Failed<Plan> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("name the server's address")?;
    let mut plan = Plan {
        address,
        tokens: vec![String::new()],
        readers: 64,
        writers: 4,
        seconds: 60,
        pid: None,
        statements: Vec::new(),
        kept: None,
        verify: None,
        end_after: None,
    };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} takes a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{flag} takes a number"));
        match flag.as_str() {
            "--tokens" => plan.tokens = read(&value)?.lines().map(str::to_owned).collect(),
            "--readers" => plan.readers = number()? as usize,
            "--writers" => plan.writers = number()? as usize,
            "--seconds" => plan.seconds = number()?,
            "--pid" => plan.pid = Some(number()? as u32),
            "--statements" => plan.statements = read(&value)?.lines().map(str::to_owned).collect(),
            "--kept" => plan.kept = Some(value),
            "--verify" => plan.verify = Some(value),
            "--end-after" => plan.end_after = Some(number()?),
            _ => return Err(format!("{flag} is no flag")),
        }
    }
    Ok(plan)
}

fn read(path: &str) -> Failed<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// Returns the resident memory of the server process in KiB.
fn resident(pid: Option<u32>) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid?)).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

fn client(plan: &Plan, tally: &Tally, place: usize, end: Instant) {
    let token = &plan.tokens[place % plan.tokens.len()];
    let mut client = Client { plan, token, stream: None };
    let writes = place < plan.writers;
    let mut times = Vec::new();
    let words = ["pool", "retry", "timeout", "cache", "lock", "index"];
    while Instant::now() < end {
        let number = tally.sequence.fetch_add(1, Ordering::Relaxed);
        let note = format!("load{}x{place}x{number}", std::process::id());
        let began = Instant::now();
        let answer = if writes {
            let content = format!("{} {note}", statement(plan, tally, &note));
            client.ask("POST", "/observations", &serde_json::json!({ "content": content }).to_string())
        } else {
            let word = words[number as usize % words.len()];
            client.ask("GET", &format!("/search?q={word}&limit=5"), "")
        };
        let took = began.elapsed().as_micros().min(u128::from(u32::MAX)) as u32;
        match answer {
            Ok((200, _)) if !writes => times.push(took),
            Ok((201, _)) if writes => {
                times.push(took);
                lock(&tally.kept).push(note);
            }
            _ if tally.ending.load(Ordering::Relaxed) => break,
            other => lock(&tally.errors).push(format!("{other:?}")),
        }
    }
    lock(if writes { &tally.writes } else { &tally.reads }).extend(times);
}

/// Returns the next of the given statements, or words like no other if none were given.
fn statement(plan: &Plan, tally: &Tally, note: &str) -> String {
    if plan.statements.is_empty() {
        return unlike(note);
    }
    let number = tally.statements.fetch_add(1, Ordering::Relaxed) as usize;
    plan.statements[number % plan.statements.len()].clone()
}

/// Returns words that no other note contains. Similar text would be credited to the existing note
/// and not stored.
fn unlike(note: &str) -> String {
    let digits = blake3::hash(note.as_bytes()).to_hex();
    let words = digits.as_bytes().chunks(8).map(|word| format!("w{}", String::from_utf8_lossy(word)));
    words.collect::<Vec<_>>().join(" ")
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn told(name: &str, mut times: Vec<u32>, seconds: f64) {
    times.sort_unstable();
    let at = |share: f64| {
        let place = (times.len() as f64 * share) as usize;
        times.get(place.min(times.len().saturating_sub(1))).map_or(0.0, |micros| f64::from(*micros) / 1e3)
    };
    println!(
        "{name}: {} ({:.0}/s), median {:.1} ms, p95 {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
        times.len(),
        times.len() as f64 / seconds,
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
}

fn load(plan: &Plan) -> Failed<()> {
    let tally = Tally::default();
    let began = Instant::now();
    let end = began + Duration::from_secs(plan.seconds);
    let mut memory = Vec::new();
    std::thread::scope(|scope| {
        for place in 0..plan.readers + plan.writers {
            let tally = &tally;
            scope.spawn(move || client(plan, tally, place, end));
        }
        while Instant::now() < end && !tally.ending.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(500));
            memory.extend(resident(plan.pid));
            if plan.end_after.is_some_and(|after| began.elapsed().as_secs() >= after) {
                tally.ending.store(true, Ordering::Relaxed);
                let pid = plan.pid.unwrap_or(0).to_string();
                let ended = std::process::Command::new("kill").args(["-TERM", &pid]).status();
                println!("told process {pid} to end: {ended:?}");
            }
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let acknowledged = lock(&tally.kept).clone();
    told("searches", std::mem::take(&mut *lock(&tally.reads)), seconds);
    told("writes", std::mem::take(&mut *lock(&tally.writes)), seconds);
    if !memory.is_empty() {
        let at = |quarter: usize| memory[(memory.len() - 1) * quarter / 4];
        println!("memory in KiB at each quarter: {:?}", [0, 1, 2, 3, 4].map(at));
    }
    if let Some(path) = &plan.kept {
        let text: String = acknowledged.iter().map(|note| format!("{note}\n")).collect();
        std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
    }
    let errors = lock(&tally.errors);
    println!("acknowledged: {}, errors: {}", acknowledged.len(), errors.len());
    if errors.is_empty() { Ok(()) } else { Err(format!("the first error: {}", errors[0])) }
}

fn verify(plan: &Plan, path: &str) -> Failed<()> {
    let mut client = Client { plan, token: &plan.tokens[0], stream: None };
    let notes = read(path)?;
    let mut lost = Vec::new();
    for note in notes.lines() {
        let (status, body) = client.ask("GET", &format!("/search?q={note}&limit=3"), "")?;
        if status != 200 || !body.contains(note) {
            lost.push(note);
        }
    }
    println!("{} of {} notes are there", notes.lines().count() - lost.len(), notes.lines().count());
    if lost.is_empty() { Ok(()) } else { Err(format!("lost: {}", lost.join(", "))) }
}

fn main() -> std::process::ExitCode {
    let done = plan().and_then(|plan| match plan.verify.clone() {
        Some(path) => verify(&plan, &path),
        None => load(&plan),
    });
    match done {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            std::process::ExitCode::FAILURE
        }
    }
}
