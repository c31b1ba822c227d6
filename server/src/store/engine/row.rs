//! Rows with types: a stored value is converted once, where its row is read.

use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::{Centavos, Interval, PlanId, Timestamp};
use serde::ser::SerializeMap;
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

/// The type of a field that is stored in a column.
pub(crate) trait Column: Sized {
    /// `None`: a value that this program does not know.
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error>;

    /// Writes the value to a JSON object as it is stored.
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error>;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Column for $type {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                row.cell(column).map(Some)
            }

            fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
                json.serialize_entry(column, self)
            }
        })*
    };
}

plain!(
    String,
    i64,
    bool,
    Centavos,
    Timestamp,
    Option<String>,
    Option<i64>,
    Option<Centavos>,
    Option<Timestamp>
);

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

    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, self.text())
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

    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, text_or_empty(*self))
    }
}

/// The stored text of a value that may be absent.
pub(crate) fn text_or_empty<T: Text>(value: Option<T>) -> &'static str {
    value.map_or("", T::text)
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

/// Declares the row of a table: `row! { "table" by key_column; pub struct Name { … } }`.
///
/// Each field is read from the column of its name, or from the one behind `as`. A row `by key,
/// serialized` is written to JSON as it is stored.
macro_rules! row {
    (
        $table:literal by $key:ident, serialized;
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)?,)*
        }
    ) => {
        $crate::store::engine::row::row! {
            $table by $key;
            $(#[$meta])*
            pub struct $name { $($(#[$field_meta])* pub $field: $type $(as $column)?,)* }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut json = serializer.serialize_map(None)?;
                $($crate::store::engine::row::Column::write(
                    &self.$field,
                    $crate::store::engine::row::column!($field $($column)?),
                    &mut json,
                )?;)*
                serde::ser::SerializeMap::end(json)
            }
        }
    };
    (
        $table:literal by $key:ident;
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)?,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl<'r, R: sqlx::Row + $crate::store::engine::row::Cells> sqlx::FromRow<'r, R> for $name {
            fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
                let place = ($table, stringify!($key));
                Ok(Self {
                    $($field: $crate::store::engine::row::field(
                        row,
                        place,
                        $crate::store::engine::row::column!($field $($column)?),
                    )?,)*
                })
            }
        }
    };
}

/// The column of a field.
macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $column:ident) => {
        stringify!($column)
    };
}

pub(crate) use {column, row, text};
