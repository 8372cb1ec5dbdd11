//! Limits the size and duration of request bodies.
//!
//! It wraps the body of every request, including those of nested services.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes};
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::limits::HttpLimits;

/// Why a body was not read completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The body exceeds the size limit.
    #[error("the body is too long")]
    TooLong,
    /// The client pauses or takes too long.
    #[error("the body arrives too slowly")]
    TooSlow,
}

/// Deadlines for the next chunk and for the whole body.
type BodyDeadlines = (Pin<Box<Sleep>>, Pin<Box<Sleep>>);

struct LimitedBody {
    inner: Body,
    left: u64,
    pause_timeout: Duration,
    whole: Duration,
    /// Started when the body is first polled.
    waits: Option<BodyDeadlines>,
}

/// Wraps a body with the limits.
pub fn bounded(body: Body, limits: &HttpLimits) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(LimitedBody {
        inner: body,
        left: limits.body as u64,
        pause_timeout: limits.body_pause_timeout,
        whole: limits.body_timeout,
        waits: None,
    })
}

impl http_body::Body for LimitedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        let (pause_timeout, whole) = (this.pause_timeout, this.whole);
        let (pause, end) =
            this.waits.get_or_insert_with(|| (Box::pin(sleep(pause_timeout)), Box::pin(sleep(whole))));
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) else {
            let over = pause.as_mut().poll(cx).is_ready() || end.as_mut().poll(cx).is_ready();
            return if over { Poll::Ready(Some(Err(Box::new(BodyError::TooSlow)))) } else { Poll::Pending };
        };
        // A trickle that never pauses is too slow as well.
        if end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(Box::new(BodyError::TooSlow))));
        }
        pause.as_mut().reset(Instant::now() + pause_timeout);
        let frame = match frame {
            None => return Poll::Ready(None),
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            Some(Ok(frame)) => frame,
        };
        let length = frame.data_ref().map_or(0, |data| data.len() as u64);
        match this.left.checked_sub(length) {
            Some(left) => this.left = left,
            None => return Poll::Ready(Some(Err(Box::new(BodyError::TooLong)))),
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
