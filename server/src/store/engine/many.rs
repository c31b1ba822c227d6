//! Statements for many values: `… IN ($1, $2, …)`.
//!
//! The number of placeholders is rounded up to a power of two, and the last value fills the rest,
//! because each distinct text is a prepared statement.

use sqlx::SqliteConnection;

use super::postgres::PgExecutor;

/// A connection whose database knows how placeholders are written.
pub(crate) trait Placeholders {
    fn placeholder(number: usize) -> String;
}

/// Without numbers, because sqlx looks up the name of each placeholder, and SQLite keeps the names
/// in a list: two lists of 1,000 spent 7 million instructions there.
impl Placeholders for SqliteConnection {
    fn placeholder(_: usize) -> String {
        "?".to_owned()
    }
}

impl Placeholders for PgExecutor<'_> {
    fn placeholder(number: usize) -> String {
        format!("${number}")
    }
}

/// The statement for the database of `connection`, with its placeholders inserted at `{}`.
pub(crate) fn statement_for<C: Placeholders, T>(_connection: &C, text: &str, values: &[T]) -> String {
    statement::<C, T>(text, values)
}

pub(crate) fn statement<C: Placeholders, T>(text: &str, values: &[T]) -> String {
    let list: Vec<_> = (1..=places(values)).map(C::placeholder).collect();
    text.replace("{}", &format!("({})", list.join(", ")))
}

/// The values of the placeholders, in order.
pub(crate) fn padded<T>(values: &[T]) -> impl Iterator<Item = Option<&T>> {
    let last = values.last();
    values.iter().map(Some).chain(std::iter::repeat(last)).take(places(values))
}

fn places<T>(values: &[T]) -> usize {
    values.len().next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_padded_to_the_next_power_of_two_with_the_last_value() {
        let values = ["a", "b", "c"].map(str::to_owned);

        assert_eq!(statement::<PgExecutor, _>("x IN {} y", &values), "x IN ($1, $2, $3, $4) y");
        assert_eq!(statement::<SqliteConnection, _>("x IN {} y", &values), "x IN (?, ?, ?, ?) y");
        assert_eq!(padded(&values).map(|value| value.unwrap().as_str()).collect::<String>(), "abcc");
        assert_eq!(statement::<PgExecutor, String>("{}", &[]), "($1)");
        assert_eq!(statement::<SqliteConnection, String>("{}", &[]), "(?)");
        assert_eq!(padded::<String>(&[]).collect::<Vec<_>>(), [None]);
    }
}
