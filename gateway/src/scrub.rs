//! Text of a visitor's browser as it may stand in the log.

/// Replaces what may identify a person or open something.
const HIDDEN: &str = "***";
/// Where the site's scripts are. Their names contain hashes, which look like codes.
const SCRIPTS: &str = "/assets/";
/// Shortest run of letters and digits that counts as a code or an id.
const SHORTEST_CODE: usize = 12;
/// Digits of one run from which on it may be a document, a phone or a card.
const PERSONAL_DIGITS: usize = 5;

/// The text in one line of at most so many characters, without control characters, query strings,
/// emails, codes and long numbers.
pub(crate) fn scrubbed(text: &str, max: usize) -> String {
    let lines: Vec<_> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(scrubbed_line).collect();
    lines.join(" | ").chars().take(max).collect()
}

fn scrubbed_line(line: &str) -> String {
    let shown: String = line.chars().map(|c| if is_shown(c) { c } else { ' ' }).collect();
    shown.split_inclusive(ends_word).map(scrubbed_word).collect()
}

/// Printable ASCII, or a letter or digit of any language: neither controls nor marks that reorder
/// text.
fn is_shown(c: char) -> bool {
    matches!(c, ' '..='~') || c.is_alphanumeric()
}

fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '(' | ')' | '"' | '\'' | '`' | '<' | '>')
}

/// A word with the character that ends it.
fn scrubbed_word(word: &str) -> String {
    let bare = word.trim_end_matches(ends_word);
    let end = &word[bare.len()..];
    let is_address = bare.contains('/');
    let cut = bare.find(|c| c == '?' || (c == '#' && is_address)).filter(|at| at + 1 < bare.len());
    let (kept, query) = cut.map_or((bare, ""), |at| (&bare[..=at], HIDDEN));
    let kept = match kept {
        kept if names_email(kept) => HIDDEN.to_owned(),
        kept if kept.contains(SCRIPTS) => kept.to_owned(),
        kept => without_codes(kept),
    };
    format!("{kept}{query}{end}")
}

/// Whether a word contains an email. A place in a stack, `f@https://…`, is not an email.
fn names_email(word: &str) -> bool {
    let word = word.to_ascii_lowercase().replace("%40", "@");
    word.split('@').skip(1).any(|after| {
        let domain = after.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-').next();
        domain.is_some_and(|domain| domain.trim_matches('.').contains('.'))
    })
}

fn without_codes(word: &str) -> String {
    let is_of_run = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut rest = word;
    let mut scrubbed = String::new();
    while !rest.is_empty() {
        let run = rest.find(|c| !is_of_run(c)).unwrap_or(rest.len());
        scrubbed.push_str(if is_code(&rest[..run]) { HIDDEN } else { &rest[..run] });
        let next = rest[run..].find(is_of_run).map_or(rest.len(), |at| run + at);
        scrubbed.push_str(&rest[run..next]);
        rest = &rest[next..];
    }
    scrubbed
}

fn is_code(run: &str) -> bool {
    let digits = run.chars().filter(char::is_ascii_digit).count();
    digits >= PERSONAL_DIGITS || (digits > 0 && run.chars().count() >= SHORTEST_CODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stack_trace_of_our_code_is_kept_in_one_line() {
        for stack in [
            "TypeError: Cannot read properties of undefined (reading 'price')",
            "at o (https://garimpo.example/assets/site-Cu35oAmy.js:1:183402)",
            "o@https://garimpo.example/assets/checkout-return-BV6GfwYV.js:1:23",
            "Minified React error #418; visit https://react.dev/errors/418",
            "não é uma função",
        ] {
            assert_eq!(scrubbed(stack, 300), stack);
        }
        assert_eq!(scrubbed("TypeError: x\n    at a\r\n  at b\n", 300), "TypeError: x | at a | at b");
        assert_eq!(scrubbed(&"á".repeat(500), 300).chars().count(), 300);
    }

    #[test]
    fn queries_emails_codes_and_long_numbers_are_removed() {
        for (text, shown) in [
            (
                "at https://x.example/redefinir-senha?code=abc&email=a,b:3",
                "at https://x.example/redefinir-senha?***",
            ),
            ("(https://x.example/login#token=abc)", "(https://x.example/login#***)"),
            ("no account ana@exemplo.com.br here", "no account *** here"),
            ("ana%40exemplo.com.br", "***"),
            ("https://ana:senha@x.example/assets/a.js", "***"),
            ("user usr_01HXYZ12345 of cs_test_a1b2c3d4e5", "user *** of ***"),
            ("Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl1", "Bearer ***.***.***"),
            ("tel (11) 98765-4321", "tel (11) ***"),
            ("cpf 52998224725", "cpf ***"),
        ] {
            assert_eq!(scrubbed(text, 300), shown);
        }
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_line_without_control_characters(text in any::<String>()) {
            let line = scrubbed(&text, 50);
            prop_assert!(line.chars().all(is_shown) && line.chars().count() <= 50, "{line:?}");
        }
    }
}
