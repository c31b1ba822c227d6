//! Fields that reference another object, by its id or as the expanded object.

use serde::{Deserialize, Deserializer};

/// A reference to another object.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Reference<T, I = String> {
    Id(I),
    Object(T),
}

impl<T, I> Reference<T, I> {
    /// The object, if it was expanded.
    pub(super) fn object(&self) -> Option<&T> {
        match self {
            Self::Object(object) => Some(object),
            Self::Id(_) => None,
        }
    }
}

/// Reads a reference as an id.
pub(super) fn id<'de, D: Deserializer<'de>, I: Deserialize<'de>>(source: D) -> Result<Option<I>, D::Error> {
    #[derive(Deserialize)]
    struct Identified<I> {
        id: I,
    }
    let reference: Option<Reference<Identified<I>, I>> = Option::deserialize(source)?;
    Ok(reference.map(|reference| match reference {
        Reference::Id(id) | Reference::Object(Identified { id }) => id,
    }))
}
