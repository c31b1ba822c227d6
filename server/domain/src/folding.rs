//! Comparing words as people type them: without case, accents or repeated blanks.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folds a text for comparison: lower case, no accents, no blanks around it and single ones inside.
///
/// `fold("  Elite  NÍVEL 1 ")` is `"elite nivel 1"`. The result is for comparing, never for
/// showing.
pub fn fold(text: &str) -> String {
    let bare: String = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn folding_ignores_case_accents_and_repeated_spaces() {
        assert_eq!(fold("  Elite \t NÍVEL  1 "), "elite nivel 1");
        assert_eq!(fold("ANIVERSÁRIO"), "aniversario");
        assert_eq!(fold("ni\u{301}vel"), "nivel");
        assert_eq!(fold(""), "");
    }
}
