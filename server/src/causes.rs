//! An error with everything behind it on one line, for logs: a log's own form of an error drops its causes.

use std::error::Error;
use std::fmt;

/// Shows an error and its causes, each once, from the outermost in.
pub(crate) struct Causes<'e>(pub &'e (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.0.to_string();
        f.write_str(&told)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // Some errors repeat their cause in their own words.
            if !told.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            told = text;
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
    fn causas_aparecem_todas_em_uma_linha() {
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
    fn causa_que_o_erro_ja_repete_aparece_uma_vez() {
        let error = error::Error::from(StoreError::from(sqlx::Error::PoolTimedOut));
        let text = Causes(&error).to_string();
        assert_eq!(text.matches(&sqlx::Error::PoolTimedOut.to_string()).count(), 1, "{text}");
    }
}
