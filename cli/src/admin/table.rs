//! Rows for people: columns as wide as their longest value, two blanks between.

use std::io::{Result, Write};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// A table on its way to the terminal.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a row of texts for each value.
    pub(super) fn of<R, const N: usize>(
        header: [&str; N],
        rows: &[R],
        cells: impl Fn(&R) -> [String; N],
    ) -> Self {
        let mut table = Self::new(&header);
        for row in rows {
            table.row(cells(row));
        }
        table
    }

    pub(super) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|name| (*name).to_owned()).collect()] }
    }

    /// Adds a row: a value for each name.
    pub(super) fn row(&mut self, values: impl IntoIterator<Item = String>) {
        self.rows.push(values.into_iter().map(|value| printable(&value)).collect());
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |at: usize| self.rows.iter().filter_map(|row| row.get(at)).map(|v| v.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(value, width)| format!("{value:<width$}"));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// A value that cannot change the terminal's lines. Control characters break a line; format
/// characters turn the direction of the text or hide a part of it.
pub(super) fn printable(value: &str) -> String {
    let is_unseen =
        |c: char| matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format);
    value.replace(is_unseen, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caractere_que_nao_se_ve_nao_chega_ao_terminal() {
        let unseen = ['\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}'];

        for c in unseen {
            assert_eq!(printable(&format!("ana{c}@x.com")), "ana @x.com", "{c:?}");
        }
        assert_eq!(printable("José 😀"), "José 😀");
    }

    #[test]
    fn colunas_ficam_alinhadas() {
        let mut table = Table::new(&["KIND", "KEY"]);
        table.row(["mail".to_owned(), "ação\nfim".to_owned()]);
        table.row(["payment_event".to_owned(), "b".to_owned()]);

        let mut shown = Vec::new();
        table.print(&mut shown).unwrap();

        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "KIND           KEY\nmail           ação fim\npayment_event  b\n"
        );
    }
}
