//! Queries by the form of their result, with their values in the order of the placeholders:
//! `ro!(store, first select!("WHERE id = $1"), id)`, `tx!(tx, execute "DELETE …", id, at)`.

/// Runs a query on an executor:
/// - `rows`, `first` and `row` read all rows, at most one, or exactly one,
/// - `values`, `first_value` and `value` do so for a query of one column,
/// - `exists` reads whether a count is above zero,
/// - `execute` writes, `changed` returns whether a row was written, `affected` how many were.
///
/// The text is a constant, which the macro that calls this one registers for the test of all
/// statements. Other statements follow the form with a word:
/// - `registered` is a [`Statement`](super::statements::Statement): `rows registered sql, id`,
/// - `built` is a text that is built at run time,
/// - `in` is a constant with `{}` for the placeholders of many values: `rows in ids => "… IN {}"`.
///
/// `each` binds the values of an iterator.
macro_rules! query {
    ($c:ident, rows registered $sql:expr, each $values:expr) => {
        $crate::store::engine::query::bound!(sqlx::query_as($sql.text()), $values).fetch_all($c).await
    };
    ($c:ident, $form:ident registered $sql:expr $(, $value:expr)*) => {
        $crate::store::engine::query::query!($c, $form $sql.text() $(, $value)*)
    };
    ($c:ident, $form:ident built $sql:expr $(, $value:expr)*) => {
        $crate::store::engine::query::query!($c, $form sqlx::AssertSqlSafe($sql) $(, $value)*)
    };
    ($c:ident, rows in $values:expr => $sql:expr) => {{
        let statement = sqlx::AssertSqlSafe($crate::store::engine::many::statement_for(&*$c, $sql, $values));
        let values = $crate::store::engine::many::padded($values);
        $crate::store::engine::query::bound!(sqlx::query_as(statement), values).fetch_all($c).await
    }};
    ($c:ident, execute in $values:expr => $sql:expr) => {{
        let statement = sqlx::AssertSqlSafe($crate::store::engine::many::statement_for(&*$c, $sql, $values));
        let values = $crate::store::engine::many::padded($values);
        $crate::store::engine::query::bound!(sqlx::query(statement), values).execute($c).await.map(drop)
    }};
    ($c:ident, rows $sql:expr $(, $value:expr)*) => {
        sqlx::query_as($sql)$(.bind($value))*.fetch_all($c).await
    };
    ($c:ident, first $sql:expr $(, $value:expr)*) => {
        sqlx::query_as($sql)$(.bind($value))*.fetch_optional($c).await
    };
    ($c:ident, row $sql:expr $(, $value:expr)*) => {
        sqlx::query_as($sql)$(.bind($value))*.fetch_one($c).await
    };
    ($c:ident, values $sql:expr $(, $value:expr)*) => {
        sqlx::query_scalar($sql)$(.bind($value))*.fetch_all($c).await
    };
    ($c:ident, first_value $sql:expr $(, $value:expr)*) => {
        sqlx::query_scalar($sql)$(.bind($value))*.fetch_optional($c).await
    };
    ($c:ident, value $sql:expr $(, $value:expr)*) => {
        sqlx::query_scalar($sql)$(.bind($value))*.fetch_one($c).await
    };
    ($c:ident, exists $sql:expr $(, $value:expr)*) => {
        sqlx::query_scalar::<_, i64>($sql)$(.bind($value))*.fetch_one($c).await.map(|count| count > 0)
    };
    ($c:ident, execute $sql:expr $(, $value:expr)*) => {
        sqlx::query($sql)$(.bind($value))*.execute($c).await.map(drop)
    };
    ($c:ident, changed $sql:expr $(, $value:expr)*) => {
        sqlx::query($sql)$(.bind($value))*.execute($c).await.map(|done| done.rows_affected() > 0)
    };
    ($c:ident, affected $sql:expr $(, $value:expr)*) => {
        sqlx::query($sql)$(.bind($value))*.execute($c).await.map(|done| done.rows_affected())
    };
}

/// Binds the values of an iterator to a query.
macro_rules! bound {
    ($query:expr, $values:expr) => {{
        let mut query = $query;
        for value in $values {
            query = query.bind(value);
        }
        query
    }};
}

pub(crate) use {bound, query};
