//! A circuit breaker: it stops calls to a provider that is down.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

/// How long callers fail fast before one of them may try again.
const OPEN_FOR: Duration = Duration::from_secs(3);

/// Counts faults in a row. It uses real time, because it guards a real wire.
#[derive(Debug)]
pub(super) struct Circuit {
    faults_to_open: u32,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Calls go out.
    Closed { faults: u32 },
    /// No call goes out until then.
    Open { until: Instant },
    /// One call is out to try. If it has not ended by then, another one may try.
    HalfOpen { until: Instant },
}

/// What a call said about the provider's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    /// It answered, be it by a refusal.
    Up,
    /// It could not be reached, gave no answer in time, or broke.
    Down,
}

impl Circuit {
    /// A circuit that opens at so many faults in a row; a call counts once, with all its tries.
    pub(super) fn new(faults_to_open: u32) -> Self {
        Self { faults_to_open, state: Mutex::new(State::Closed { faults: 0 }) }
    }

    /// Whether a call may go out. Half-open, it lets one call through and the others fail fast.
    pub(super) fn lets_through(&self) -> bool {
        let mut state = self.lock();
        let may = state.may_call();
        if may && !matches!(*state, State::Closed { .. }) {
            *state = State::HalfOpen { until: Instant::now() + OPEN_FOR };
        }
        may
    }

    /// Whether a call would go out now; it takes nothing, so that a caller may still decide not to
    /// call.
    pub(super) fn would_let_through(&self) -> bool {
        self.lock().may_call()
    }

    /// Takes one call's outcome; answers whether the circuit lets no call through from now on.
    pub(super) fn record(&self, health: Health) -> bool {
        let mut state = self.lock();
        *state = match (health, *state) {
            (Health::Up, _) => State::Closed { faults: 0 },
            (Health::Down, State::Closed { faults }) if faults + 1 < self.faults_to_open => {
                State::Closed { faults: faults + 1 }
            }
            (Health::Down, _) => State::Open { until: Instant::now() + OPEN_FOR },
        };
        matches!(*state, State::Open { .. })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    fn may_call(self) -> bool {
        match self {
            Self::Closed { .. } => true,
            Self::Open { until } | Self::HalfOpen { until } => Instant::now() >= until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened() -> Circuit {
        let circuit = Circuit::new(5);
        for fault in 1..=5 {
            assert!(circuit.lets_through());
            assert_eq!(circuit.record(Health::Down), fault == 5);
        }
        circuit
    }

    #[tokio::test(start_paused = true)]
    async fn circuito_abre_depois_de_cinco_falhas_e_deixa_uma_tentativa_passar() {
        let circuit = opened();
        assert!(!circuit.lets_through());

        tokio::time::advance(OPEN_FOR).await;

        assert!(circuit.lets_through());
        assert!(!circuit.lets_through(), "the others wait for the one that tries");
        assert!(!circuit.record(Health::Up));
        assert!(circuit.lets_through());
    }

    #[tokio::test(start_paused = true)]
    async fn tentativa_que_falha_abre_de_novo_na_hora() {
        let circuit = opened();
        tokio::time::advance(OPEN_FOR).await;
        assert!(circuit.lets_through());

        assert!(circuit.record(Health::Down), "one fault is enough");

        assert!(!circuit.lets_through());
    }

    #[tokio::test(start_paused = true)]
    async fn tentativa_que_nunca_termina_nao_fecha_o_caminho_das_seguintes() {
        let circuit = opened();
        tokio::time::advance(OPEN_FOR).await;
        assert!(circuit.lets_through());

        tokio::time::advance(OPEN_FOR).await;

        assert!(circuit.lets_through());
    }
}
