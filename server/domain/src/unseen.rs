//! Characters that a reader does not see.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Whether a character shows nothing, and turns, joins or divides what is around it.
pub(crate) fn is_format(c: char) -> bool {
    c.general_category() == GeneralCategory::Format
}
