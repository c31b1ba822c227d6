//! Files that name the site's own address: search engines and shared links want it with scheme and host, which only the
//! settings know. The build writes a stand-in for it (`web/src/app/origin.ts`); the first request of such a file puts
//! the address there and packs the result, every later one is answered from memory.

use super::files::{File, Files, content_type};
use super::negotiate;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderMap;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::OnceCell;

/// What the build writes where the site's own address belongs.
const STAND_IN: &str = "https://garimpo.invalid";
/// As small as the build packs the other files; a development build, whose packer is slow, keeps no one waiting.
const BROTLI_QUALITY: i32 = if cfg!(debug_assertions) { 4 } else { 11 };

/// The completed files of one site.
pub(super) struct Addressed {
    origin: String,
    /// By name. A file that changed since has another hash and is completed anew.
    made: RwLock<HashMap<String, Entry>>,
}

#[derive(Clone)]
struct Entry {
    source: [u8; 32],
    completed: Arc<OnceCell<Option<Completed>>>,
}

/// A file with the address in it, as each reader takes it.
#[derive(Clone)]
struct Completed {
    brotli: File,
    gzip: File,
    plain: File,
}

impl Addressed {
    /// `origin`: the site's own, as browsers write it.
    pub fn new(origin: String) -> Self {
        Self { origin, made: RwLock::default() }
    }

    /// The best representation of a file that the caller takes; files without the stand-in are as the build left them.
    pub async fn negotiated(&self, files: &Files, name: &str, asked: &HeaderMap) -> Option<File> {
        let source = files.plain(name)?;
        let entry = self.entry(name, source.hash());
        let completed = entry.completed.get_or_init(|| self.complete(name, source.bytes)).await;
        let Some(Completed { brotli, gzip, plain }) = completed else { return files.negotiated(name, asked) };
        let best = match () {
            () if negotiate::accepts(asked, "br") => brotli,
            () if negotiate::accepts(asked, "gzip") => gzip,
            () => plain,
        };
        Some(best.clone())
    }

    fn entry(&self, name: &str, source: [u8; 32]) -> Entry {
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = made.get(name).filter(|entry| entry.source == source) {
            return entry.clone();
        }
        drop(made);
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        let entry = made.entry(name.to_owned()).or_insert_with(|| Entry::of(source));
        if entry.source != source {
            *entry = Entry::of(source);
        }
        entry.clone()
    }

    /// Off the async threads: packing takes a tenth of a second.
    async fn complete(&self, name: &str, source: Bytes) -> Option<Completed> {
        let text = std::str::from_utf8(&source).ok().filter(|text| text.contains(STAND_IN))?;
        let plain = text.replace(STAND_IN, &self.origin).into_bytes();
        let content_type = content_type(name);
        let packed = tokio::task::spawn_blocking(move || Completed {
            brotli: File::new(brotli(&plain), content_type.clone(), Some("br")),
            gzip: File::new(gzip(&plain), content_type.clone(), Some("gzip")),
            plain: File::new(plain, content_type, None),
        });
        packed.await.inspect_err(|error| tracing::error!(%error, name, "a page could not be packed")).ok()
    }
}

impl Entry {
    fn of(source: [u8; 32]) -> Self {
        Self { source, completed: Arc::default() }
    }
}

fn brotli(mut plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        size_hint: plain.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut plain, &mut packed, &parameters).expect("writing to memory cannot fail");
    packed
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(plain).and_then(|()| packer.finish()).expect("writing to memory cannot fail")
}
