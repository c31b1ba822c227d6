//! Ids, secrets and jitter.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use rand::rngs::{OsRng, StdRng};
use rand::{RngCore as _, SeedableRng as _, TryRngCore as _};

/// 32 letters and digits that people do not confuse.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 of them are 130 bits.
const ID_LENGTH: usize = 26;

/// Source of ids and randomness; cheap to clone.
#[derive(Clone)]
pub struct Ids(Source);

#[derive(Clone)]
enum Source {
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Ids {
    /// The operating system's randomness.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A repeatable source, for tests only.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed)))))
    }

    /// A new id with a prefix for its kind: `usr_…`, `ses_…`.
    pub fn id(&self, prefix: &str) -> String {
        let mut bytes = [0; ID_LENGTH];
        match &self.0 {
            // An id is no secret and each request needs one, so the thread's fast generator is
            // enough.
            Source::System => rand::rng().fill_bytes(&mut bytes),
            Source::Seeded(_) => bytes = self.bytes(),
        }
        let letters = bytes.map(|byte| char::from(ALPHABET[usize::from(byte & 31)]));
        let mut id = String::with_capacity(prefix.len() + ID_LENGTH);
        id.push_str(prefix);
        id.extend(letters);
        id
    }

    /// A new 256-bit secret with a prefix, as base64url: `gs_…`, `gi_…`, `gv_…`.
    pub fn secret(&self, prefix: &str) -> String {
        format!("{prefix}{}", URL_SAFE_NO_PAD.encode(self.bytes::<32>()))
    }

    /// A number below `bound`, for jitter.
    pub fn below(&self, bound: u64) -> u64 {
        u64::from_le_bytes(self.bytes()) % bound.max(1)
    }

    fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            Source::System => {
                OsRng.try_fill_bytes(&mut bytes).expect("the operating system gives randomness");
            }
            Source::Seeded(rng) => rng.lock().fill_bytes(&mut bytes),
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_a_prefix_and_are_unique() {
        let ids = Ids::system();

        assert!(ids.id("usr_").starts_with("usr_"));
        assert_eq!(ids.id("usr_").len(), 30);
        assert_ne!(ids.id("usr_"), ids.id("usr_"));
        assert_eq!(ids.secret("gs_").len(), 3 + 43);
        assert_eq!(Ids::seeded(1).id("usr_"), Ids::seeded(1).id("usr_"));
    }
}
