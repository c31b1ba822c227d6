//! The fields of a sign-up, each parsed once into a type of its own.
//!
//! Control characters are refused in every field that is stored and shown, as a database text
//! cannot hold all of them and a mail header must not. The cases of `tests/vectors/signup.json`
//! hold here and in the browser alike.

use std::fmt;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
use url::{Host, Url};

use crate::unseen::{has_ink, is_format};

mod password;

pub use password::{PASSWORD_MAX, PASSWORD_MIN, Password, PasswordError, PasswordPolicy};

/// The most characters an email may have.
pub const EMAIL_MAX: usize = 254;
/// The most octets of an email before the `@`.
const LOCAL_PART_MAX: usize = 64;
/// The most octets of a label of a domain.
const LABEL_MAX: usize = 63;
/// The most characters a display name may have.
pub const DISPLAY_NAME_MAX: usize = 120;
/// The most combining marks on one letter of a name. Vietnamese has two, Hebrew with its signs of
/// chant four.
const MAX_MARKS: usize = 4;
/// The most characters the address of a photo may have.
pub const PHOTO_URL_MAX: usize = 2048;

/// Why an email is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailError {
    /// It is empty.
    #[error("email is missing")]
    Missing,
    /// It does not look like `someone@somewhere.tld`.
    #[error("email is malformed")]
    Malformed,
    /// It has more than [`EMAIL_MAX`] characters.
    #[error("email is too long")]
    TooLong,
    /// Mail servers without extensions take no mail to it, or a mail cannot have it as an address.
    #[error("no mail can be sent to this email")]
    Unreachable,
}

/// Why a display name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisplayNameError {
    /// It is empty.
    #[error("name is missing")]
    Missing,
    /// It holds control characters.
    #[error("name is malformed")]
    Malformed,
    /// It has more than [`DISPLAY_NAME_MAX`] characters.
    #[error("name is too long")]
    TooLong,
}

/// Why a phone number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// It has not 10 or 11 digits, area code (DDD) included.
    #[error("phone number must have 10 or 11 digits")]
    WrongLength,
}

/// An email address, trimmed and lower-cased, its domain in ASCII.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    /// Reads an email to which a mail can be sent: `^[^\s@]+@[^\s@]+\.[^\s@]+$` after trimming, at
    /// most 254 characters, a dot-atom of ASCII before the `@` and the name of a host after it.
    pub fn parse(text: &str) -> Result<Self, EmailError> {
        let email = email_as_compared(text);
        if email.is_empty() {
            return Err(EmailError::Missing);
        }
        if email.chars().count() > EMAIL_MAX {
            return Err(EmailError::TooLong);
        }
        if !looks_like_an_address(&email) {
            return Err(EmailError::Malformed);
        }
        if is_reachable(&email) { Ok(Email(email)) } else { Err(EmailError::Unreachable) }
    }

    /// The address as stored and sent to.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The form of an email that is equal for all spellings of one mailbox.
///
/// The plus tag is dropped, and for Gmail the dots of the local part, because all of these reach
/// one mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalAddress(String);

impl CanonicalAddress {
    /// Derives the address from an email.
    pub fn of(email: &Email) -> Self {
        let Some((local, domain)) = email.0.rsplit_once('@') else { return Self(email.0.clone()) };
        let mailbox = match local.split_once('+') {
            Some((mailbox, _)) if !mailbox.is_empty() => mailbox,
            _ => local,
        };
        if domain != "gmail.com" && domain != "googlemail.com" {
            return Self(format!("{mailbox}@{domain}"));
        }
        Self(format!("{}@gmail.com", mailbox.replace('.', "")))
    }

    /// The text to hash. Mail is never sent to it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Lets a parsed field be stored and sent as its text.
macro_rules! into_text {
    ($($type:ty),*) => {
        $(impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.0
            }
        })*
    };
}

into_text!(Email, Phone, PhotoUrl);

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Email {
    /// Hides the address: logs carry the uid, never who it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(***)")
    }
}

/// A domain in the form of the DNS: lower-case ASCII (UTS 46).
pub fn ascii_domain(domain: &str) -> String {
    match Host::parse(domain) {
        Ok(Host::Domain(ascii)) => ascii,
        _ => domain.to_owned(),
    }
}

