//! Encodings of a file's bytes.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// As in the web build. A development build compresses slowly, so it compresses less.
const BROTLI_QUALITY: i32 = if cfg!(debug_assertions) { 4 } else { 11 };

pub(super) fn brotli(mut plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        size_hint: plain.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut plain, &mut packed, &parameters).expect("writing to memory cannot fail");
    packed
}

/// None if the bytes are no brotli.
pub(super) fn unbrotli(mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    brotli::BrotliDecompress(&mut packed, &mut plain).ok()?;
    Some(plain)
}

pub(super) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(plain).and_then(|()| packer.finish()).expect("writing to memory cannot fail")
}
