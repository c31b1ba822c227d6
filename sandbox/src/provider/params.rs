//! Form-encoded parameters with brackets, as the payments API takes them: `a[b]=1`, `a[0][b]=1`,
//! `a[]=1`.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::objects::Metadata;
use crate::provider::error::ApiError;

/// Decoded parameters: texts, objects and lists of them.
#[derive(Clone, Debug, Default)]
pub struct Params {
    pub value: Value,
    /// Dotted path of the value in its call, empty for the whole.
    path: String,
    /// Paths that the call has read, shared with the parts of these parameters.
    read: Arc<Mutex<BTreeSet<String>>>,
}

impl From<Value> for Params {
    fn from(value: Value) -> Self {
        Self { value, ..Self::default() }
    }
}

impl Params {
    /// Decodes query and body, one after the other.
    ///
    /// # Errors
    /// 400 when a name is used as a text and as an object at once.
    pub fn parse(query: &str, body: &str) -> Result<Self, ApiError> {
        let mut root = Value::Object(Map::new());
        let pairs = [query, body].map(|text| form_urlencoded::parse(text.as_bytes()));
        for (name, value) in pairs.into_iter().flatten() {
            let value = value.into_owned();
            insert(&mut root, &path(&name), value).ok_or_else(|| {
                ApiError::param(&name, format!("Invalid parameter: {name} is used in two ways."))
            })?;
        }
        Ok(lists(root).into())
    }

    /// The value at a dotted path, such as `recurring.interval`, with all that is below it.
    pub fn at(&self, path: &str) -> Option<&Value> {
        self.mark(path);
        self.find(path)
    }

    fn find(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(&self.value, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        })
    }

    fn mark(&self, path: &str) {
        self.read.lock().insert(joined(&self.path, path));
    }

    /// Whether a parameter or one below it is given. Their values are not read by this.
    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Whether a parameter is given without a value, which in this API means "clear it".
    pub fn is_cleared(&self, path: &str) -> bool {
        let is_empty = self.find(path).and_then(Value::as_str) == Some("");
        if is_empty {
            self.mark(path);
        }
        is_empty
    }

    /// Name of the first parameter that no call of these methods has read, `items[0][id]`.
    pub fn unread(&self) -> Option<String> {
        unread(&self.value, "", &self.read.lock()).map(|path| bracketed(&path))
    }

    /// The parameters below a path.
    pub fn inside(&self, path: &str) -> Self {
        self.part(path, self.find(path).cloned().unwrap_or_default())
    }

    fn part(&self, path: &str, value: Value) -> Self {
        Self { value, path: joined(&self.path, path), read: Arc::clone(&self.read) }
    }

    /// The text at a path; absent when it is empty, see [`Self::is_cleared`].
    pub fn text(&self, path: &str) -> Option<&str> {
        let text = self.find(path).and_then(Value::as_str).filter(|text| !text.is_empty())?;
        self.mark(path);
        Some(text)
    }

    /// The text at a path.
    ///
    /// # Errors
    /// 400 `parameter_missing` without it.
    pub fn required(&self, path: &str) -> Result<&str, ApiError> {
        self.text(path).ok_or_else(|| ApiError::missing(&bracketed(path)))
    }

    /// The http or https address at a path.
    ///
    /// # Errors
    /// 400 `parameter_missing` without it, `url_invalid` for another text.
    pub fn url(&self, path: &str) -> Result<&str, ApiError> {
        let url = self.required(path)?;
        let is_url = url.starts_with("http://") || url.starts_with("https://");
        let message = "Invalid URL: an explicit scheme must be given.";
        ensure!(is_url, ApiError::invalid(&bracketed(path), "url_invalid", message));
        Ok(url)
    }

    /// The whole number at a path.
    ///
    /// # Errors
    /// 400 `parameter_invalid_integer` when it is none.
    pub fn integer(&self, path: &str) -> Result<Option<i64>, ApiError> {
        self.text(path)
            .map(|text| {
                text.parse().map_err(|_| {
                    let name = bracketed(path);
                    ApiError::invalid(&name, "parameter_invalid_integer", format!("Invalid integer: {text}"))
                })
            })
            .transpose()
    }

    /// The truth value at a path.
    ///
    /// # Errors
    /// 400 when it is neither `true` nor `false`.
    pub fn boolean(&self, path: &str) -> Result<Option<bool>, ApiError> {
        match self.text(path) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(text) => {
                let name = bracketed(path);
                Err(ApiError::param(&name, format!("Invalid boolean: {text}")))
            }
        }
    }

    /// The items of the list at a path.
    pub fn list(&self, path: &str) -> Vec<Self> {
        let Some(Value::Array(items)) = self.find(path) else { return Vec::new() };
        let item = |(at, item): (usize, &Value)| self.part(&format!("{path}.{at}"), item.clone());
        items.iter().enumerate().map(item).collect()
    }

    /// The texts of the list at a path.
    pub fn texts(&self, path: &str) -> Vec<String> {
        let items = self.at(path).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    /// The metadata over the earlier one. An empty value removes its key.
    pub fn metadata(&self, earlier: &Metadata) -> Metadata {
        let given = self.at("metadata");
        let mut all = if given == Some(&Value::from("")) { Metadata::new() } else { earlier.clone() };
        for (name, value) in given.and_then(Value::as_object).into_iter().flatten() {
            match value.as_str() {
                Some("") => drop(all.remove(name)),
                Some(value) => drop(all.insert(name.clone(), value.to_owned())),
                None => {}
            }
        }
        all
    }

    /// The metadata of a document after this call.
    pub fn metadata_of(&self, doc: &Value) -> Metadata {
        self.metadata(&serde_json::from_value(doc["metadata"].clone()).unwrap_or_default())
    }
}

