//! Checks of the uids in requests.

use bytes::Bytes;
use bytestring::ByteString;

use crate::error::{ErrorReason, Result, Violations};

/// Accounts of one batch.
const MAX_BATCH: usize = 1_000;
/// Uids that one error names: its details travel in a header.
pub(crate) const MAX_NAMED: usize = 20;
/// In bytes. Our own uids are shorter, and so are those of outside identity providers.
const MAX_UID: usize = 128;

/// No uid holds NUL, and PostgreSQL rejects it in a text.
pub(crate) fn is_storable(uid: &str) -> bool {
    !uid.contains('\0')
}

pub(super) fn check_uid(uid: &[u8]) -> Result<(), &'static str> {
    match uid.len() {
        0 => Err("missing"),
        1..=MAX_UID => str::from_utf8(uid).map(drop).map_err(|_| "no UTF-8"),
        _ => Err("longer than 128 bytes"),
    }
}

/// The uids of a batch, sorted, each once.
pub(super) fn parse_batch(uids: Vec<Bytes>) -> Result<Vec<ByteString>> {
    let mut wrong = Violations::new();
    if uids.is_empty() || uids.len() > MAX_BATCH {
        wrong.add("uids", ErrorReason::InvalidArgument, "1 to 1,000 uids");
    }
    check_each(&mut wrong, &uids);
    wrong.refuse()?;
    let mut uids: Vec<_> = uids.into_iter().filter_map(|uid| ByteString::try_from(uid).ok()).collect();
    uids.sort_unstable();
    uids.dedup();
    Ok(uids)
}

/// Records the positions of malformed uids.
pub(super) fn check_each(wrong: &mut Violations, uids: &[impl AsRef<[u8]>]) {
    let malformed =
        uids.iter().enumerate().filter_map(|(at, uid)| Some((at, check_uid(uid.as_ref()).err()?)));
    for (at, why) in malformed.take(MAX_NAMED) {
        wrong.add(&format!("uids[{at}]"), ErrorReason::InvalidArgument, why);
    }
}
