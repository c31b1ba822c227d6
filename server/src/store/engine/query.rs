//! Queries by the form of their result, with their values in the order of the placeholders:
//! `ro!(store, first select!("WHERE id = $1"), id)`, `tx!(tx, execute "DELETE …", id, at)`.

/// Runs a query on an executor:
/// - `rows`, `first` and `row` read all rows, at most one, or exactly one,
/// - `values`, `first_value` and `value` do so for a query of one column,
/// - `exists` reads whether a count is above zero,
/// - `execute` writes, `changed` returns whether a row was written, `affected` how many were.
macro_rules! query {
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

pub(crate) use query;
