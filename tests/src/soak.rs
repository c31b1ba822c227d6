//! What `make soak` asks of the scenarios that grow with it; without it they are short.

use rand::SeedableRng;
use rand::rngs::StdRng;

/// Whether this is the long run (`GARIMPO_SOAK=1`).
pub fn is_long() -> bool {
    setting("GARIMPO_SOAK").is_some_and(|value| value == "1")
}

/// A number that the run names, or its default.
pub fn number(name: &str, default: u64) -> u64 {
    let Some(text) = setting(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}: {text} is no whole number"))
}

/// Where all chance of a run comes from: `GARIMPO_SOAK_SEED`, or a new one. Whoever asks prints it.
pub fn seed() -> u64 {
    number("GARIMPO_SOAK_SEED", rand::random::<u64>() >> 32)
}

/// The chance of one part of a run, so that the part can be run again alone.
pub fn chance(seed: u64, part: u64) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ part)
}

/// What the environment says of a run; empty is unsaid.
#[expect(clippy::disallowed_methods, reason = "a run is told by its environment how long it shall be")]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
