//! How commands print what they found, and how they exit.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use garimpo_domain::Timestamp;
use serde::Serialize;
use std::fmt::{Display, Write as _};
use std::io::{StdoutLock, Write, stdout};
use std::process::ExitCode;
use std::str::FromStr;

use super::table::is_visible;

/// Exit code of a command that could not check everything.
pub(super) const NOT_CHECKED: u8 = 2;

/// The exit code: 1 when the command found something that the operator should look at.
pub(super) fn exit_code(has_findings: bool) -> ExitCode {
    ExitCode::from(u8::from(has_findings))
}

/// How a command prints its result.
#[derive(Debug, Clone, Copy, Args)]
pub struct Output {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Output {
    /// Prints a value as JSON, or by `text` for people.
    pub(super) fn print(
        self,
        value: &impl Serialize,
        text: impl FnOnce(&mut StdoutLock<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.json { print_json(value) } else { text(&mut stdout().lock()) }
    }

    /// Prints a part of the result for people. JSON is one document, at the end.
    pub(super) fn print_part(self, text: impl FnOnce(&mut StdoutLock<'_>) -> Result<()>) -> Result<()> {
        if self.json { Ok(()) } else { text(&mut stdout().lock()) }
    }
}

/// How a command prints a list.
#[derive(Debug, Clone, Copy, Args)]
pub struct ListOutput {
    /// Print at most so many
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    pub(super) limit: i64,
    #[command(flatten)]
    pub(super) output: Output,
}

impl ListOutput {
    /// Says that a list may be longer than what was printed; `first` is its order.
    pub(super) fn note_limit(self, first: &str, rows: usize, out: &mut impl Write) -> Result<()> {
        if rows as i64 == self.limit {
            writeln!(out, "(the {first} {}; --limit shows more)", self.limit)?;
        }
        Ok(())
    }
}

/// Prints a value as JSON.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let text = escape_invisible(&serde_json::to_string_pretty(value)?);
    writeln!(stdout().lock(), "{text}")?;
    Ok(())
}

/// JSON in which control and format characters, which could change the terminal, are escaped. The
/// structure of JSON has none but line feeds.
fn escape_invisible(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || is_visible(c) {
            text.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// An instant as RFC 3339 in São Paulo, to the second: mails and pages show this time to customers.
/// The fields of JSON have UTC; a sentence in them, such as what the doctor found, has this time.
pub(super) fn instant(at: Timestamp) -> String {
    Timestamp::from_unix_seconds(at.as_unix_seconds()).to_rfc3339_in_sao_paulo()
}

/// The same; a dash without one.
pub(super) fn instant_or_dash(at: Option<Timestamp>) -> String {
    or_dash(at.map(instant))
}

/// A value; a dash without one.
pub(super) fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Reads one of these names, which the help lists.
pub(super) fn named<T>(names: &[&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>().map_err(|error| error.to_string()))
}

/// Reads one of the names of an option.
pub(super) fn one_of<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let names = || all.iter().map(|one| name(*one)).collect::<Vec<_>>().join(", ");
    all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| format!("allowed: {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_the_time_of_sao_paulo_to_the_second() {
        let at = Timestamp::parse_rfc3339("2026-12-29T01:44:56.789Z").unwrap();
        assert_eq!(instant(at), "2026-12-28T22:44:56-03:00");
        assert_eq!(instant_or_dash(None), "-");
    }

    #[test]
    fn invisible_characters_are_escaped_in_json() {
        let value = ["\u{9b}31m", "\u{202e}ana", "\u{200b}", "\u{e0041}", "\t\n", "José 😀 \u{7f}"];

        let text = escape_invisible(&serde_json::to_string_pretty(&value).unwrap());

        assert!(text.chars().all(|c| c == '\n' || is_visible(c)), "{text:?}");
        assert!(text.contains(r#""\u202eana""#) && text.contains(r"José 😀 \u007f"), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), value);
    }
}
