//! The files of the built site: inside the binary, or in a folder.

use super::{negotiate, packing};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use parking_lot::RwLock;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A development build reads the folder on each access; a release build carries it.
#[derive(RustEmbed)]
#[folder = "../web/dist/"]
struct Dist;

/// Source of the site's files.
#[derive(Debug, Clone, Default)]
pub enum Files {
    #[default]
    Embedded,
    /// In a folder with the layout of `web/dist`.
    Folder(PathBuf),
}

/// One representation of a file.
#[derive(Clone)]
pub(super) struct File {
    pub bytes: Bytes,
    hash: [u8; 32],
    pub content_type: HeaderValue,
    pub encoding: Option<&'static str>,
}

impl File {
    pub fn new(bytes: Vec<u8>, content_type: HeaderValue, encoding: Option<&'static str>) -> Self {
        Self { hash: Sha256::digest(&bytes).into(), bytes: bytes.into(), content_type, encoding }
    }

    /// Strong, because it is computed from the bytes that are sent.
    pub fn etag(&self) -> HeaderValue {
        let tag = format!("\"{}\"", hex::encode(&self.hash[..16]));
        HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"0\""))
    }
}

/// A file as the web build stores it.
struct Stored {
    bytes: Bytes,
    /// SHA-256.
    hash: [u8; 32],
    /// Text is stored as brotli alone: its other forms would add 2 MB to the program.
    is_packed: bool,
}

/// Files by the hash of their packed form and the encoding of the unpacked one.
type Unpacked = RwLock<HashMap<([u8; 32], Option<&'static str>), File>>;

/// Files for callers that do not take brotli: at most two for each file of the site.
static UNPACKED: LazyLock<Unpacked> = LazyLock::new(RwLock::default);

impl Files {
    /// The smallest representation that the caller accepts.
    pub(super) fn negotiated(&self, name: &str, request: &HeaderMap) -> Option<File> {
        let Stored { bytes, hash, is_packed } = self.stored(name)?;
        let content_type = content_type(name);
        let encoding = ["br", "gzip"].into_iter().find(|encoding| negotiate::accepts(request, encoding));
        if !is_packed {
            return Some(File { bytes, hash, content_type, encoding: None });
        }
        if encoding == Some("br") {
            return Some(File { bytes, hash, content_type, encoding });
        }
        let unpacked = UNPACKED.read().get(&(hash, encoding)).cloned();
        let unpacked = unpacked.or_else(|| {
            let plain = packing::unbrotli(&bytes)?;
            let bytes = if encoding.is_some() { packing::gzip(&plain) } else { plain };
            let file = File::new(bytes, content_type.clone(), encoding);
            UNPACKED.write().insert((hash, encoding), file.clone());
            Some(file)
        })?;
        Some(File { content_type, ..unpacked })
    }

    /// A hash that changes with the file.
    pub(super) fn version(&self, name: &str) -> Option<[u8; 32]> {
        Some(self.stored(name)?.hash)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let Stored { bytes, is_packed, .. } = self.stored(name)?;
        let plain = if is_packed { packing::unbrotli(&bytes)? } else { bytes.into() };
        String::from_utf8(plain).ok()
    }

    fn stored(&self, name: &str) -> Option<Stored> {
        let packed = self.read(&format!("{name}.br"));
        let is_packed = packed.is_some();
        let (bytes, hash) = packed.or_else(|| self.read(name))?;
        Some(Stored { bytes, hash, is_packed })
    }

    fn read(&self, name: &str) -> Option<(Bytes, [u8; 32])> {
        match self {
            Self::Embedded => {
                let file = Dist::get(name)?;
                let bytes = match file.data {
                    Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                    Cow::Owned(bytes) => Bytes::from(bytes),
                };
                Some((bytes, file.metadata.sha256_hash()))
            }
            Self::Folder(folder) => {
                let bytes = std::fs::read(folder.join(name)).ok()?;
                let hash = Sha256::digest(&bytes).into();
                Some((bytes.into(), hash))
            }
        }
    }
}

/// Whether a file has an address: pages and files for the gateway do not.
pub(super) fn is_served_by_name(name: &str) -> bool {
    let walks_out = name.split('/').any(|part| part.is_empty() || part.starts_with('.'));
    let hidden = name == "routes.json";
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    !walks_out && !hidden && !name.contains('\\') && !matches!(ending, "" | "html" | "br" | "gz" | "map")
}

/// Whether the file can contain the address of the site: pages, and files for search engines.
pub(super) fn may_name_our_address(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "html"))) || matches!(name, "sitemap.xml" | "robots.txt")
}

/// MIME type by the name's ending. Text is UTF-8.
pub(super) fn content_type(name: &str) -> HeaderValue {
    let mime = match mime_guess::from_path(name).first_raw() {
        // Browsers ignore the rules under any other type.
        _ if name == "speculation-rules.json" => "application/speculationrules+json",
        Some("text/xml") => "application/xml",
        Some(mime) => mime,
        None => "application/octet-stream",
    };
    if mime.starts_with("text/") {
        HeaderValue::try_from(format!("{mime}; charset=utf-8")).expect("a MIME type is visible ASCII")
    } else {
        HeaderValue::from_static(mime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_internal_files_are_not_served_by_name() {
        for name in ["index.html", "routes.json", "assets/a.js.br", "../x.js", "a//b.js", ".vite/m.json", "x"]
        {
            assert!(!is_served_by_name(name), "{name}");
        }
        for name in ["assets/a.js", "robots.txt", "sitemap.xml", "favicon.svg"] {
            assert!(is_served_by_name(name), "{name}");
        }
    }
}
