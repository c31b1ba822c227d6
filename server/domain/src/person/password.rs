//! New passwords: how long, and which are refused.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

/// The fewest characters a password may have.
pub const PASSWORD_MIN: usize = 6;
/// The most characters a password may have.
pub const PASSWORD_MAX: usize = 128;

/// Why a text may not be a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// It is empty.
    #[error("password is missing")]
    Missing,
    /// It has fewer characters than this minimum.
    #[error("password has fewer than {0} characters")]
    TooShort(usize),
    /// It has more than [`PASSWORD_MAX`] characters.
    #[error("password is too long")]
    TooLong,
    /// It is among the commonest, or those that an operator refuses.
    #[error("password is too easy to guess")]
    Refused,
}

/// The hundred commonest passwords, as in published lists of leaked ones, with those that
/// Brazilians choose. Whoever tries passwords begins with them.
const COMMONEST: &str = include_str!("commonest_passwords.txt");

/// What a new password must be. A longer minimum and a longer list of refused passwords are
/// settings, off by default.
#[derive(Clone, Debug)]
pub struct PasswordPolicy {
    minimum: usize,
    refused: Arc<HashSet<String>>,
}

impl Default for PasswordPolicy {
    fn default() -> Self {
        PasswordPolicy::new(PASSWORD_MIN, [])
    }
}

impl PasswordPolicy {
    /// A policy with the fewest characters and the passwords that are refused in whatever case,
    /// beside the commonest.
    pub fn new(minimum: usize, refused: impl IntoIterator<Item = String>) -> Self {
        let commonest = COMMONEST.lines().map(str::to_owned);
        let refused = commonest.chain(refused.into_iter().map(|text| plain(&text))).collect();
        PasswordPolicy { minimum, refused: Arc::new(refused) }
    }

    /// Reads a new password.
    pub fn read(&self, typed: &str) -> Result<Password, PasswordError> {
        let password = Password::parse_with_minimum(typed, self.minimum)?;
        if self.refused.contains(&plain(password.expose())) {
            Err(PasswordError::Refused)
        } else {
            Ok(password)
        }
    }
}

fn plain(password: &str) -> String {
    password.nfc().collect::<String>().to_lowercase()
}

/// A password as typed, in Unicode's composed form (NFC): 6 to 128 characters. Never shown or
/// logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Reads a new password. Blanks count and are kept.
    pub fn parse(text: &str) -> Result<Self, PasswordError> {
        Password::parse_with_minimum(text, PASSWORD_MIN)
    }

    /// Reads a new password where a setting asks for more characters than [`PASSWORD_MIN`].
    pub fn parse_with_minimum(text: &str, minimum: usize) -> Result<Self, PasswordError> {
        // A character is composed of a few at most: this is too long in any form, so it is refused
        // before the work of composing it.
        if text.len() > PASSWORD_MAX * 64 {
            return Err(PasswordError::TooLong);
        }
        let password: String = text.nfc().collect();
        match password.chars().count() {
            0 => Err(PasswordError::Missing),
            length if length < minimum => Err(PasswordError::TooShort(minimum)),
            length if length > PASSWORD_MAX => Err(PasswordError::TooLong),
            _ => Ok(Password(password)),
        }
    }

    /// The password itself, for the hash alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
