//! Headers that list texts.

use http::{HeaderMap, HeaderName};

/// The trimmed parts of a header, over all its lines. A part that is not text is left out, because
/// other programs write any byte into cookies, and that must not hide the parts beside it.
pub(crate) fn parts(headers: &HeaderMap, name: HeaderName, separator: u8) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter();
    let parts = lines.flat_map(move |line| line.as_bytes().split(move |byte| *byte == separator));
    parts.filter_map(|part| str::from_utf8(part).ok()).map(str::trim)
}
