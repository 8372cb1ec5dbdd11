//! A connection with a write timeout and a lingering close.
//!
//! If the server closed while the client still sends, the client's system would discard the
//! response. Therefore remaining input is read and discarded for a short time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::framing::Framing;

/// Maximum duration and size of the input discarded after the response.
const LINGER_DURATION: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 << 20;

/// A TCP or TLS stream with a write timeout.
pub struct WriteTimeout<S> {
    stream: S,
    stall_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    linger: Option<(Pin<Box<Sleep>>, usize)>,
    ended: bool,
    framing: Framing,
}

impl<S> WriteTimeout<S> {
    /// Wraps a stream; a write that stalls longer than `stall_timeout` fails.
    pub fn new(stream: S, stall_timeout: Duration) -> Self {
        Self { stream, stall_timeout, stalled: None, linger: None, ended: false, framing: Framing::default() }
    }

    /// Passes on the result of a write, or fails with a timeout if it has stalled too long.
    fn written(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let stall_timeout = self.stall_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall_timeout)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.ended |= matches!(outcome, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        let read = &mut buffer.filled_mut()[before..];
        if let Some(end) = self.framing.follow(read) {
            // No head ends so: the request is refused as malformed, and the connection is closed.
            read[end] = 0;
        }
        outcome
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.written(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let (end, read) = this.linger.get_or_insert_with(|| (Box::pin(sleep(LINGER_DURATION)), 0));
        let mut space = [0; 8 << 10];
        while !this.ended && *read < LINGER_BYTES && end.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut space);
            match ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => *read += buffer.filled().len(),
                _ => this.ended = true,
            }
        }
        Poll::Ready(Ok(()))
    }
}
