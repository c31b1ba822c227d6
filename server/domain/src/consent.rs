//! A person's consent to advertising (LGPD, articles 7, 8 and 18).

use crate::instant::Timestamp;

/// Version of the text that pages show (web/src/texts/consent.ts). An answer to another version is
/// void.
pub const TEXT_VERSION: &str = "2026-11.3";
/// Days after which an answer is void and the question is asked again.
pub const LIVES_DAYS: i64 = 365;
/// Longest version of a text, in characters.
const LONGEST_VERSION: usize = 32;

/// An answer that can be proven: what was allowed, to which text, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// Whether sign-up and purchase may be reported to advertising platforms.
    pub ads_allowed: bool,
    /// Version of the text that was shown.
    pub text_version: String,
    /// When it was answered.
    pub at: Timestamp,
}

impl Consent {
    /// Reads an answer; `None` when it could not be proven later: without an instant, or without
    /// the version of a text.
    ///
    /// The page's clock follows the server's and may still be a little ahead: no answer is given in
    /// the future.
    pub fn read(
        ads_allowed: bool,
        text_version: &str,
        at: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<Self> {
        let stands = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
        let named = (1..=LONGEST_VERSION).contains(&text_version.len()) && text_version.bytes().all(stands);
        let at = at.filter(|at| *at > Timestamp::from_micros(0))?.min(now);
        named.then(|| Self { ads_allowed, text_version: text_version.to_owned(), at })
    }

    /// Whether it counts still: to the text of today, and not too long ago.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.text_version == TEXT_VERSION && now.plus_days(-LIVES_DAYS) <= self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_seconds(1_790_000_000);

    #[test]
    fn consent_without_a_text_version_or_time_is_ignored() {
        for (version, at, stands) in [
            ("2026-11.3", Some(NOW), true),
            ("v1.2", Some(NOW.plus_days(-400)), true),
            ("", Some(NOW), false),
            ("com espaço", Some(NOW), false),
            ("a\0b", Some(NOW), false),
            (&"9".repeat(33), Some(NOW), false),
            ("2026-11.3", None, false),
            ("2026-11.3", Some(Timestamp::from_micros(0)), false),
        ] {
            assert_eq!(Consent::read(true, version, at, NOW).is_some(), stands, "{version:?} {at:?}");
        }
    }

    #[test]
    fn consent_dated_in_the_future_counts_as_given_now() {
        let read = Consent::read(false, "1", Some(NOW.plus_days(1)), NOW);

        assert_eq!(read, Some(Consent { ads_allowed: false, text_version: "1".to_owned(), at: NOW }));
    }

    #[test]
    fn consent_older_than_a_year_or_to_another_text_no_longer_holds() {
        let given = |days: i64, version: &str| Consent {
            ads_allowed: true,
            text_version: version.to_owned(),
            at: NOW.plus_days(-days),
        };
        for (days, version, holds) in [
            (0, TEXT_VERSION, true),
            (365, TEXT_VERSION, true),
            (366, TEXT_VERSION, false),
            (0, "2025-01", false),
        ] {
            assert_eq!(given(days, version).holds(NOW), holds, "{days} days, {version}");
        }
    }
}
