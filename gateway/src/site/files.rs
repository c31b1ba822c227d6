//! The files of the built site: inside the binary, or in a folder.

use super::negotiate;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::PathBuf;

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

    /// SHA-256.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Strong, because it is computed from the bytes that are sent.
    pub fn etag(&self) -> HeaderValue {
        let tag = format!("\"{}\"", hex::encode(&self.hash[..16]));
        HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"0\""))
    }
}

impl Files {
    /// The smallest representation that the caller accepts.
    pub(super) fn negotiated(&self, name: &str, request: &HeaderMap) -> Option<File> {
        for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
            if !negotiate::accepts(request, encoding) {
                continue;
            }
            if let Some((bytes, hash)) = self.read(&format!("{name}.{ending}")) {
                return Some(File {
                    bytes,
                    hash,
                    content_type: content_type(name),
                    encoding: Some(encoding),
                });
            }
        }
        self.plain(name)
    }

    /// The file without compression.
    pub(super) fn plain(&self, name: &str) -> Option<File> {
        let (bytes, hash) = self.read(name)?;
        Some(File { bytes, hash, content_type: content_type(name), encoding: None })
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (bytes, _) = self.read(name)?;
        String::from_utf8(bytes.into()).ok()
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
    fn paginas_e_arquivos_internos_nao_respondem_pelo_nome() {
        for name in ["index.html", "routes.json", "assets/a.js.br", "../x.js", "a//b.js", ".vite/m.json", "x"]
        {
            assert!(!is_served_by_name(name), "{name}");
        }
        for name in ["assets/a.js", "robots.txt", "sitemap.xml", "favicon.svg"] {
            assert!(is_served_by_name(name), "{name}");
        }
    }
}
