//! Argon2id outside of the async threads, limited to what the machine can run at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{Error as Argon2Error, generate_salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

use super::identity::IdentityError;
use crate::fair_queue::FairQueue;
use crate::measures::{Counted, PASSWORD_HASHES, PASSWORD_HASHES_MAX, count_limited};

/// OWASP's parameters: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// A hash of those parameters that no password matches: verifying it takes as long as verifying a
/// real one.
const UNMATCHABLE: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

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
    params: Params,
    queue: FairQueue,
    /// Memory of ended runs for waiting ones: mapping and clearing it takes as long as a quarter of
    /// a hash.
    spare: Arc<Mutex<Vec<Memory>>>,
}

/// The memory of one run. A run overwrites it before it reads it.
type Memory = Vec<Block>;

impl PasswordHashing {
    pub fn new(settings: HashSettings) -> Self {
        metrics::gauge!(PASSWORD_HASHES_MAX)
            .set(f64::from(u32::try_from(settings.at_once).unwrap_or(u32::MAX)));
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("OWASP's parameters are allowed");
        Self {
            params,
            spare: Arc::default(),
            queue: FairQueue::new(settings.at_once, settings.waiting, settings.waiting_per_client),
        }
    }

    /// The PHC text of a password, with a new salt. Clients take turns.
    pub async fn hash(&self, password: &str, client: &str) -> Result<String, IdentityError> {
        let (params, password) = (self.params.clone(), password.to_owned());
        self.run(client, move |memory| phc_text(params, password.as_bytes(), memory)).await
    }

    /// Whether a password matches. Without a stored hash it does not, and takes as long.
    pub async fn verify(
        &self,
        password: &str,
        stored: Option<&str>,
        client: &str,
    ) -> Result<bool, IdentityError> {
        let password = password.to_owned();
        let known = stored.is_some();
        let stored = stored.unwrap_or(UNMATCHABLE).to_owned();
        let matches = self.run(client, move |memory| matches(&stored, password.as_bytes(), memory)).await?;
        Ok(matches && known)
    }

    async fn run<T: Send + 'static>(
        &self,
        client: &str,
        work: impl FnOnce(&mut Memory) -> Result<T, Argon2Error> + Send + 'static,
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

/// The PHC text of a password, with a new salt.
fn phc_text(params: Params, password: &[u8], memory: &mut Memory) -> Result<String, Argon2Error> {
    let salt = Salt::new(&generate_salt())?;
    let (algorithm, version) = (Algorithm::Argon2id, Version::V0x13);
    let text = ParamsString::try_from(&params)?;
    let hash = output(Argon2::new(algorithm, version, params), password, &salt, memory)?;
    let (version, salt, hash) = (Some(version.into()), Some(salt), Some(hash));
    Ok(PasswordHash { algorithm: algorithm.ident(), version, params: text, salt, hash }.to_string())
}

/// Whether a password matches a PHC text, by the parameters in the text.
fn matches(phc_text: &str, password: &[u8], memory: &mut Memory) -> Result<bool, Argon2Error> {
    let stored = PasswordHash::new(phc_text)?;
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else { return Ok(false) };
    let algorithm = Algorithm::try_from(stored.algorithm.as_str())?;
    let version = stored.version.map_or(Ok(Version::default()), Version::try_from)?;
    let argon2 = Argon2::new(algorithm, version, Params::try_from(&stored)?);
    // The comparison of outputs takes constant time.
    Ok(output(argon2, password, salt, memory)? == *expected)
}

fn output(argon2: Argon2, password: &[u8], salt: &[u8], memory: &mut Memory) -> Result<Output, Argon2Error> {
    let params = argon2.params();
    memory.resize(params.block_count(), Block::new());
    let mut out = [0; Output::MAX_LENGTH];
    let out = &mut out[..params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    argon2.hash_password_into_with_memory(password, salt, out, memory)?;
    Ok(Output::new(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn senha_confere_com_o_seu_resumo_e_com_nenhum_outro() {
        let hashing = PasswordHashing::new(HashSettings::default());

        let stored = hashing.hash("segredo", "a").await.expect("hashed");

        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(hashing.verify("segredo", Some(&stored), "a").await.expect("verified"));
        assert!(!hashing.verify("outra", Some(&stored), "a").await.expect("verified"));
        assert!(!hashing.verify("segredo", None, "a").await.expect("verified"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn fila_cheia_recusa_em_vez_de_crescer() {
        let hashing = PasswordHashing::new(HashSettings { at_once: 1, waiting: 1, waiting_per_client: 1 });

        let many = (0..8).map(|_| hashing.hash("segredo", "a"));
        let answers = futures::future::join_all(many).await;

        let refused = answers.iter().filter(|answer| matches!(answer, Err(IdentityError::Busy(_)))).count();
        assert!(refused > 0 && refused < 8, "{refused} of 8 were refused");
    }
}