fn joined(inside: &str, path: &str) -> String {
    if inside.is_empty() { path.to_owned() } else { format!("{inside}.{path}") }
}

/// Path of the first value below a path that was not read.
fn unread(value: &Value, path: &str, read: &BTreeSet<String>) -> Option<String> {
    if read.contains(path) {
        return None;
    }
    match value {
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| unread(value, &joined(path, name), read))
        }
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| unread(item, &joined(path, &at.to_string()), read))
        }
        _ => Some(path.to_owned()),
    }
}

fn bracketed(path: &str) -> String {
    let mut steps = path.split('.');
    let first = steps.next().unwrap_or_default().to_owned();
    steps.fold(first, |name, step| format!("{name}[{step}]"))
}

fn path(name: &str) -> Vec<String> {
    let Some((head, rest)) = name.split_once('[') else { return vec![name.to_owned()] };
    let inner = rest.strip_suffix(']').unwrap_or(rest);
    std::iter::once(head.to_owned()).chain(inner.split("][").map(str::to_owned)).collect()
}

/// Lists are gathered as objects with numbers for names; [`lists`] turns them into lists at the
/// end.
fn insert(into: &mut Value, path: &[String], value: String) -> Option<()> {
    let fields = into.as_object_mut()?;
    let (step, rest) = path.split_first()?;
    let step = if step.is_empty() { next_index(fields, rest) } else { step.clone() };
    if rest.is_empty() {
        fields.insert(step, Value::String(value));
        return Some(());
    }
    insert(fields.entry(step).or_insert_with(|| Value::Object(Map::new())), rest, value)
}

/// `a[][x]=1&a[][y]=2` is one item with x and y; a name that comes again begins the next item.
fn next_index(fields: &Map<String, Value>, rest: &[String]) -> String {
    let count = fields.len();
    let last = count.checked_sub(1).map(|at| at.to_string());
    let free = last.filter(|last| {
        rest.first().is_some_and(|name| fields.get(last).is_some_and(|item| item.get(name).is_none()))
    });
    free.unwrap_or_else(|| count.to_string())
}

fn lists(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let numbered = !fields.is_empty() && fields.keys().all(|name| name.parse::<u32>().is_ok());
    if !numbered {
        return Value::Object(fields.into_iter().map(|(name, value)| (name, lists(value))).collect());
    }
    let mut items: Vec<(u32, Value)> =
        fields.into_iter().filter_map(|(name, value)| Some((name.parse().ok()?, lists(value)))).collect();
    items.sort_by_key(|(at, _)| *at);
    Value::Array(items.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn brackets_with_and_without_an_index_give_the_same_list() {
        let indexed = "line_items[0][price]=price_1&line_items[0][quantity]=2&line_items[1][price]=price_2\
                       &expand[0]=a.b&metadata[plano]=Elite%20N%C3%ADvel+2";
        let empty = "line_items[][price]=price_1&line_items[][quantity]=2&line_items[][price]=price_2\
                     &expand[]=a.b&metadata%5Bplano%5D=Elite+N%C3%ADvel%202";

        let expected = json!({
            "line_items": [{"price": "price_1", "quantity": "2"}, {"price": "price_2"}],
            "expand": ["a.b"],
            "metadata": {"plano": "Elite Nível 2"},
        });
        assert_eq!(Params::parse("", indexed).unwrap().value, expected);
        assert_eq!(Params::parse("", empty).unwrap().value, expected);
    }

    #[test]
    fn a_parameter_is_unread_until_it_or_the_whole_around_it_was_read() {
        let body = "discounts=&expand[]=a&items[0][id]=si&items[1][id]=sj&limit=3&metadata[a]=1&sub[x][y]=1";
        let params = Params::parse("", body).unwrap();
        let unread = || params.unread().unwrap_or_default();

        assert_eq!((unread(), params.text("discounts")), ("discounts".to_owned(), None));
        assert!(params.is_cleared("discounts") && !params.is_cleared("limit"));
        assert_eq!(unread(), "expand[0]");
        assert_eq!(params.texts("expand"), ["a"]);
        assert!(params.has("items"));
        assert_eq!(params.list("items")[0].text("id"), Some("si"));
        assert_eq!(unread(), "items[1][id]");
        assert_eq!(params.text("items.1.id"), Some("sj"));
        assert_eq!(unread(), "limit");
        assert_eq!(params.integer("limit").unwrap(), Some(3));
        assert_eq!(unread(), "metadata[a]");
        assert_eq!(params.metadata(&Metadata::new()).len(), 1);
        assert_eq!(unread(), "sub[x][y]");
        assert_eq!(params.inside("sub").text("x.y"), Some("1"));
        assert_eq!(params.unread(), None);
    }

    #[test]
    fn malformed_input_is_an_error_and_never_a_panic() {
        for body in ["%", "a=%zz", "[[[", "]", "a[=1", "=", "a[b=1&a[b]=2", "&&&", "a[][][]=1"] {
            let _ = Params::parse(body, "");
        }
        assert!(Params::parse("a=1", "a[b]=2").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(body in "\\PC*") {
            let _ = Params::parse("", &body);
        }
    }
}
