//! Characters that a reader does not see.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// Whether a reader sees something of a character that stands alone. Some letters and symbols are
/// drawn as blanks: the fillers of Hangul, and the Braille cell without dots.
pub(crate) fn has_ink(c: char) -> bool {
    use GeneralCategoryGroup::{Mark, Other, Separator};
    let is_blank = matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}');
    !is_blank && !matches!(c.general_category_group(), Mark | Other | Separator)
}

/// Whether a character shows nothing, and turns, joins or divides what is around it.
pub(crate) fn is_format(c: char) -> bool {
    c.general_category() == GeneralCategory::Format
}
