//! A request to the provider's API.

use reqwest::Method;

/// One call: `name` labels it in metrics and logs. Calls are repeated, so a POST that creates or
/// charges carries an idempotency key.
pub(super) struct Call<'a> {
    pub(super) name: &'static str,
    pub(super) method: Method,
    /// Segments behind `/v1/`.
    pub(super) path: &'a [&'a str],
    pub(super) params: Params,
    pub(super) idempotency_key: Option<&'a str>,
}

impl Call<'_> {
    /// The URL, or `None` if a segment is not an id. Encoding such a segment is not enough, because
    /// URL parsers resolve `%2e%2e` as `..`.
    pub(super) fn url(&self, origin: &str) -> Option<String> {
        let is_id_byte = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let is_id = |segment: &&str| !segment.is_empty() && segment.bytes().all(is_id_byte);
        let path = || format!("{}/v1/{}", origin.trim_end_matches('/'), self.path.join("/"));
        self.path.iter().all(is_id).then(path)
    }
}

/// Form parameters in the provider's bracket notation, for instance `line_items[0][price]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Params(Vec<(String, String)>);

impl Params {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Filters a list by the time of creation.
    pub(super) fn created_since(since: i64) -> Self {
        Self::new().set("created[gte]", since)
    }

    pub(super) fn set(mut self, key: impl Into<String>, value: impl ToString) -> Self {
        self.0.push((key.into(), value.to_string()));
        self
    }

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
    pub(super) fn map(self, key: &str, values: &[(&str, String)]) -> Self {
        values.iter().fold(self, |all, (name, value)| all.set(format!("{key}[{name}]"), value))
    }

    pub(super) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}
