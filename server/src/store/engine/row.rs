//! Typed rows: each stored value is converted once, when its row is read.

use std::fmt;
use std::ops::Deref;

use garimpo_domain::provider_status::{InvoiceReason, InvoiceStatus, SubscriptionStatus};
use garimpo_domain::{
    Centavos, CheckoutId, CheckoutSessionId, CustomerId, Email, EventId, Interval, InvoiceId,
    PaymentIntentId, PaymentMethod, Phone, PhotoUrl, PlanId, SessionId, SubscriptionId, Timestamp, Uid,
};
use serde::ser::SerializeMap;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};

use super::error::StoreError;

/// A type that both databases can return.
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

/// The type of a field that is read from a column.
pub(crate) trait Column: Sized {
    /// `None` for a value that this program does not know.
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error>;
}

/// The type of a field in a row that is printed or exported.
pub(crate) trait Printed {
    /// Writes the stored value to a JSON object.
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error>;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Column for $type {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                row.cell(column).map(Some)
            }
        }

        impl Printed for $type {
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
    Vec<u8>,
    Names,
    Centavos,
    Timestamp,
    Option<String>,
    Option<i64>,
    Option<bool>,
    Option<Centavos>,
    Option<Timestamp>,
    Uid,
    CheckoutId,
    CheckoutSessionId,
    SubscriptionId,
    InvoiceId,
    CustomerId,
    EventId,
    PaymentIntentId,
    SessionId,
    Option<Uid>,
    Option<CheckoutSessionId>,
    Option<SubscriptionId>,
    Option<InvoiceId>,
    Option<CustomerId>
);

/// Stores fields of a form as their texts.
macro_rules! parsed {
    ($($type:ty),*) => {
        $(impl Column for $type {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                Ok(Self::parse(&row.cell::<String>(column)?).ok())
            }
        }

        impl Column for Option<$type> {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                Ok(match row.cell::<Option<String>>(column)? {
                    Some(text) => <$type>::parse(&text).ok().map(Some),
                    None => Some(None),
                })
            }
        })*
    };
}

parsed!(Email, Phone, PhotoUrl);

/// A type whose values are stored as names.
pub(crate) trait Text: Sized + Copy {
    fn parse(text: &str) -> Option<Self>;
    fn text(self) -> &'static str;
}

/// Stores enums by their `strum` names.
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

text!(Interval, PaymentMethod, InvoiceStatus);

impl Text for PlanId {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn text(self) -> &'static str {
        self.as_str()
    }
}

impl<T: Text> Column for T {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        Ok(T::parse(&row.cell::<String>(column)?))
    }
}

impl<T: Text> Printed for T {
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, self.text())
    }
}

/// A missing value is stored as NULL or as an empty text.
impl<T: Text> Column for Option<T> {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        Ok(match row.cell::<Option<String>>(column)?.as_deref() {
            None | Some("") => Some(None),
            Some(text) => T::parse(text).map(Some),
        })
    }
}

impl<T: Text> Printed for Option<T> {
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, text_or_empty(*self))
    }
}

/// The stored text of an optional value: empty if absent.
pub(crate) fn text_or_empty<T: Text>(value: Option<T>) -> &'static str {
    value.map_or("", T::text)
}

/// Stores states of the provider as their texts, unknown ones included.
macro_rules! state {
    ($($type:ty),*) => {
        $(impl Column for $type {
            fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
                row.cell(column).map(|text: String| text.parse().ok())
            }
        }

        impl Printed for $type {
            fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
                json.serialize_entry(column, &self.to_string())
            }
        })*
    };
}

state!(InvoiceReason, SubscriptionStatus);

/// A text with at least one character. Its absence is stored as an empty text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmpty(String);

impl NonEmpty {
    /// `None` for an empty text.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        Some(Self(text.into())).filter(|text| !text.0.is_empty())
    }
}

impl Deref for NonEmpty {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Column for Option<NonEmpty> {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        row.cell(column).map(|text: String| Some(NonEmpty::new(text)))
    }
}

impl Printed for Option<NonEmpty> {
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, self.or_empty())
    }
}

/// Its absence is stored as an empty text.
impl Column for Option<PaymentIntentId> {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        row.cell(column).map(|id: PaymentIntentId| Some(Some(id).filter(|id| !id.is_empty())))
    }
}

