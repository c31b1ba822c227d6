//! The body of a request in memory, counted against budgets until the request ends.

use crate::app::App;
use crate::budget::{Budget, Exceeded, Share, count_limited};
use crate::error::{ApiError, refused};
use crate::request_context::RequestContext;
use bytes::Bytes;
use garimpo_proto::errors::v1::ErrorReason;
use http_body::Frame;
use http_body_util::BodyExt;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tonic::{Code, Status};

/// Bytes of a body beyond its limit that are read and dropped, so that its sender can read the
/// refusal.
const MAX_DRAINED: usize = 8 * 1024 * 1024;

/// Time limit of a body, except for payment events.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    TooLarge,
    /// Its sender stopped, or was too slow.
    Broken,
    Exceeded(Exceeded),
}

impl From<Exceeded> for BodyError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::new(ErrorReason::PayloadTooLarge),
            BodyError::Broken => Self::fields(vec![("corpo".into(), "chegou incompleto".into())]),
            BodyError::Exceeded(exceeded) => exceeded.into(),
        }
    }
}

impl From<BodyError> for Status {
    fn from(error: BodyError) -> Self {
        let invalid = |message| refused(Code::InvalidArgument, ErrorReason::InvalidArgument, message);
        match error {
            BodyError::TooLarge => invalid("the message is larger than 64 KiB"),
            BodyError::Broken => invalid("the message could not be read"),
            BodyError::Exceeded(exceeded) => exceeded.into(),
        }
    }
}

pub(crate) struct Bounds<'a> {
    /// Largest body, in bytes.
    pub limit: usize,
    /// Counts the bytes.
    pub bytes: &'a Budget,
    /// Time limit of the whole body.
    pub time: Duration,
}

/// Reads a whole body, and counts the request as under way from then on. Until then it counts among
/// the bodies alone, because a body that never ends costs its sender nothing.
pub(crate) async fn read<B>(
    body: B,
    bounds: Bounds<'_>,
    app: &App,
    context: &RequestContext,
) -> Result<Bytes, BodyError>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let read = arrive(body, bounds, app, context).await;
    context.state().body_ended = Some(Instant::now());
    read
}

async fn arrive<B>(
    mut body: B,
    bounds: Bounds<'_>,
    app: &App,
    context: &RequestContext,
) -> Result<Bytes, BodyError>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        // The router has counted the request, because it has no body to wait for.
        return Ok(Bytes::new());
    }
    let address = context.address;
    let first = futures::poll!(body.frame());
    if let Poll::Ready(Some(Ok(frame))) = &first
        && let Some(bytes) = frame.data_ref()
        && bytes.len() <= bounds.limit
        && body.is_end_stream()
    {
        // It came with the headers, as small bodies do, so nothing is left to wait for. A client at
        // its limit of arriving bodies is refused, but no place is held.
        context.state().is_body_read = true;
        drop(app.budgets.bodies.claim(Some(address), 1)?);
        context.state().body_bytes = Some(bounds.bytes.claim(Some(address), bytes.len())?);
        context.state().place = Some(app.budgets.requests.claim(Some(address), 1)?);
        return Ok(bytes.clone());
    }
    let arriving = app.budgets.bodies.claim_evictable(address, 1)?;
    let mut share = bounds.bytes.claim_evictable(address, 0)?;
    let (place_taken, bytes_taken) = (arriving.evicted(), share.evicted());
    let first_byte = app.settings.limits.first_byte;
    let collected = collect(first, body, bounds.limit, first_byte, &mut share, context);
    let read = tokio::select! {
        read = timeout(bounds.time, collected) => read.unwrap_or_else(|_| Err(too_slow()))?,
        () = place_taken => return Err(Exceeded::Evicted.into()),
        () = bytes_taken => return Err(Exceeded::Evicted.into()),
    };
    context.state().body_bytes = Some(share.settled()?);
    context.state().place = Some(app.budgets.requests.claim(Some(address), 1)?);
    Ok(read.into())
}

/// Bytes are claimed as they arrive, because a declared length costs its sender nothing.
async fn collect<B>(
    first: Poll<Option<Result<Frame<Bytes>, B::Error>>>,
    mut body: B,
    limit: usize,
    first_byte: Duration,
    share: &mut Share,
    context: &RequestContext,
) -> Result<Vec<u8>, BodyError>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let mut read = Vec::new();
    let mut total = 0;
    let mut next = match first {
        Poll::Ready(frame) => frame,
        Poll::Pending => timeout(first_byte, body.frame()).await.map_err(|_| too_slow())?,
    };
    while let Some(frame) = next {
        if let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() {
            total += data.len();
            if total <= limit {
                share.grow(data.len())?;
                read.extend_from_slice(&data);
            } else if total > MAX_DRAINED {
                return Err(BodyError::TooLarge);
            }
        }
        next = body.frame().await;
    }
    context.state().is_body_read = true;
    if total > limit { Err(BodyError::TooLarge) } else { Ok(read) }
}

fn too_slow() -> BodyError {
    count_limited("bodies", "slow");
    BodyError::Broken
}
