//! Settings of `make soak` for scenarios with a long form.

use rand::SeedableRng;
use rand::rngs::StdRng;

/// Whether this is the long run (`GARIMPO_SOAK=1`).
pub fn is_long() -> bool {
    setting("GARIMPO_SOAK").is_some_and(|value| value == "1")
}

/// A number from the environment, or its default.
pub fn number(name: &str, default: u64) -> u64 {
    let Some(text) = setting(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}: {text} is no whole number"))
}

/// Seed of all random choices of a run: `GARIMPO_SOAK_SEED` or a new one. Callers print it.
pub fn seed() -> u64 {
    number("GARIMPO_SOAK_SEED", rand::random::<u64>() >> 32)
}

/// Random generator of one part of a run, so that the part can be repeated alone.
pub fn random(seed: u64, part: u64) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ part)
}

/// An environment variable; `None` if it is empty.
#[expect(clippy::disallowed_methods, reason = "the environment sets the length of a run")]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
