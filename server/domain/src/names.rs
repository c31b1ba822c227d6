//! Names of enums.

/// Gives an enum the names that `strum` derives: `named!(Kind);` has `name`, and `named!(Kind,
/// parse, all);` also reads a name exactly and lists the variants in their order.
#[macro_export]
macro_rules! named {
    (@parse $type:ident) => {
        impl $type {
            /// Reads a name, exactly.
            pub fn parse(name: &str) -> Option<Self> {
                name.parse().ok()
            }
        }
    };
    (@all $type:ident) => {
        impl $type {
            /// Every variant, in their order.
            pub const ALL: [Self; <Self as strum::VariantArray>::VARIANTS.len()] =
                *<Self as strum::VariantArray>::VARIANTS.as_array().expect("their number");
        }
    };
    ($type:ident $(, $part:ident)*) => {
        impl $type {
            /// The name, as it is stored and on the wire.
            pub fn name(self) -> &'static str {
                self.into()
            }
        }

        $($crate::names::named!(@$part $type);)*
    };
}

// By its path, so that the files of this crate need not name its first file.
pub use named;