impl Printed for Option<PaymentIntentId> {
    fn write<M: SerializeMap>(&self, column: &'static str, json: &mut M) -> Result<(), M::Error> {
        json.serialize_entry(column, self.or_empty())
    }
}

/// Names in one column, separated by blanks. A newer version of this program may store names that
/// this one does not know, so they stay texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, Type)]
#[sqlx(transparent)]
pub struct Names(String);

impl Names {
    /// Whether the name is among them.
    pub fn has(&self, name: &str) -> bool {
        self.iter().any(|own| own == name)
    }

    /// Whether the list has no name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }
}

impl<T: Into<String>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The stored text of what may be absent.
pub(crate) trait OrEmpty {
    fn or_empty(&self) -> &str;
}

impl<T: Deref<Target = str>> OrEmpty for Option<T> {
    fn or_empty(&self) -> &str {
        self.as_deref().unwrap_or_default()
    }
}

/// Reads a field of a row. The error for an unknown value names table, column and key.
pub(crate) fn field<T: Column>(
    row: &impl Cells,
    (table, key): (&'static str, &str),
    column: &'static str,
) -> Result<T, sqlx::Error> {
    if let Some(value) = T::read(row, column)? {
        return Ok(value);
    }
    let inconsistent = StoreError::Inconsistent { table, column, row: row.cell(key)? };
    Err(sqlx::Error::Decode(Box::new(inconsistent)))
}

/// Declares the row of a table: `row! { "table" by key_column; pub struct Name { … } }`.
///
/// Each field is read from the column of its name, or from the one behind `as`, or from the SQL
/// behind `=`. Options follow the key:
/// - `select` defines the macro `select!("WHERE …")`, a query of all columns,
/// - `printed` writes a row to JSON as it is stored,
/// - `nested` lets a row be a field of another row.
macro_rules! row {
    (
        $table:literal by $key:ident $(, $option:ident)*;
        $(#[$meta:meta])*
        pub struct $name:ident $fields:tt
    ) => {
        $crate::store::engine::row::row! { @struct $table $key { $(#[$meta])* } $name $fields }
        $($crate::store::engine::row::row! { @$option $table $name $fields })*
    };
    (
        @struct $table:literal $key:ident { $($meta:tt)* }
        $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)? $(= $sql:literal)?,)*
        }
    ) => {
        $($meta)*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl $name {
            pub(crate) fn read(
                row: &impl $crate::store::engine::row::Cells,
            ) -> Result<Self, sqlx::Error> {
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

        impl<'r, R: sqlx::Row + $crate::store::engine::row::Cells> sqlx::FromRow<'r, R> for $name {
            fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
                Self::read(row)
            }
        }
    };
    (
        @select $table:literal $name:ident {
            $(#[$first_meta:meta])* pub $first:ident: $first_type:ty $(as $first_column:ident)? $(= $first_sql:literal)?,
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)? $(= $sql:literal)?,)*
        }
    ) => {
        macro_rules! select {
            ($tail:literal) => {
                concat!(
                    "SELECT ",
                    $crate::store::engine::row::selected!($first $($first_column)? $(= $first_sql)?),
                    $(", ", $crate::store::engine::row::selected!($field $($column)? $(= $sql)?),)*
                    " FROM ", $table, " ", $tail
                )
            };
        }
    };
    (
        @printed $table:literal $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)? $(= $sql:literal)?,)*
        }
    ) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut json = serializer.serialize_map(None)?;
                $($crate::store::engine::row::Printed::write(
                    &self.$field,
                    $crate::store::engine::row::column!($field $($column)?),
                    &mut json,
                )?;)*
                serde::ser::SerializeMap::end(json)
            }
        }
    };
    (@nested $table:literal $name:ident $fields:tt) => {
        impl $crate::store::engine::row::Column for $name {
            fn read(row: &impl $crate::store::engine::row::Cells, _: &str) -> Result<Option<Self>, sqlx::Error> {
                Self::read(row).map(Some)
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

/// The text of a column in a query.
macro_rules! selected {
    ($field:ident $($column:ident)?) => {
        $crate::store::engine::row::column!($field $($column)?)
    };
    ($field:ident $($column:ident)? = $sql:literal) => {
        concat!($sql, " AS ", $crate::store::engine::row::column!($field $($column)?))
    };
}

pub(crate) use {column, row, selected, text};
