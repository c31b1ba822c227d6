//! Lists in pages, newest first. Each page continues after the last row of the page before.

use crate::error::{ErrorReason, Result, Violations};

/// Rows per page by default.
const DEFAULT_SIZE: i64 = 20;
const MAX_SIZE: i64 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// Most rows.
    pub size: i64,
    /// Creation in microseconds and id of the row before the first.
    pub after: (i64, String),
}

impl Page {
    /// Reads the fields of a request; a larger size counts as 100.
    pub fn read(size: i32, token: &str) -> Result<Self> {
        let mut wrong = Violations::new();
        if size < 0 {
            wrong.add("page_size", ErrorReason::InvalidArgument, "page_size is negative");
        }
        let after = if token.is_empty() { Some((i64::MAX, String::new())) } else { parse(token) };
        if after.is_none() {
            wrong.add("page_token", ErrorReason::InvalidArgument, "page_token is not one of ours");
        }
        wrong.refuse()?;
        let size = if size == 0 { DEFAULT_SIZE } else { i64::from(size).min(MAX_SIZE) };
        Ok(Self { size, after: after.unwrap_or_default() })
    }

    /// Cuts a list that was read with one row more than the page has. Returns the next page's
    /// token, empty on the last page.
    pub fn cut<T>(&self, rows: &mut Vec<T>, key: impl Fn(&T) -> (i64, &str)) -> String {
        let size = self.size as usize;
        if rows.len() <= size {
            return String::new();
        }
        rows.truncate(size);
        let last = rows.last().map(key);
        last.map(|(created_at_us, id)| format!("{created_at_us}.{id}")).unwrap_or_default()
    }
}

fn parse(token: &str) -> Option<(i64, String)> {
    let (created_at_us, id) = token.split_once('.')?;
    let is_id = (1..=255).contains(&id.len()) && !id.contains('\0');
    Some((created_at_us.parse().ok()?, id.to_owned())).filter(|_| is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_twenty_rows_by_default_and_at_most_a_hundred() {
        for (asked, size) in [(0, 20), (1, 1), (100, 100), (101, 100), (i32::MAX, 100)] {
            assert_eq!(Page::read(asked, "").expect("it is fine").size, size, "{asked}");
        }
        for (size, token) in [(-1, ""), (1, "x"), (1, "1."), (1, ".a"), (1, "x.a"), (1, "1.a\0")] {
            let refused = Page::read(size, token).expect_err("it is refused");
            assert_eq!(refused.reason(), ErrorReason::InvalidArgument, "{size} {token}");
        }
    }

    #[test]
    fn the_next_page_starts_after_the_last_row() {
        let page = Page::read(2, "").expect("it is fine");
        let mut rows = vec![(9, "c"), (7, "b"), (7, "a")];

        let token = page.cut(&mut rows, |row| *row);

        assert_eq!(rows, [(9, "c"), (7, "b")]);
        assert_eq!(Page::read(2, &token).expect("our own token").after, (7, "b".to_owned()));
        assert_eq!(page.cut(&mut rows, |row| *row), "", "the last page");
    }
}
