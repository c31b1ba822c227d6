//! Dependencies shared by every part of the server.

use std::sync::Arc;

use crate::clock::Clock;
use crate::ids::Ids;
use crate::store::Store;

#[derive(Clone)]
pub(crate) struct AppContext {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
}
