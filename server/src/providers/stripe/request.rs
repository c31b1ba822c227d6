//! Form parameters in the provider's bracket notation.

/// Parameters of one call; keys are written as the provider documents them, for instance `line_items[0][price]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Params(Vec<(String, String)>);

impl Params {
    /// No parameters.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds one parameter.
    pub(super) fn set(mut self, key: impl Into<String>, value: impl ToString) -> Self {
        self.0.push((key.into(), value.to_string()));
        self
    }

    /// Adds one parameter when there is a value.
    pub(super) fn set_some(self, key: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.set(key, value),
            None => self,
        }
    }

    /// Adds an indexed list, `key[0]`, `key[1]`, …
    pub(super) fn list<V: ToString>(self, key: &str, values: impl IntoIterator<Item = V>) -> Self {
        values.into_iter().enumerate().fold(self, |all, (i, value)| all.set(format!("{key}[{i}]"), value))
    }

    /// Adds a map, `key[name]`.
    pub(super) fn map<'a>(self, key: &str, values: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        values.into_iter().fold(self, |all, (name, value)| all.set(format!("{key}[{name}]"), value))
    }

    /// What goes on the wire.
    pub(super) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}
