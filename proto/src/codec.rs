//! How messages become bytes: protobuf, into buffers of the size that our messages have.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// First size of a call's buffers, in bytes, and the step by which they grow. Nearly all messages fit in one, and the
/// allocator keeps pieces up to this size at hand. tonic's own 8 KiB, four times a call, took more time than the
/// messages.
const BUFFER: usize = 1_000;
/// A stream hands on what it has after this many bytes: tonic's own number.
const YIELD: usize = 32 * 1024;

/// The codec of every service; the generated code names it.
#[derive(Debug)]
pub struct SmallCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Message + Send + 'static, U: Message + Default + Send + 'static> Codec for SmallCodec<T, U> {
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFER, YIELD))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(BUFFER, YIELD))
    }
}
