//! Slow-client load test: many connections with incomplete requests. `crowd ADDRESS TOKEN [COUNT]
//! [SECONDS]`.
//!
//! The incomplete requests come from 127.0.0.1 and are reopened when the server closes them.
//! Meanwhile the requests of a regular client at 127.0.0.2 are timed. Linux only, because all of
//! 127.0.0.0/8 must be local.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "an example is an edge"
)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Sends a request from 127.0.0.2. Returns the status, or 0 if there is no response.
fn ask(address: SocketAddr, token: &str) -> std::io::Result<u16> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(([127, 0, 0, 2], 0).into())?;
        socket.connect(address).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let request = format!(
        "GET /search?q=pool HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0))
}

/// Opens a connection with an incomplete request. Returns `None` if that fails.
fn half_word(address: SocketAddr) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_nonblocking(true).ok()?;
    let _ = stream.write_all(b"GET /search?q=po");
    Some(stream)
}

/// Returns the status if the server closed the connection (0 without a response), or `None` if it
/// is still open.
fn gone(stream: &mut TcpStream) -> Option<u16> {
    let mut bytes = [0; 512];
    match stream.read(&mut bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
        Ok(count) => {
            Some(String::from_utf8_lossy(&bytes[..count]).split(' ').nth(1)?.parse().unwrap_or(0)).or(Some(0))
        }
        Err(_) => Some(0),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, token, rest @ ..] = &arguments[..] else {
        eprintln!("crowd ADDRESS TOKEN [COUNT] [SECONDS]");
        return;
    };
    let Ok(address) = address.parse::<SocketAddr>() else { return eprintln!("{address} is no address") };
    let number =
        |place: usize, usual: usize| rest.get(place).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (count, seconds) = (number(0, 10_000), number(1, 20));
    let began = Instant::now();
    let last = Duration::from_secs(seconds as u64);
    let asking = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut answers = Vec::new();
            while began.elapsed() < last {
                let at = Instant::now();
                let status = ask(address, token).unwrap_or(0);
                answers.push((status, at.elapsed().as_micros()));
                std::thread::sleep(Duration::from_millis(50));
            }
            answers
        });
        crowd(address, count, began + last);
        asking.join().unwrap_or_default()
    });
    let mut statuses = BTreeMap::<u16, usize>::new();
    asking.iter().for_each(|(status, _)| *statuses.entry(*status).or_default() += 1);
    let mut times: Vec<u128> = asking.iter().map(|(_, micros)| *micros).collect();
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    println!("the proper client got, by status: {statuses:?}");
    println!("it took in microseconds: median {:?}, p99 {:?}, worst {:?}", at(50), at(99), at(100));
}

/// Maintains `count` incomplete requests until `end`.
fn crowd(address: SocketAddr, count: usize, end: Instant) {
    let (mut open, mut most, mut hung_up) = (Vec::<TcpStream>::new(), 0, BTreeMap::<u16, usize>::new());
    let mut begun = 0_usize;
    while Instant::now() < end {
        for _ in 0..500.min(count - open.len()) {
            open.extend(half_word(address));
            begun += 1;
        }
        most = most.max(open.len());
        // Those that the server hung up on are kept until the crowd is complete: each was one that it had to bear.
        if open.len() == count {
            open.retain_mut(|stream| match gone(stream) {
                Some(status) => {
                    *hung_up.entry(status).or_default() += 1;
                    false
                }
                None => true,
            });
        }
    }
    println!(
        "{begun} connections begun, {most} at once, hung up on by status (0: without a word): {hung_up:?}"
    );
}
