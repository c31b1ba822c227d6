//! Files that contain the site's own address, which search engines and shared links need with
//! scheme and host.
//!
//! Only the settings have the address, so the build writes a placeholder
//! (`web/src/site/origin.ts`). The first request of such a file replaces the placeholder and
//! compresses the result. Later requests read it from memory.

use super::files::{File, Files, content_type};
use super::negotiate;
use super::packing::{brotli, gzip};
use http::HeaderMap;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Placeholder for the site's own address.
const PLACEHOLDER: &str = "https://garimpo.invalid";

/// The completed files of one site.
pub(super) struct Addressed {
    origin: String,
    /// By name. A changed file has another hash and is completed again.
    made: RwLock<HashMap<String, Entry>>,
}

#[derive(Clone, Default)]
struct Entry {
    source: [u8; 32],
    completed: Arc<OnceCell<Option<Completed>>>,
}

/// A file with the address, in each encoding.
#[derive(Clone)]
struct Completed {
    brotli: File,
    gzip: File,
    plain: File,
}

impl Addressed {
    /// `origin` as browsers write it.
    pub fn new(origin: String) -> Self {
        Self { origin, made: RwLock::default() }
    }

    /// The smallest representation that the caller accepts. Files without the placeholder are
    /// returned unchanged.
    pub async fn negotiated(&self, files: &Files, name: &str, request: &HeaderMap) -> Option<File> {
        let entry = self.entry(name, files.version(name)?);
        let completed = entry.completed.get_or_init(|| self.complete(name, files.text(name))).await;
        let Some(Completed { brotli, gzip, plain }) = completed else {
            return files.negotiated(name, request);
        };
        let best = match () {
            () if negotiate::accepts(request, "br") => brotli,
            () if negotiate::accepts(request, "gzip") => gzip,
            () => plain,
        };
        Some(best.clone())
    }

    fn entry(&self, name: &str, source: [u8; 32]) -> Entry {
        if let Some(entry) = self.made.read().get(name).filter(|entry| entry.source == source) {
            return entry.clone();
        }
        let mut made = self.made.write();
        let entry = made.entry(name.to_owned()).or_default();
        if entry.source != source {
            *entry = Entry { source, completed: Arc::default() };
        }
        entry.clone()
    }

    /// Runs on a blocking thread, because compression takes a tenth of a second.
    async fn complete(&self, name: &str, source: Option<String>) -> Option<Completed> {
        let text = source.filter(|text| text.contains(PLACEHOLDER))?;
        let plain = text.replace(PLACEHOLDER, &self.origin).into_bytes();
        let content_type = content_type(name);
        let packed = tokio::task::spawn_blocking(move || Completed {
            brotli: File::new(brotli(&plain), content_type.clone(), Some("br")),
            gzip: File::new(gzip(&plain), content_type.clone(), Some("gzip")),
            plain: File::new(plain, content_type, None),
        });
        packed.await.inspect_err(|error| tracing::error!(%error, name, "a page could not be packed")).ok()
    }
}
