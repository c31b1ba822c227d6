//! Formats the figures and stores them in the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::figure::{Figure, Goal};

const BEGIN: &str = "<!-- bench: written by `make bench` -->\n";
const END: &str = "<!-- /bench -->";

pub fn line(figure: &Figure) -> String {
    let [ours, reference, percent, goal] = cells(figure);
    format!("{}: {ours} compared with {reference} ({percent}; goal {goal})", figure.what)
}

/// A Markdown table.
pub fn table(figures: &[Figure]) -> String {
    let mut text =
        String::from("| Figure | Ours | Reference | Of it | Goal | |\n|---|--:|--:|--:|--:|---|\n");
    for figure in figures {
        let [ours, reference, percent, goal] = cells(figure);
        let reached = figure.reached().map_or("", |reached| if reached { "reached" } else { "missed" });
        let row = ["", &figure.what, &ours, &reference, &percent, &goal, reached, ""].join(" | ");
        text.push_str(row.trim());
        text.push('\n');
    }
    text
}

pub fn json(figures: &[Figure]) -> String {
    serde_json::to_string(figures).unwrap_or_default()
}

/// Stores the figures: JSON in `bench/last.json`, the table in README.
pub fn store(figures: &[Figure]) -> Result<()> {
    let last = serde_json::to_string_pretty(figures)? + "\n";
    std::fs::write(last_run(), last).context("bench/last.json")?;

    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(&readme).context("README.md")?;
    let (before, rest) = text.split_once(BEGIN).context("README.md has no place for the figures")?;
    let (_, after) = rest.split_once(END).context("the figures in README.md have no end")?;
    std::fs::write(&readme, format!("{before}{BEGIN}{}{END}{after}", table(figures))).context("README.md")
}

/// Stores the figures of one group and leaves the others as they are.
pub fn update(group: &str, measured: &[Figure]) -> Result<()> {
    let last = std::fs::read_to_string(last_run()).context("bench/last.json")?;
    store(&merge(serde_json::from_str(&last).context("bench/last.json")?, group, measured))
}

fn last_run() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("last.json")
}

/// Replaces all figures of a group, because the name of a figure may contain measured values.
fn merge(mut before: Vec<Figure>, group: &str, measured: &[Figure]) -> Vec<Figure> {
    let first = before.iter().position(|figure| figure.group == group).unwrap_or(before.len());
    let mut after = before.split_off(first);
    after.retain(|figure| figure.group != group);
    [before.as_slice(), measured, after.as_slice()].concat()
}

fn cells(figure: &Figure) -> [String; 4] {
    let amount = |value: f64| format!("{} {}", grouped(value), figure.unit);
    [
        amount(figure.ours),
        figure.reference.map(amount).unwrap_or_default(),
        figure.percent().map(|percent| format!("{percent:.0}%")).unwrap_or_default(),
        match figure.goal {
            None => String::new(),
            Some(Goal::AtLeastPercent(least)) => format!("≥ {least:.0}%"),
            Some(Goal::AtMost(most)) => format!("≤ {}", amount(most)),
        },
    ]
}

/// 12345.6 is `12,346`, 12.34 is `12.3`.
fn grouped(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped_by_thousands_and_small_ones_have_one_decimal() {
        assert_eq!(grouped(1_234_567.8), "1,234,568");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12.34), "12.3");
    }

    #[test]
    fn a_measured_group_replaces_its_stored_figures_whatever_their_names() {
        let of = |group: &str, what: &str| Figure { group: group.into(), ..Figure::alone(what, "ms", 1.0) };
        let names = |figures: &[Figure]| figures.iter().map(|figure| figure.what.clone()).collect::<Vec<_>>();
        let stored = vec![of("a", "a"), of("b", "b in 24.4 ms"), of("b", "sign-ins"), of("c", "c")];
        let measured = [of("b", "b in 25.1 ms")];
        assert_eq!(names(&merge(stored.clone(), "b", &measured)), ["a", "b in 25.1 ms", "c"]);
        assert_eq!(names(&merge(stored[..1].to_vec(), "b", &measured)), ["a", "b in 25.1 ms"]);
    }

    #[test]
    fn a_figure_with_a_goal_reports_whether_it_is_reached() {
        let rate = Figure::rate("x", "requests/s", 61.0, 100.0);
        assert_eq!(rate.clone().at_least_percent(60.0).reached(), Some(true));
        assert_eq!(rate.clone().at_least_percent(62.0).reached(), Some(false));
        assert_eq!(rate.reached(), None);
        assert_eq!(Figure::cost("x", "MB", 25.1, 25.0).reached(), Some(false));
    }
}