fn looks_like_an_address(email: &str) -> bool {
    if email.contains(|c: char| is_blank(c) || c.is_control()) {
        return false;
    }
    let Some((local, domain)) = email.split_once('@') else { return false };
    let dot_inside = domain.char_indices().any(|(at, c)| c == '.' && at > 0 && at + 1 < domain.len());
    !local.is_empty() && !domain.contains('@') && dot_inside
}

/// Whether a mail can be sent to an address without an SMTP extension that few servers have, by
/// RFC 5321, sections 4.1.2 and 4.5.3.1: no quoted or non-ASCII local part, no address literal.
fn is_reachable(email: &str) -> bool {
    let Some((local, domain)) = email.rsplit_once('@') else { return false };
    let is_of_local = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_of_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_atom = |atom: &str| !atom.is_empty() && atom.bytes().all(is_of_local);
    let is_label = |label: &str| {
        (1..=LABEL_MAX).contains(&label.len())
            && label.bytes().all(is_of_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    local.len() <= LOCAL_PART_MAX && local.split('.').all(is_atom) && domain.split('.').all(is_label)
}

/// The form in which a typed email is compared and counted, valid or not: trimmed, in lower case,
/// and with the domain in ASCII, because some browsers send it so and others as it was typed.
pub fn email_as_compared(text: &str) -> String {
    let email = text.trim_matches(is_blank).to_lowercase();
    match email.rsplit_once('@') {
        Some((local, domain)) if !domain.is_ascii() => format!("{local}@{}", ascii_domain(domain)),
        _ => email,
    }
}

/// Whether `\s` of a regular expression in a browser matches: white space and the byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The name that a person goes by, trimmed: 1 to 120 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisplayName(String);

impl DisplayName {
    /// Reads a display name.
    pub fn parse(text: &str) -> Result<Self, DisplayNameError> {
        // Some phones paste a mark of direction with a name.
        let name = text.trim_matches(|c: char| is_blank(c) || is_hidden(c));
        if name.is_empty() {
            return Err(DisplayNameError::Missing);
        }
        if name.chars().count() > DISPLAY_NAME_MAX {
            return Err(DisplayNameError::TooLong);
        }
        if !name.chars().any(has_ink) {
            return Err(DisplayNameError::Missing);
        }
        if name.contains(|c: char| c.is_control() || ends_line(c) || is_hidden(c)) || towers(name) {
            return Err(DisplayNameError::Malformed);
        }
        Ok(DisplayName(name.to_owned()))
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first word of the name.
    pub fn first_name(&self) -> &str {
        self.0.split(is_blank).next().unwrap_or(&self.0)
    }

    /// The rest after the first word; `None` if there is only one word.
    pub fn last_name(&self) -> Option<&str> {
        let (_, rest) = self.0.split_once(is_blank)?;
        Some(rest.trim_matches(is_blank))
    }
}

impl fmt::Display for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Line and paragraph separators, which would break a line of a log or table.
fn ends_line(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Invisible characters that may reverse the direction of the text. The zero-width joiner and
/// non-joiner are allowed, because names contain them.
fn is_hidden(c: char) -> bool {
    (is_format(c) && !matches!(c, '\u{200c}' | '\u{200d}')) || c == '\u{34f}'
}

/// Whether more than [`MAX_MARKS`] combining marks stand on one letter, over the lines above it.
fn towers(name: &str) -> bool {
    let is_mark = |c: char| c.general_category_group() == GeneralCategoryGroup::Mark;
    name.split(|c| !is_mark(c)).any(|marks| marks.chars().count() > MAX_MARKS)
}

/// A Brazilian phone number: the 10 or 11 national digits, area code (DDD) first.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Phone(String);

impl Phone {
    /// Reads a phone number as people type and paste it, by its digits alone. Zeros before it are
    /// the trunk's, and two digits after one may be a carrier's. 55 is an area code too: it is the
    /// country's only behind a plus or `00`, or before a whole number. Pages read by the same rule
    /// (web/src/forms/phone-mask.ts).
    ///
    /// # Errors
    /// [`PhoneError::WrongLength`] unless 10 or 11 national digits are left.
    pub fn parse(text: &str) -> Result<Self, PhoneError> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let first = text.find(|c: char| c == '+' || c.is_ascii_digit());
        let is_international =
            first.is_some_and(|at| text[at..].starts_with('+')) || digits.starts_with("00");
        let national = if is_international {
            digits.trim_start_matches('0').strip_prefix("55").ok_or(PhoneError::WrongLength)?
        } else {
            digits.strip_prefix("55").filter(|rest| is_national(rest)).unwrap_or(&digits)
        };
        let trunk = national.trim_start_matches('0');
        let behind_carrier = trunk.get(2..).filter(|rest| trunk.len() < national.len() && is_national(rest));
        let phone = behind_carrier.unwrap_or(trunk);
        if matches!(phone.len(), 10 | 11) {
            Ok(Phone(phone.to_owned()))
        } else {
            Err(PhoneError::WrongLength)
        }
    }

    /// Like [`Phone::parse`], but refuses a text that has more than digits and their separators.
    ///
    /// # Errors
    /// [`PhoneError::WrongLength`] unless 10 or 11 national digits are left.
    pub fn parse_reported(text: &str) -> Result<Self, PhoneError> {
        if !text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "+-().".contains(c)) {
            return Err(PhoneError::WrongLength);
        }
        Phone::parse(text)
    }

    /// Reads a phone number that may be left out: blank is `None`.
    pub fn parse_optional(text: &str) -> Result<Option<Self>, PhoneError> {
        if text.trim_matches(is_blank).is_empty() { Ok(None) } else { Phone::parse(text).map(Some) }
    }

    /// The national digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether digits are a whole national number: an area code, which has no zero, then the nine
/// digits of a mobile or the eight of a landline.
fn is_national(digits: &str) -> bool {
    let Some((area, number)) = digits.split_at_checked(2) else { return false };
    let (first, length) = (number.as_bytes().first(), number.len());
    !area.contains('0') && matches!((first, length), (Some(b'9'), 9) | (Some(b'2'..=b'5'), 8))
}

impl fmt::Display for Phone {
    /// Writes the number as Brazilians read it: `(11) 98765-4321`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (area, number) = self.0.split_at(2);
        let (prefix, line) = number.split_at(number.len() - 4);
        write!(f, "({area}) {prefix}-{line}")
    }
}

impl fmt::Debug for Phone {
    /// Hides the number, as logs carry nothing personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Phone(***)")
    }
}

/// Why the URL of a photo is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhotoUrlError {
    /// It is no https address with a host, or it names a user.
    #[error("photo address is not an https address")]
    NotHttps,
    /// It has more than [`PHOTO_URL_MAX`] characters.
    #[error("photo address is too long")]
    TooLong,
}

