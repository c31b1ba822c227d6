//! The statements of the store. Under test each constant one registers itself, and a test prepares
//! all of them on both databases (`store/tests/statements.rs`).

/// A constant statement that another function sends. `statement!` makes and registers it.
#[derive(Debug, Clone, Copy)]
pub struct Statement(&'static str);

impl Statement {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    pub(crate) const fn text(self) -> &'static str {
        self.0
    }
}

/// Makes a [`Statement`] of a constant text.
macro_rules! statement {
    ($text:expr) => {{
        $crate::store::engine::statements::registered!(@ Both $text);
        $crate::store::engine::statements::Statement::new($text)
    }};
}

/// Runs one query of [`query!`](super::query) that only one of the databases accepts, on its
/// executor: `only!(Postgres, &mut session.executor(), first "… FOR UPDATE", uid)`.
macro_rules! only {
    ($database:ident, $executor:expr, $form:ident built $($query:tt)*) => {{
        $crate::store::engine::statements::registered!($form built $($query)*);
        let executor = $executor;
        $crate::store::engine::query::query!(executor, $form built $($query)*)
    }};
    ($database:ident, $executor:expr, $form:ident $sql:expr $(, $value:expr)*) => {{
        $crate::store::engine::statements::registered!(@ $database $sql);
        let executor = $executor;
        $crate::store::engine::query::query!(executor, $form $sql $(, $value)*)
    }};
}

/// Registers the statement of a query of [`query!`](super::query). Its text must be a constant,
/// except in these forms:
/// - `registered`: `statement!` has registered it,
/// - `built`: it is built at run time, so only its place is registered, and `built` of the test
///   lists its texts.
#[cfg(test)]
macro_rules! registered {
    (@ $kind:ident $($text:expr)?) => {
        inventory::submit! {
            $crate::store::engine::statements::Registered {
                file: file!(),
                line: line!(),
                sent: $crate::store::engine::statements::Sent::$kind $(($text))?,
            }
        }
    };
    ($form:ident registered $($query:tt)*) => {};
    ($form:ident built $($query:tt)*) => {
        $crate::store::engine::statements::registered!(@ Built);
    };
    ($form:ident in $values:expr => $text:expr) => {
        $crate::store::engine::statements::registered!(@ Many $text);
    };
    ($form:ident $text:expr $(, $value:expr)*) => {
        $crate::store::engine::statements::registered!(@ Both $text);
    };
}

#[cfg(not(test))]
macro_rules! registered {
    ($($query:tt)*) => {};
}

pub(crate) use {only, registered, statement};

/// A place that sends a statement.
#[cfg(test)]
pub(crate) struct Registered {
    /// Path from the root of the workspace.
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    pub(crate) sent: Sent,
}

/// A statement, by the databases that must accept it.
#[cfg(test)]
pub(crate) enum Sent {
    Both(&'static str),
    /// Both databases, with placeholders for many values at `{}`.
    Many(&'static str),
    Sqlite(&'static str),
    Postgres(&'static str),
    /// Built at run time.
    Built,
}

#[cfg(test)]
inventory::collect!(Registered);
