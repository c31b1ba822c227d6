//! Form-encoded parameters with brackets, as the payments API takes them: `a[b]=1`, `a[0][b]=1`,
//! `a[]=1`.

use serde_json::{Map, Value};

use crate::objects::Metadata;
use crate::provider::error::ApiError;

/// Decoded parameters: texts, objects and lists of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(pub Value);

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
        Ok(Self(lists(root)))
    }

    /// The value at a dotted path, such as `recurring.interval`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(&self.0, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        })
    }

    /// The parameters below a path.
    pub fn inside(&self, path: &str) -> Self {
        Self(self.at(path).cloned().unwrap_or_default())
    }

    /// The text at a path; absent when it is empty, which in this API means "clear it".
    pub fn text(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Value::as_str).filter(|text| !text.is_empty())
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
        match self.at(path) {
            Some(Value::Array(items)) => items.iter().cloned().map(Self).collect(),
            _ => Vec::new(),
        }
    }

    /// The texts of the list at a path.
    pub fn texts(&self, path: &str) -> Vec<String> {
        self.list(path).iter().filter_map(|item| item.0.as_str().map(str::to_owned)).collect()
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
    fn colchetes_com_e_sem_numero_dao_a_mesma_lista() {
        let indexed = "line_items[0][price]=price_1&line_items[0][quantity]=2&line_items[1][price]=price_2\
                       &expand[0]=a.b&metadata[plano]=Elite%20N%C3%ADvel+2";
        let empty = "line_items[][price]=price_1&line_items[][quantity]=2&line_items[][price]=price_2\
                     &expand[]=a.b&metadata%5Bplano%5D=Elite+N%C3%ADvel%202";

        let expected = json!({
            "line_items": [{"price": "price_1", "quantity": "2"}, {"price": "price_2"}],
            "expand": ["a.b"],
            "metadata": {"plano": "Elite Nível 2"},
        });
        assert_eq!(Params::parse("", indexed).unwrap().0, expected);
        assert_eq!(Params::parse("", empty).unwrap().0, expected);
    }

    #[test]
    fn entrada_torta_e_erro_e_nunca_panico() {
        for body in ["%", "a=%zz", "[[[", "]", "a[=1", "=", "a[b=1&a[b]=2", "&&&", "a[][][]=1"] {
            let _ = Params::parse(body, "");
        }
        assert!(Params::parse("a=1", "a[b]=2").is_err());
    }

    proptest::proptest! {
        #[test]
        fn qualquer_texto_e_lido_sem_panico(body in "\\PC*") {
            let _ = Params::parse("", &body);
        }
    }
}