/// The https address of a photo, as a URL parser writes it. Pages load it as an image, and nothing
/// else reads it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PhotoUrl(String);

impl PhotoUrl {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, PhotoUrlError> {
        let text = text.trim_matches(is_blank);
        if text.chars().count() > PHOTO_URL_MAX {
            return Err(PhotoUrlError::TooLong);
        }
        let url = Url::parse(text).map_err(|_| PhotoUrlError::NotHttps)?;
        let names_user = !url.username().is_empty() || url.password().is_some();
        if url.scheme() != "https" || !url.has_host() || names_user {
            return Err(PhotoUrlError::NotHttps);
        }
        // The parser escapes characters with three others, so the URL may have grown.
        let written = String::from(url);
        if written.len() > PHOTO_URL_MAX { Err(PhotoUrlError::TooLong) } else { Ok(PhotoUrl(written)) }
    }

    /// Reads an address that may be left out: blank is `None`.
    pub fn parse_optional(text: &str) -> Result<Option<Self>, PhotoUrlError> {
        if text.trim_matches(is_blank).is_empty() { Ok(None) } else { PhotoUrl::parse(text).map(Some) }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PhotoUrl {
    /// Hides the address, as logs carry nothing personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhotoUrl(***)")
    }
}

#[cfg(test)]
mod tests;
