//! Rows with types: a stored value is converted once, where its row is read.

use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::{Interval, PlanId};
use serde::Serializer;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};

/// A type that both databases give.
pub(crate) trait Cell:
    for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

impl<T> Cell for T where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

/// A row of either database.
pub(crate) trait Cells {
    fn cell<T: Cell>(&self, column: &str) -> Result<T, sqlx::Error>;
}

impl Cells for SqliteRow {
    fn cell<T: Cell>(&self, column: &str) -> Result<T, sqlx::Error> {
        self.try_get(column)
    }
}

impl Cells for PgRow {
    fn cell<T: Cell>(&self, column: &str) -> Result<T, sqlx::Error> {
        self.try_get(column)
    }
}

/// The type of a field that is read from the column of its name.
pub(crate) trait Column: Sized {
    /// `None`: a value that this program does not know.
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error>;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Column for $type {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                row.cell(column).map(Some)
            }
        })*
    };
}

plain!(String, i64, bool, Option<String>, Option<i64>);

/// A type whose values are stored by their names.
pub(crate) trait Text: Sized + Copy {
    fn parse(text: &str) -> Option<Self>;
    fn text(self) -> &'static str;
}

/// Stores enums by the names that `strum` derives.
macro_rules! text {
    ($($type:ty),*) => {
        $(impl $crate::store::engine::row::Text for $type {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn text(self) -> &'static str {
                self.into()
            }
        })*
    };
}

text!(Interval);

impl Text for PlanId {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn text(self) -> &'static str {
        self.as_str()
    }
}

impl Text for PaymentMethod {
    fn parse(text: &str) -> Option<Self> {
        [Self::Card, Self::Boleto].into_iter().find(|method| method.name() == text)
    }

    fn text(self) -> &'static str {
        self.name()
    }
}

impl<T: Text> Column for T {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        Ok(T::parse(&row.cell::<String>(column)?))
    }
}

/// Absence is stored as NULL or as an empty text.
impl<T: Text> Column for Option<T> {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        Ok(match row.cell::<Option<String>>(column)?.as_deref() {
            None | Some("") => Some(None),
            Some(text) => T::parse(text).map(Some),
        })
    }
}

/// The stored text of a value that may be absent.
pub(crate) fn text_or_empty<T: Text>(value: Option<T>) -> &'static str {
    value.map_or("", T::text)
}

/// Writes a value to JSON as it is stored.
pub(crate) fn as_text<T: Text, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.text())
}

/// Writes a value to JSON as it is stored: empty if absent.
#[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
pub(crate) fn as_text_or_empty<T: Text, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text_or_empty(*value))
}

/// A stored value that this program does not know.
#[derive(Debug, thiserror::Error)]
#[error("{table}.{column} of {row} is not readable")]
pub(crate) struct Unreadable {
    pub(super) table: &'static str,
    pub(super) column: &'static str,
    pub(super) row: String,
}

/// Reads the field of a row; an unknown value is named by its table, column and key.
pub(crate) fn field<T: Column>(
    row: &impl Cells,
    (table, key): (&'static str, &str),
    column: &'static str,
) -> Result<T, sqlx::Error> {
    match T::read(row, column)? {
        Some(value) => Ok(value),
        None => Err(sqlx::Error::Decode(Box::new(Unreadable { table, column, row: row.cell(key)? }))),
    }
}

/// Declares the row of a table, each field read from the column of its name:
/// `row! { "table" by key_column; pub struct Name { … } }`.
macro_rules! row {
    (
        $table:literal by $key:ident;
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl<'r, R: sqlx::Row + $crate::store::engine::row::Cells> sqlx::FromRow<'r, R> for $name {
            fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
                let place = ($table, stringify!($key));
                Ok(Self {
                    $($field: $crate::store::engine::row::field(row, place, stringify!($field))?,)*
                })
            }
        }
    };
}

pub(crate) use {row, text};
