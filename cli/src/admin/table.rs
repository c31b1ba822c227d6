//! Rows for people: columns as wide as their longest value, two blanks between.

use std::fmt::Display;
use std::io::{Result, Write};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// A table on its way to the terminal, with a row for each value.
pub(super) struct Table<'r, R> {
    values: &'r [R],
    /// The names of the columns, then the cells of each value.
    rows: Vec<Vec<String>>,
}

impl<'r, R> Table<'r, R> {
    pub(super) fn of(values: &'r [R]) -> Self {
        Self { values, rows: vec![Vec::new(); values.len() + 1] }
    }

    /// Adds a column with its name and its cell of each value.
    pub(super) fn column<C: Display>(mut self, name: &str, cell: impl Fn(&'r R) -> C) -> Self {
        let cells = self.values.iter().map(|value| printable(&cell(value).to_string()));
        for (row, cell) in self.rows.iter_mut().zip(std::iter::once(name.to_owned()).chain(cells)) {
            row.push(cell);
        }
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let width = |at: usize| self.rows.iter().map(|row| row[at].chars().count()).max();
        let widths: Vec<usize> = (0..self.rows[0].len()).filter_map(width).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(value, width)| format!("{value:<width$}"));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }

    /// Prints CSV. A cell that needs quotes comes with them.
    pub(super) fn print_csv(&self, out: &mut impl Write) -> Result<()> {
        self.rows.iter().try_for_each(|row| writeln!(out, "{}", row.join(",")))
    }
}

/// A value that cannot change the terminal's lines. Control characters break a line; format
/// characters turn the direction of the text or hide a part of it.
pub(super) fn printable(value: &str) -> String {
    value.replace(|c| !is_visible(c), " ")
}

/// Whether a character is neither a control nor a format character.
pub(super) fn is_visible(c: char) -> bool {
    !matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invisible_character_is_not_printed_to_the_terminal() {
        let unseen = ['\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}'];

        for c in unseen {
            assert_eq!(printable(&format!("ana{c}@x.com")), "ana @x.com", "{c:?}");
        }
        assert_eq!(printable("José 😀"), "José 😀");
    }

    #[test]
    fn columns_are_aligned() {
        let jobs = [("mail", "ação\nfim"), ("payment_event", "b")];
        let table = Table::of(&jobs).column("KIND", |(kind, _)| kind).column("KEY", |(_, key)| key);

        let mut shown = Vec::new();
        table.print(&mut shown).unwrap();

        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "KIND           KEY\nmail           ação fim\npayment_event  b\n"
        );
    }
}
