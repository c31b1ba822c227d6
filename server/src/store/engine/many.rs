//! Queries for many keys, in one text for both databases: `… IN ($1, $2, …)`.
//!
//! The number of placeholders is rounded up to a power of two, and the last value fills the rest,
//! because each distinct text is a prepared statement.

/// The statement with its placeholders inserted at `{}`.
pub(crate) fn statement(text: &str, values: &[String]) -> String {
    let list: Vec<_> = (1..=places(values)).map(|place| format!("${place}")).collect();
    text.replace("{}", &format!("({})", list.join(", ")))
}

/// The values of the placeholders, in order.
pub(crate) fn padded(values: &[String]) -> impl Iterator<Item = Option<&String>> {
    let last = values.last();
    values.iter().map(Some).chain(std::iter::repeat(last)).take(places(values))
}

fn places(values: &[String]) -> usize {
    values.len().next_power_of_two()
}

/// Binds the values to the query of such a statement.
macro_rules! bound {
    ($query:expr, $values:expr) => {{
        let mut query = $query;
        for value in $crate::store::engine::many::padded($values) {
            query = query.bind(value);
        }
        query
    }};
}

pub(crate) use bound;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lugares_vao_ate_a_proxima_potencia_de_dois_com_o_ultimo_valor() {
        let values = ["a", "b", "c"].map(str::to_owned);

        assert_eq!(statement("x IN {} y", &values), "x IN ($1, $2, $3, $4) y");
        assert_eq!(padded(&values).map(|value| value.unwrap().as_str()).collect::<String>(), "abcc");
        assert_eq!(statement("{}", &[]), "($1)");
        assert_eq!(padded(&[]).collect::<Vec<_>>(), [None]);
    }
}
