//! Whether a trace is recorded.

use std::num::NonZeroU32;
use std::sync::OnceLock;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use opentelemetry_sdk::trace::SdkTracer;
use rand::Rng as _;

/// Traces a second that are recorded because a client asked for it.
const CLIENT_TRACES_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).expect("it is not 0");
static SAMPLING: OnceLock<Sampling> = OnceLock::new();

/// The tracer of the process, and which clients' traces it records.
pub(crate) struct Sampling {
    pub(crate) tracer: SdkTracer,
    ratio: f64,
    by_clients: DefaultDirectRateLimiter,
}

impl Sampling {
    fn new(tracer: SdkTracer, ratio: f64) -> Self {
        let by_clients = RateLimiter::direct(Quota::per_second(CLIENT_TRACES_PER_SECOND));
        Self { tracer, ratio, by_clients }
    }

    /// Whether a client's trace is recorded: at its wish within a limit, else by the ratio.
    pub(crate) fn decides(&self, is_wished: bool) -> bool {
        (is_wished && self.by_clients.check().is_ok()) || rand::rng().random::<f64>() < self.ratio
    }
}

/// `None` without tracing.
pub(crate) fn sampling() -> Option<&'static Sampling> {
    SAMPLING.get()
}

/// Whether this process records traces.
pub fn is_on() -> bool {
    sampling().is_some()
}

/// Begins to record; returns whether it was the first call.
pub(crate) fn install(tracer: SdkTracer, ratio: f64) -> bool {
    SAMPLING.set(Sampling::new(tracer, ratio)).is_ok()
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;

    #[test]
    fn clients_can_have_at_most_ten_traces_recorded_per_second() {
        let provider = SdkTracerProvider::builder().build();
        let sampling = Sampling::new(provider.tracer("test"), 0.0);

        let recorded = (0..1_000).filter(|_| sampling.decides(true)).count();

        assert!((10..20).contains(&recorded), "{recorded}");
        assert!((0..1_000).all(|_| !sampling.decides(false)), "the ratio is 0");
    }
}
