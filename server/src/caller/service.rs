//! A service of ours that calls: what its token allows, and how often.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use strum::{EnumString, IntoStaticStr, VariantArray};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::store::identity::service_tokens::ServiceTokenRow;
use crate::store::identity::sessions::TokenHash;

/// What a service token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
pub enum Scope {
    /// Entitlements and subscriptions.
    #[strum(serialize = "billing.read")]
    BillingRead,
    /// User records.
    #[strum(serialize = "users.read")]
    UsersRead,
    /// Conversion events.
    #[strum(serialize = "tracking.write")]
    TrackingWrite,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The name on the command line and in the table.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The scope of a name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// A service token that is alive, with what this process keeps of it.
#[derive(Debug)]
pub struct Service {
    /// The token.
    pub token: ServiceTokenRow,
    /// Hash of the token, to look it up again by.
    pub(crate) hash: TokenHash,
    /// How much of this process it may use.
    pub(crate) share: Arc<TokenShare>,
    /// Set by the one call that writes the token's use.
    pub(crate) is_touched: AtomicBool,
}

impl Service {
    /// Whether the token has a scope.
    pub fn has(&self, scope: Scope) -> bool {
        self.token.scopes.split(' ').any(|name| name == scope.name())
    }
}

/// How much of this process one token may use.
#[derive(Debug)]
pub(crate) struct TokenShare {
    /// How often it may call.
    pub pace: TokenPace,
    watches: Arc<Semaphore>,
}

impl TokenShare {
    /// So many calls a second, and so many watches at once.
    pub(crate) fn new(calls: u32, watches: u32) -> Self {
        Self { pace: TokenPace::new(calls), watches: Arc::new(Semaphore::new(watches as usize)) }
    }

    /// A place for one more watch, held until it is dropped; `None` where all are taken.
    pub(crate) fn watch(&self) -> Option<OwnedSemaphorePermit> {
        self.watches.clone().try_acquire_owned().ok()
    }
}

/// How often one token may call this process: an even pace, of which a second's worth may come at once.
///
/// It keeps the instant up to which calls are spoken for; one atomic number is all that a call costs.
#[derive(Debug)]
pub(crate) struct TokenPace {
    began: Instant,
    per_call_ns: u64,
    spoken_for_ns: AtomicU64,
}

const SECOND_NS: u64 = 1_000_000_000;

impl TokenPace {
    /// So many calls a second.
    pub(crate) fn new(calls: u32) -> Self {
        let per_call_ns = SECOND_NS / u64::from(calls.max(1));
        Self { began: Instant::now(), per_call_ns, spoken_for_ns: AtomicU64::new(0) }
    }

    /// Counts a call that is worth `calls`; the error is the pause after which it would pass. One that is worth more than
    /// a second's passes once nothing of the second is taken, and what it is worth is waited for after it.
    pub(crate) fn take(&self, calls: u32) -> Result<(), Duration> {
        let now_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.take_at(now_ns, calls)
    }

    fn take_at(&self, now_ns: u64, calls: u32) -> Result<(), Duration> {
        let worth_ns = self.per_call_ns.saturating_mul(calls.into());
        let last_ns = now_ns.saturating_add(SECOND_NS).saturating_sub(worth_ns.min(SECOND_NS));
        let begin_ns = |spoken_for: u64| spoken_for.max(now_ns);
        let fits = |spoken_for| {
            (begin_ns(spoken_for) <= last_ns).then(|| begin_ns(spoken_for).saturating_add(worth_ns))
        };
        let taken = self.spoken_for_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.map(drop).map_err(|spoken_for| Duration::from_nanos(begin_ns(spoken_for) - last_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn o_ritmo_deixa_passar_um_segundo_de_uma_vez_e_depois_um_por_vez() {
        let pace = TokenPace::new(10);
        assert!((0..10).all(|_| pace.take_at(0, 1).is_ok()));

        assert_eq!(pace.take_at(0, 1), Err(Duration::from_millis(100)));
        assert_eq!(pace.take_at(40 * MS, 1), Err(Duration::from_millis(60)));
        assert_eq!(pace.take_at(100 * MS, 1), Ok(()));
        assert!(pace.take_at(100 * MS, 1).is_err(), "a refused call is not counted, a taken one is");
        assert!((0..10).all(|_| pace.take_at(5_000 * MS, 1).is_ok()), "what was not used does not add up");
        assert!(pace.take_at(5_000 * MS, 1).is_err());
    }

    #[test]
    fn um_pedido_grande_conta_por_muitos_e_o_que_vale_mais_que_um_segundo_passa_e_e_pago_depois() {
        let pace = TokenPace::new(10);
        assert_eq!(pace.take_at(0, 8), Ok(()));
        assert_eq!(pace.take_at(0, 5), Err(Duration::from_millis(300)));
        assert_eq!(pace.take_at(300 * MS, 5), Ok(()));

        assert_eq!(pace.take_at(10_000 * MS, 50), Ok(()));
        assert_eq!(pace.take_at(10_000 * MS, 50), Err(Duration::from_secs(5)));
        assert_eq!(pace.take_at(13_000 * MS, 1), Err(Duration::from_millis(1_100)));
        assert_eq!(pace.take_at(15_000 * MS, 50), Ok(()));
    }

    #[test]
    fn um_token_observa_ate_o_seu_limite_e_de_novo_quando_uma_observacao_acaba() {
        let share = TokenShare::new(10, 2);
        let (first, _second) = (share.watch().expect("one"), share.watch().expect("two"));
        assert!(share.watch().is_none());

        drop(first);
        assert!(share.watch().is_some());
    }
}
