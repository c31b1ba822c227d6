//! A circuit that stops calling a provider that does not answer.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::measures::PROVIDER_CIRCUIT_OPEN;

/// Calls that fail in a row before the circuit opens; a call counts once, with all its tries.
const FAILURES_TO_OPEN: u32 = 5;
/// How long callers fail fast before one of them may try again.
const OPEN_FOR: Duration = Duration::from_secs(3);

/// Counts failures in a row; real time, since it guards a real wire.
#[derive(Debug, Default)]
pub(super) struct Circuit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    closed_until: Option<Instant>,
}

impl Circuit {
    /// Whether a call may go out; when the rest is over, exactly one goes ahead and the others keep failing fast.
    pub(super) fn lets_through(&self) -> bool {
        let mut state = self.lock();
        match state.closed_until {
            None => true,
            Some(rest_ends) if Instant::now() < rest_ends => false,
            Some(_) => {
                state.closed_until = Some(Instant::now() + OPEN_FOR);
                true
            }
        }
    }

    /// Takes one call's outcome.
    pub(super) fn record(&self, answered: bool) {
        let mut state = self.lock();
        if answered {
            *state = State::default();
        } else {
            state.failures += 1;
            if state.failures >= FAILURES_TO_OPEN {
                state.closed_until = Some(Instant::now() + OPEN_FOR);
            }
        }
        metrics::gauge!(PROVIDER_CIRCUIT_OPEN).set(f64::from(u8::from(state.closed_until.is_some())));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn circuito_abre_depois_de_cinco_falhas_e_deixa_uma_tentativa_passar() {
        let circuit = Circuit::default();
        for _ in 0..FAILURES_TO_OPEN {
            assert!(circuit.lets_through());
            circuit.record(false);
        }

        assert!(!circuit.lets_through());
        tokio::time::advance(OPEN_FOR).await;

        assert!(circuit.lets_through());
        assert!(!circuit.lets_through());
        circuit.record(true);
        assert!(circuit.lets_through());
    }
}
