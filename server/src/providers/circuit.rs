//! A circuit that stops calling a provider that does not answer.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// How long callers fail fast before one of them may try again.
const OPEN_FOR: Duration = Duration::from_secs(3);

/// Counts failures in a row; real time, since it guards a real wire.
#[derive(Debug)]
pub(super) struct Circuit {
    failures_to_open: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    closed_until: Option<Instant>,
}

impl Circuit {
    /// A circuit that opens when so many calls fail in a row; a call counts once, with all its tries.
    pub(super) fn new(failures_to_open: u32) -> Self {
        Self { failures_to_open, state: Mutex::default() }
    }

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

    /// Takes one call's outcome; answers whether the circuit is open now.
    pub(super) fn record(&self, answered: bool) -> bool {
        let mut state = self.lock();
        if answered {
            *state = State::default();
        } else {
            state.failures += 1;
            if state.failures >= self.failures_to_open {
                state.closed_until = Some(Instant::now() + OPEN_FOR);
            }
        }
        state.closed_until.is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn circuito_abre_depois_de_cinco_falhas_e_deixa_uma_tentativa_passar() {
        let circuit = Circuit::new(5);
        for failure in 1..=5 {
            assert!(circuit.lets_through());
            assert_eq!(circuit.record(false), failure == 5);
        }

        assert!(!circuit.lets_through());
        tokio::time::advance(OPEN_FOR).await;

        assert!(circuit.lets_through());
        assert!(!circuit.lets_through());
        assert!(!circuit.record(true));
        assert!(circuit.lets_through());
    }
}
