//! Tokens of our own services.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Holder, Sessions};
use crate::caller::{Service, TokenShare};
use crate::causes::Causes;
use crate::store::{Result, TokenHash, service_tokens, transaction};

/// The use of a service token is stored at most this often.
const TOUCH_SECONDS: i64 = 60;

impl Sessions {
    pub(super) async fn service(&self, hash: &TokenHash) -> Result<Option<Holder>> {
        let Some(token) = service_tokens::by_hash(&self.store, hash).await? else { return Ok(None) };
        if token.revoked_at.is_some() {
            return Ok(Some(Holder::Revoked(Arc::new(token))));
        }
        let (calls, watches) = (self.limits.calls_per_token, self.limits.watches_per_token);
        let share = self.shares.get_with(token.id.clone(), || Arc::new(TokenShare::new(calls, watches)));
        let service = Service { token, hash: *hash, share, is_use_written: AtomicBool::new(false) };
        Ok(Some(Holder::Service(Arc::new(service))))
    }

    /// Whether a service's token is still valid, as far as the cache knows; the check counts as a
    /// use.
    pub(crate) async fn is_still_valid(&self, service: &Service) -> Result<bool> {
        let kept = self.cache.get(&service.hash).filter(|_| !self.ended.contains(&service.token.id));
        let is_read = kept.is_none();
        let holder = if is_read { self.service(&service.hash).await? } else { kept };
        let Some(Holder::Service(current)) = holder else { return Ok(false) };
        if is_read {
            self.cache.insert(current.hash, Holder::Service(current.clone()));
        }
        self.touch_service(&current).await;
        Ok(true)
    }

    /// Stores the use of a token, at most once a minute. Concurrent calls do not wait for the
    /// write.
    pub(super) async fn touch_service(&self, service: &Service) {
        let now = self.clock.now();
        let is_due = service.token.used_at.is_none_or(|used| now >= used.plus_seconds(TOUCH_SECONDS));
        if !is_due || service.is_use_written.swap(true, Ordering::Relaxed) {
            return;
        }
        let written = Box::pin(async {
            transaction!(self.store, (id = service.token.id.clone()), |tx| {
                service_tokens::record_use(tx, id, now).await
            })
        });
        match written.await {
            // Removed instead of updated, because an update would extend the cache time of a
            // revoked token.
            Ok(()) => self.cache.invalidate(&service.hash),
            Err(error) => {
                service.is_use_written.store(false, Ordering::Relaxed);
                tracing::warn!(error = %Causes(&error), "the use of a token was not stored");
            }
        }
    }
}
