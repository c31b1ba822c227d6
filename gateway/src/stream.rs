//! A response body with limits of time and bytes.

use crate::budget::Share;
use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt, StreamBody};
use std::future::pending;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Code, Status};

/// Most bytes of one stream. All descriptors of the public services are a tenth of it.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The body until its time is over, or another client needs its place. Then it ends with
/// UNAVAILABLE, so that clients open another stream. It holds the share until then.
///
/// A task reads the body, because HTTP/2 does not poll the body of a client whose window is closed.
pub(crate) fn limited(body: Body, share: Share, life: Duration) -> Body {
    if body.is_end_stream() {
        // A response of headers alone must stay one.
        return body;
    }
    let (frames, received) = mpsc::channel(1);
    let mut reading = JoinSet::new();
    reading.spawn(timeout(life, async move {
        let forwarding = async {
            forward(body, frames).await;
            // The share is held until the client has read all.
            pending::<()>().await;
        };
        tokio::select! {
            () = forwarding => {}
            () = share.evicted() => {}
        }
    }));
    let stream = stream::unfold(Some((received, reading)), async |open| {
        let (mut received, reading) = open?;
        match received.recv().await {
            Some(Ok(frame)) if frame.is_trailers() => Some((Ok(frame), None)),
            Some(frame) => Some((frame, Some((received, reading)))),
            None => Some((Ok(unavailable()), None)),
        }
    });
    Body::new(StreamBody::new(stream))
}

/// Passes frames on until the body ends, exceeds its bytes or has no reader.
async fn forward(mut body: Body, frames: mpsc::Sender<Result<Frame<Bytes>, Status>>) {
    let mut bytes_left = MAX_BYTES;
    while let Some(frame) = body.frame().await {
        let bytes = frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len);
        let Some(left) = bytes_left.checked_sub(bytes) else { return };
        bytes_left = left;
        if frames.send(frame).await.is_err() {
            return;
        }
    }
}

fn unavailable() -> Frame<Bytes> {
    let code = HeaderValue::from(Code::Unavailable as i32);
    let message = HeaderValue::from_static("the stream is over");
    let trailers = [("grpc-status", code), ("grpc-message", message)];
    let trailers = trailers.map(|(name, value)| (HeaderName::from_static(name), value));
    Frame::trailers(HeaderMap::from_iter(trailers))
}
