//! Argon2id outside of the async threads, limited to what the machine can run at once.

mod argon2id;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use argon2id::{Error as HashError, Memory, matches, phc_text};

use super::identity::IdentityError;
use crate::fair_queue::FairQueue;
use crate::measures::{Counted, PASSWORD_HASHES, PASSWORD_HASHES_MAX, count_limited};

/// Retry-After of a full queue.
const RETRY_AFTER: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy)]
pub struct HashSettings {
    /// Hashes that run at once, each with 19 MiB.
    pub at_once: usize,
    /// Callers that may wait; one more gets TOO_MANY_REQUESTS.
    pub waiting: usize,
    /// Callers of one client that may wait.
    pub waiting_per_client: usize,
}

impl Default for HashSettings {
    fn default() -> Self {
        let at_once = std::thread::available_parallelism().map_or(2, usize::from);
        Self { at_once, waiting: 128, waiting_per_client: 64 }
    }
}

#[derive(Clone)]
pub struct PasswordHashing {
    queue: FairQueue,
    /// Memory of ended runs for waiting ones: mapping and clearing it takes as long as a quarter of
    /// a hash.
    spare: Arc<Mutex<Vec<Memory>>>,
}

impl PasswordHashing {
    pub fn new(settings: HashSettings) -> Self {
        metrics::gauge!(PASSWORD_HASHES_MAX)
            .set(f64::from(u32::try_from(settings.at_once).unwrap_or(u32::MAX)));
        Self {
            spare: Arc::default(),
            queue: FairQueue::new(settings.at_once, settings.waiting, settings.waiting_per_client),
        }
    }

    /// The PHC text of a password, with a new salt. Clients take turns.
    pub async fn hash(&self, password: &str, client: &str) -> Result<String, IdentityError> {
        let password = password.to_owned();
        self.run(client, move |memory| phc_text(password.as_bytes(), memory)).await
    }

    /// Whether a password matches. Without a stored hash it does not, and takes as long.
    pub async fn verify(
        &self,
        password: &str,
        stored: Option<&str>,
        client: &str,
    ) -> Result<bool, IdentityError> {
        let (stored, password) = (stored.map(str::to_owned), password.to_owned());
        self.run(client, move |memory| matches(stored.as_deref(), password.as_bytes(), memory)).await
    }

    async fn run<T: Send + 'static>(
        &self,
        client: &str,
        work: impl FnOnce(&mut Memory) -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, IdentityError> {
        let Some(slot) = self.queue.slot(client).await else {
            count_limited("hashes_waiting", "client");
            return Err(IdentityError::Busy(RETRY_AFTER));
        };
        let running = Counted::in_gauge(metrics::gauge!(PASSWORD_HASHES));
        let hashing = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            // The work holds the slot, because its caller may go away.
            let (_slot, _running) = (slot, running);
            let mut memory = hashing.spare().pop().unwrap_or_default();
            let done = work(&mut memory);
            // Without a waiting caller it is freed, because sign-ins are rare.
            if hashing.queue.waiting() > 0 {
                hashing.spare().push(memory);
            }
            done
        });
        let done = done.await.map_err(|failed| IdentityError::Failed(failed.into()))?;
        done.map_err(|error| IdentityError::Failed(anyhow::anyhow!("{error}")))
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_and_no_other() {
        let hashing = PasswordHashing::new(HashSettings::default());

        let stored = hashing.hash("segredo", "a").await.expect("hashed");

        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(hashing.verify("segredo", Some(&stored), "a").await.expect("verified"));
        assert!(!hashing.verify("outra", Some(&stored), "a").await.expect("verified"));
        assert!(!hashing.verify("segredo", None, "a").await.expect("verified"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_full_hash_queue_rejects_calls_instead_of_growing() {
        let hashing = PasswordHashing::new(HashSettings { at_once: 1, waiting: 1, waiting_per_client: 1 });

        let many = (0..8).map(|_| hashing.hash("segredo", "a"));
        let answers = futures::future::join_all(many).await;

        let refused = answers.iter().filter(|answer| matches!(answer, Err(IdentityError::Busy(_)))).count();
        assert!(refused > 0 && refused < 8, "{refused} of 8 were refused");
    }
}
