//! Errors with their causes on one line, for logs.

use std::error::Error;
use std::fmt;

/// Displays an error and its causes, each once. `anyhow`'s `{:#}` repeats a cause whose text the
/// error contains already, as sqlx's errors do.
pub(crate) struct Causes<'e>(pub &'e (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.to_string();
        f.write_str(&shown)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !shown.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            shown = text;
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error;
    use crate::providers::stripe::StripeError;
    use crate::store::StoreError;

    #[test]
    fn all_causes_of_an_error_are_on_one_line() {
        let cause = anyhow::anyhow!("the disk is full").context("writing the page");
        assert_eq!(
            Causes(&error::Error::internal(cause)).to_string(),
            "an unexpected failure: writing the page: the disk is full"
        );

        let shape = serde_json::from_str::<u8>("x").expect_err("no number");
        let error = StripeError::Unreadable { call: "price", source: std::sync::Arc::new(shape) };
        let text = Causes(&error::Error::internal(error)).to_string();
        assert!(text.contains("unknown shape to price: expected value at line 1"), "{text}");
    }

    #[test]
    fn a_cause_that_the_error_repeats_is_listed_once() {
        let error = error::Error::from(StoreError::from(sqlx::Error::PoolTimedOut));
        let text = Causes(&error).to_string();
        assert_eq!(text.matches(&sqlx::Error::PoolTimedOut.to_string()).count(), 1, "{text}");
    }
}
