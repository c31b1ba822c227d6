//! Dependencies shared by every part of the server.

use std::sync::Arc;

use garimpo_domain::Timestamp;

use crate::clock::Clock;
use crate::error::Result;
use crate::ids::Ids;
use crate::store::{Store, StoreError, Tx, TxFuture};

#[derive(Clone)]
pub(crate) struct AppContext {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
}

impl AppContext {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A write whose job fails only with a store error.
    pub(crate) async fn write<C, T, F>(&self, context: C, job: F) -> Result<T>
    where
        F: for<'t> Fn(&'t mut Tx, &'t C) -> TxFuture<'t, T, StoreError> + Send + Sync + 'static,
        C: Send + Sync + 'static,
        T: Send + 'static,
    {
        Ok(self.store.write(context, job).await?)
    }
}
