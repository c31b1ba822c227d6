//! A circuit breaker: it stops calls to a provider that is down.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The cool-down of an open circuit, and the time limit of a half-open circuit's trial call.
const COOL_DOWN: Duration = Duration::from_secs(3);

/// Counts consecutive faults, in real time.
#[derive(Debug)]
pub(super) struct Circuit {
    max_faults: u32,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed {
        faults: u32,
    },
    /// Blocks calls until then.
    Open {
        open_until: Instant,
    },
    /// One trial call is running. If it has not ended by then, the next caller tries.
    HalfOpen {
        trial_until: Instant,
    },
}

/// The provider's health as one call shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    /// The provider responded, possibly with a refusal.
    Up,
    /// The provider was unreachable, late or broken.
    Down,
}

impl Circuit {
    /// Opens after `max_faults` consecutive faults. A call counts once, with all its attempts.
    pub(super) fn new(max_faults: u32) -> Self {
        Self { max_faults, state: Mutex::new(State::Closed { faults: 0 }) }
    }

    /// Whether a call may be sent. After the cool-down, one caller acquires the trial call.
    pub(super) fn try_acquire(&self) -> bool {
        let mut state = self.state.lock();
        let is_allowed = state.allows_call();
        if is_allowed && !matches!(*state, State::Closed { .. }) {
            *state = State::HalfOpen { trial_until: Instant::now() + COOL_DOWN };
        }
        is_allowed
    }

    /// Whether [`Circuit::try_acquire`] would succeed; acquires nothing.
    pub(super) fn allows_call(&self) -> bool {
        self.state.lock().allows_call()
    }

    /// Records a call's result and returns whether the circuit is open now.
    pub(super) fn record(&self, health: Health) -> bool {
        let mut state = self.state.lock();
        *state = match (health, *state) {
            (Health::Up, _) => State::Closed { faults: 0 },
            (Health::Down, State::Closed { faults }) if faults + 1 < self.max_faults => {
                State::Closed { faults: faults + 1 }
            }
            (Health::Down, _) => State::Open { open_until: Instant::now() + COOL_DOWN },
        };
        matches!(*state, State::Open { .. })
    }
}

impl State {
    fn allows_call(self) -> bool {
        match self {
            Self::Closed { .. } => true,
            Self::Open { open_until: until } | Self::HalfOpen { trial_until: until } => {
                Instant::now() >= until
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened() -> Circuit {
        let circuit = Circuit::new(5);
        for fault in 1..=5 {
            assert!(circuit.try_acquire());
            assert_eq!(circuit.record(Health::Down), fault == 5);
        }
        circuit
    }

    #[tokio::test(start_paused = true)]
    async fn the_circuit_opens_after_five_failures_and_allows_one_attempt_after_the_cool_down() {
        let circuit = opened();
        assert!(!circuit.try_acquire());

        tokio::time::advance(COOL_DOWN).await;

        assert!(circuit.try_acquire());
        assert!(!circuit.try_acquire(), "the others wait for the one that tries");
        assert!(!circuit.record(Health::Up));
        assert!(circuit.try_acquire());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_attempt_opens_the_circuit_again_immediately() {
        let circuit = opened();
        tokio::time::advance(COOL_DOWN).await;
        assert!(circuit.try_acquire());

        assert!(circuit.record(Health::Down), "one fault is enough");

        assert!(!circuit.try_acquire());
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_that_never_ends_does_not_block_the_next_ones() {
        let circuit = opened();
        tokio::time::advance(COOL_DOWN).await;
        assert!(circuit.try_acquire());

        tokio::time::advance(COOL_DOWN).await;

        assert!(circuit.try_acquire());
    }
}
