//! JSON-RPC messages over two streams, one per line. Invalid lines get the JSON-RPC error response,
//! with their id if they have one. The length of lines and the number of queued responses are
//! limited.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcError,
    JsonRpcResponse, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error_response;

/// Maximum number of queued responses.
const QUEUE_CAPACITY: usize = 64;
/// Maximum time to wait for pending responses after the client has closed its stream.
const PENDING_TIMEOUT: Duration = Duration::from_secs(60);
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Both streams of a client.
#[derive(Debug)]
pub struct LineTransport<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    /// Whether the rest of a line that is too long is being skipped.
    skipping: bool,
    write: Option<mpsc::Sender<Vec<u8>>>,
    /// A response to queue before the next line is read.
    reply: Option<Vec<u8>>,
    /// Whether the client has chosen a protocol revision.
    revision_chosen: bool,
    /// IDs of unanswered requests.
    open: HashSet<RequestId>,
    /// Whether the client uses the only revision with batches.
    takes_batches: bool,
    /// Messages of a batch that are not yet processed.
    pending: VecDeque<ClientJsonRpcMessage>,
    /// Incomplete batches.
    batches: Vec<Batch>,
    /// Deadline for pending responses after the client has closed its stream.
    deadline: Option<Instant>,
    ended: CancellationToken,
}

/// The requests of a batch, which are answered together.
#[derive(Debug, Default)]
struct Batch {
    open: HashSet<RequestId>,
    answers: Vec<Value>,
}

impl Batch {
    /// The line with all responses; `None` if there are none.
    fn line(self) -> Option<Vec<u8>> {
        (!self.answers.is_empty()).then(|| framed(Value::Array(self.answers)))
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Creates the transport with a maximum line length in bytes. A separate task writes; it ends
    /// when everything is written. `ended` is cancelled when the client closes its stream.
    pub fn new<W>(read: R, write: W, longest: usize, ended: CancellationToken) -> (Self, JoinHandle<()>)
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        let written = tokio::spawn(write_lines(write, receiver));
        let read = BufReader::with_capacity(64 * 1024, read);
        let write = Some(sender);
        let lines = Self {
            read,
            line: Vec::new(),
            longest,
            skipping: false,
            write,
            reply: None,
            revision_chosen: false,
            takes_batches: false,
            pending: VecDeque::new(),
            batches: Vec::new(),
            open: HashSet::new(),
            deadline: None,
            ended,
        };
        (lines, written)
    }

    /// Reads the next line. Cancel safe: a partial line stays buffered.
    async fn next(&mut self) -> Read {
        loop {
            let Ok(bytes) = self.read.fill_buf().await else { return Read::End };
            if bytes.is_empty() {
                return Read::End;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let too_long = !self.skipping && self.line.len() + taken > self.longest;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.read.consume(taken);
            if too_long {
                self.line.clear();
                self.skipping = end.is_none();
                return Read::TooLong;
            }
            match (end, self.skipping) {
                (Some(_), true) => self.skipping = false,
                (Some(_), false) => return Read::Line,
                (None, _) => {}
            }
        }
    }

    /// Parses the line; `None` if it contains no message to process.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            return None;
        }
        match serde_json::from_slice(text) {
            Ok(message) => self.check_handshake(message),
            Err(_) if self.takes_batches && text.starts_with(b"[") => self.batch(text),
            Err(_) => {
                self.reply = error_response::of(text, "batches are not supported: send one message per line")
                    .map(framed);
                None
            }
        }
    }

    /// The first message of a batch; the others are queued. Invalid items are answered together
    /// with the others.
    fn batch(&mut self, text: &[u8]) -> Option<ClientJsonRpcMessage> {
        let items = serde_json::from_slice::<Vec<Value>>(text).unwrap_or_default();
        if items.is_empty() {
            let refused = ErrorData::invalid_request("a batch needs at least one message", None);
            self.reply = Some(framed(error_response::error(Value::Null, &refused)));
            return None;
        }
        let mut batch = Batch::default();
        for item in items {
            let text = item.to_string();
            match serde_json::from_value::<ClientJsonRpcMessage>(item) {
                Ok(message) => {
                    if let ClientJsonRpcMessage::Request(request) = &message {
                        batch.open.insert(request.id.clone());
                    }
                    let message = self.check_handshake(message);
                    self.pending.extend(message);
                }
                Err(_) => batch
                    .answers
                    .extend(error_response::of(text.as_bytes(), "a batch cannot contain another batch")),
            }
        }
        if batch.open.is_empty() {
            self.reply = batch.line();
        } else {
            self.batches.push(batch);
        }
        self.pending.pop_front()
    }

    /// The line to write for a response: its own, the complete batch, or `None` while the batch is
    /// incomplete.
    fn line_of(&mut self, message: &ServerJsonRpcMessage) -> io::Result<Option<Vec<u8>>> {
        let of_batch = answered(message)
            .and_then(|id| self.batches.iter().position(|batch| batch.open.contains(id)).zip(Some(id)));
        let Some((place, id)) = of_batch else {
            let mut line = serde_json::to_vec(message)?;
            line.push(b'\n');
            return Ok(Some(line));
        };
        let batch = &mut self.batches[place];
        batch.open.remove(id);
        batch.answers.push(serde_json::to_value(message)?);
        let is_complete = batch.open.is_empty();
        Ok(if is_complete { self.batches.swap_remove(place).line() } else { None })
    }

    /// Drops messages other than requests before a revision is chosen, because the SDK would treat
    /// them as the end of the stream.
    fn check_handshake(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                self.revision_chosen = self.revision_chosen || chooses(&request.request);
                if let ClientRequest::InitializeRequest(hello) = &request.request {
                    self.takes_batches = hello.params.protocol_version == ProtocolVersion::V_2025_03_26;
                }
                self.open.insert(request.id.clone());
                return Some(message);
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                    // A request that is called off has no answer.
                    if let Some(place) = self.batches.iter().position(|batch| batch.open.contains(id)) {
                        self.batches[place].open.remove(id);
                        if self.batches[place].open.is_empty() {
                            self.reply = self.batches.swap_remove(place).line();
                        }
                    }
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
        self.revision_chosen.then_some(message)
    }

    /// Handles the end of the client's stream: waits for pending responses. The SDK calls again
    /// after each response.
    async fn end(&mut self) -> Option<ClientJsonRpcMessage> {
        self.ended.cancel();
        let until = *self.deadline.get_or_insert_with(|| Instant::now() + PENDING_TIMEOUT);
        if !self.open.is_empty() {
            tokio::time::sleep_until(until).await;
        }
        None
    }
}

