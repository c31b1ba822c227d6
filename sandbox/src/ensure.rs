//! Conditions of a function, as in `anyhow`, for any type of error.

/// Returns an error unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $error:expr) => {
        if !$condition {
            return Err($error);
        }
    };
}
