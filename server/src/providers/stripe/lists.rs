//! Lists, page by page.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::client::Stripe;
use super::errors::Result;
use super::request::Params;

/// Objects per page, which is the provider's maximum.
const PAGE_SIZE: u32 = 100;

/// A page of a list, newest objects first.
#[derive(Debug, Clone, Deserialize)]
pub struct Page<T> {
    pub data: Vec<T>,
    #[serde(default)]
    pub has_more: bool,
}

/// An object that lists return: the next page starts after its id.
pub(super) trait Listed: DeserializeOwned {
    fn id(&self) -> &str;
}

macro_rules! listed {
    ($($object:ty),*) => {
        $(impl $crate::providers::stripe::lists::Listed for $object {
            fn id(&self) -> &str {
                &self.id
            }
        })*
    };
}
pub(super) use listed;

impl Stripe {
    /// Reads every page of a list.
    pub(super) async fn list<T: Listed>(
        &self,
        name: &'static str,
        path: &[&str],
        params: Params,
    ) -> Result<Vec<T>> {
        let mut all: Vec<T> = Vec::new();
        loop {
            let after = all.last().map(T::id).unwrap_or_default();
            let page = self.page(name, path, params.clone(), after).await?;
            let is_last = !page.has_more || page.data.is_empty();
            all.extend(page.data);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Reads the page after an id, or the first page if it is empty.
    pub(super) async fn page<T: DeserializeOwned>(
        &self,
        name: &'static str,
        path: &[&str],
        params: Params,
        after: &str,
    ) -> Result<Page<T>> {
        let after = Some(after).filter(|after| !after.is_empty());
        self.get(name, path, params.set("limit", PAGE_SIZE).set_some("starting_after", after)).await
    }
}