/// Whether a request chooses the revision: by the handshake, or by naming one.
fn chooses(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(JsonRpcResponse { id, .. })
        | ServerJsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => Some(id),
        _ => None,
    }
}

/// A message as a line with line break.
fn framed(message: Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Writes queued lines and flushes when the queue is empty; ends when either side closes.
async fn write_lines<W: AsyncWrite + Unpin>(mut write: W, mut waiting: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = waiting.recv().await {
        if write.write_all(&line).await.is_err() || (waiting.is_empty() && write.flush().await.is_err()) {
            return;
        }
    }
    // The stream is given up in any case.
    let _ = write.shutdown().await;
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let Some(id) = answered(&message) {
            self.open.remove(id);
        }
        let line = self.line_of(&message);
        let write = self.write.clone();
        async move {
            let broken_pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
            let Some(line) = line? else { return Ok(()) };
            write.ok_or_else(broken_pipe)?.send(line).await.map_err(|_| broken_pipe())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.pending.pop_front() {
                return Some(message);
            }
            if self.deadline.is_some() {
                return self.end().await;
            }
            let write = self.write.clone()?;
            if self.reply.is_some() {
                let place = write.reserve().await.ok()?;
                if let Some(reply) = self.reply.take() {
                    place.send(reply);
                }
            }
            let read = tokio::select! {
                read = self.next() => read,
                // Who no longer reads gets no answers, and so asks nothing.
                () = write.closed() => {
                    self.ended.cancel();
                    return None;
                }
            };
            match read {
                Read::Line => {
                    if let Some(message) = self.message() {
                        return Some(message);
                    }
                }
                Read::TooLong => {
                    let message = format!("a message may have at most {} bytes", self.longest);
                    self.reply = Some(framed(error_response::error(
                        Value::Null,
                        &ErrorData::invalid_request(message, None),
                    )));
                }
                Read::End => return self.end().await,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{EmptyResult, ServerResult};
    use serde_json::json;
    use tokio::io::{DuplexStream, duplex};

    use super::*;

    fn call() -> Vec<u8> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "x", "_meta": meta });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        format!("{call}\n").into_bytes()
    }

    fn cancelled() -> Vec<u8> {
        let params = json!({ "requestId": 7 });
        let said = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        format!("{said}\n").into_bytes()
    }

    async fn asked(lines: &[Vec<u8>]) -> (LineTransport<DuplexStream>, DuplexStream) {
        let (mut client, read) = duplex(4096);
        let (write, kept) = duplex(4096);
        for line in lines {
            client.write_all(line).await.unwrap();
        }
        let mut lines = LineTransport::new(read, write, 4096, CancellationToken::new()).0;
        lines.receive().await.expect("the call");
        (lines, kept)
    }

    async fn is_over(lines: &mut LineTransport<DuplexStream>) -> bool {
        tokio::select! {
            biased;
            end = lines.receive() => end.is_none(),
            () = tokio::task::yield_now() => false,
        }
    }

    #[tokio::test]
    async fn a_client_that_ends_its_stream_still_gets_its_answers() {
        let (mut lines, _kept) = asked(&[call()]).await;
        assert!(!is_over(&mut lines).await);
        assert!(lines.ended.is_cancelled(), "who listens is told at once");
        let answer = ServerResult::EmptyResult(EmptyResult {});
        lines.send(ServerJsonRpcMessage::response(answer, RequestId::Number(7))).await.unwrap();
        assert!(is_over(&mut lines).await);
    }

    #[tokio::test]
    async fn what_was_called_off_is_not_waited_for() {
        let (mut lines, _kept) = asked(&[call(), cancelled()]).await;
        lines.receive().await.expect("the notification");
        assert!(is_over(&mut lines).await);
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_is_waited_for_for_ever() {
        let (mut lines, _kept) = asked(&[call()]).await;
        assert!(lines.receive().await.is_none());
    }
}
