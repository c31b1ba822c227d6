//! The body of a request in memory, counted against a budget until the request ends.

use crate::budget::{Budget, Exceeded};
use crate::caller::Caller;
use bytes::Bytes;
use http_body_util::BodyExt;

/// Bytes of a body beyond its limit that are read and thrown away, so that its sender gets to read
/// the refusal.
const MAX_DRAINED: usize = 8 * 1024 * 1024;

/// Why a body is not in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It has more bytes than the call takes.
    TooLarge,
    /// Its sender broke off, or was too slow.
    Broken,
    /// Its client, or all clients together, hold too many bytes at once.
    Exceeded(Exceeded),
}

/// Reads a whole body of at most `limit` bytes. Bytes are claimed as they arrive, because a declared
/// length costs its sender nothing.
///
/// # Errors
/// The body is too large, broken, or beyond the budget.
pub(crate) async fn read<B>(
    mut body: B,
    limit: usize,
    budget: &Budget,
    caller: &Caller,
) -> Result<Bytes, BodyError>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let mut share = budget.claim(Some(caller.address()), 0).map_err(BodyError::Exceeded)?;
    let mut read = Vec::new();
    let mut total = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        total += data.len();
        if total <= limit {
            share.grow(data.len()).map_err(BodyError::Exceeded)?;
            read.extend_from_slice(&data);
        } else if total > MAX_DRAINED {
            break;
        }
    }
    if total > limit {
        return Err(BodyError::TooLarge);
    }
    caller.hold(share);
    Ok(read.into())
}
