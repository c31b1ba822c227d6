//! Uids as callers send them.

use bytes::Bytes;
use bytestring::ByteString;
use garimpo_proto::errors::v1::ErrorReason;

use crate::error::{Error, Violations};

/// Accounts of one batch.
const BATCH_MAX: usize = 1_000;
/// Uids that a refusal names at most: its details travel in a header.
pub(crate) const NAMED_MAX: usize = 20;
/// No uid of ours is longer, nor one of an outside identity provider.
const UID_MAX: usize = 128;

/// No uid holds NUL, and PostgreSQL takes none in a text: such a one is nobody's.
pub(crate) fn is_storable(uid: &str) -> bool {
    !uid.contains('\0')
}

/// A uid that is asked for.
pub(super) fn read_uid(uid: &[u8]) -> Result<(), &'static str> {
    match uid.len() {
        0 => Err("missing"),
        1..=UID_MAX => str::from_utf8(uid).map(drop).map_err(|_| "no UTF-8"),
        _ => Err("longer than 128 bytes"),
    }
}

/// The uids of a batch, each once.
pub(super) fn read_uids(uids: Vec<Bytes>) -> Result<Vec<ByteString>, Error> {
    let mut wrong = Violations::new();
    if uids.is_empty() || uids.len() > BATCH_MAX {
        wrong.add("uids", ErrorReason::InvalidArgument, "1 to 1,000 uids");
    }
    read_each(&mut wrong, &uids);
    wrong.refuse()?;
    let mut uids: Vec<_> = uids.into_iter().filter_map(|uid| ByteString::try_from(uid).ok()).collect();
    uids.sort_unstable();
    uids.dedup();
    Ok(uids)
}

/// Notes the uids that cannot be one, by their places.
pub(super) fn read_each(wrong: &mut Violations, uids: &[impl AsRef<[u8]>]) {
    let read = uids.iter().map(|uid| read_uid(uid.as_ref())).enumerate();
    let read = read.filter_map(|(place, read)| Some((place, read.err()?)));
    for (place, why) in read.take(NAMED_MAX) {
        wrong.add(&format!("uids[{place}]"), ErrorReason::InvalidArgument, why);
    }
}
