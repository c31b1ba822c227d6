//! Checks of the uids in requests.

use garimpo_domain::Uid;

use crate::error::{ErrorReason, Result, Violations};

/// Accounts of one batch.
const MAX_BATCH: usize = 1_000;
/// Uids that one error names: its details travel in a header.
pub(crate) const MAX_NAMED: usize = 20;
/// In bytes. Our own uids are shorter, and so are those of outside identity providers.
const MAX_UID: usize = 128;

/// No uid holds NUL, and PostgreSQL rejects it in a text.
pub(crate) fn is_storable(uid: &Uid) -> bool {
    !uid.contains('\0')
}

pub(super) fn check_uid(uid: &str) -> Result<(), &'static str> {
    match uid.len() {
        0 => Err("missing"),
        1..=MAX_UID => Ok(()),
        _ => Err("longer than 128 bytes"),
    }
}

/// The uids of a batch, sorted, each once.
pub(super) fn parse_batch(mut uids: Vec<String>) -> Result<Vec<Uid>> {
    let mut wrong = Violations::new();
    if uids.is_empty() || uids.len() > MAX_BATCH {
        wrong.add("uids", ErrorReason::InvalidArgument, "1 to 1,000 uids");
    }
    check_each(&mut wrong, &uids);
    wrong.refuse()?;
    uids.sort_unstable();
    uids.dedup();
    Ok(uids.into_iter().map(Uid::new).collect())
}

/// Records the positions of malformed uids.
pub(super) fn check_each(wrong: &mut Violations, uids: &[String]) {
    let malformed = uids.iter().enumerate().filter_map(|(at, uid)| Some((at, check_uid(uid).err()?)));
    for (at, why) in malformed.take(MAX_NAMED) {
        wrong.add(&format!("uids[{at}]"), ErrorReason::InvalidArgument, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_uid_of_a_batch_counts_once_and_an_empty_or_long_one_is_rejected() {
        let uids = |asked: &[&str]| parse_batch(asked.iter().map(|uid| (*uid).to_owned()).collect());

        assert_eq!(uids(&["usr_b", "usr_a", "usr_b"]).expect("texts"), ["usr_a", "usr_b"].map(Uid::new));
        for wrong in ["", &"u".repeat(129)] {
            let refused = uids(&["usr_a", wrong]).expect_err("no uid");
            assert_eq!(refused.reason(), ErrorReason::InvalidArgument);
        }
    }
}
