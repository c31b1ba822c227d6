//! Compares the rules of Prometheus and the dashboards of Grafana with docs/operation.md and with
//! the product's metrics.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

const DASHBOARDS: [&str; 3] = ["now", "money", "speed"];
/// Components that report metrics.
const SOURCES: [&str; 5] = ["cli/src", "gateway/src", "listener/src", "server/src", "telemetry/src"];
/// Prefix of the metrics that every Prometheus client has.
const OF_PROCESS: &str = "process_";
/// Series of a histogram.
const OF_HISTOGRAM: [&str; 3] = ["_bucket", "_count", "_sum"];

fn text(file: &str) -> String {
    let path = root().join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The metrics that a text names.
fn metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let ours = words.filter(|word| word.starts_with("garimpo_") || word.starts_with(OF_PROCESS));
    let name = |word: &str| {
        OF_HISTOGRAM.iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word).to_owned()
    };
    ours.map(name).collect()
}

/// The metrics that the sources name in constants.
fn metrics_of_product() -> BTreeSet<String> {
    let mut folders: Vec<_> = SOURCES.iter().map(|source| root().join(source)).collect();
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry"))
        {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if let Ok(source) = std::fs::read_to_string(entry.path()) {
                found.extend(source.lines().filter(|line| line.contains("const ")).flat_map(metrics));
            }
        }
    }
    found
}

/// Each row of the table "What to watch": its metrics, and whether it has an alarm.
fn watched() -> Vec<(BTreeSet<String>, bool)> {
    let page = text("docs/operation.md");
    let section = page.split("\n## What to watch\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<_> = row.split(" | ").collect();
        (metrics(&cells[0].replace('…', "garimpo_gateway")), !cells[2].trim().is_empty())
    })
    .collect()
}

/// The rules without their comments.
fn rules() -> String {
    text("docs/alerts.yml")
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n")
}

fn missing(some: &BTreeSet<String>, all: &BTreeSet<String>) -> Vec<String> {
    some.difference(all).cloned().collect()
}

#[test]
fn each_documented_alarm_has_a_rule_and_each_rule_uses_only_product_metrics() {
    let ruled = metrics(&rules());

    let unruled: Vec<_> =
        watched().into_iter().filter(|(row, is_alarm)| *is_alarm && row.is_disjoint(&ruled)).collect();
    assert!(unruled.is_empty(), "no rule in docs/alerts.yml: {unruled:?}");
    assert_eq!(missing(&ruled, &metrics_of_product()), [""; 0], "docs/alerts.yml");
    let documented = watched().into_iter().flat_map(|(row, _)| row).collect();
    assert_eq!(missing(&documented, &metrics_of_product()), [""; 0], "docs/operation.md");
}

#[test]
fn each_alert_rule_has_a_case_in_which_it_fires() {
    let cases = text("tests/alarms/alerts.test.yml");

    for name in rules().lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(
            cases.contains(&format!("alertname=\"{name}\"")),
            "tests/alarms/alerts.test.yml lacks {name}"
        );
    }
}

#[test]
fn each_panel_shows_only_product_metrics_and_each_documented_metric_has_a_panel() {
    let product = metrics_of_product();
    let mut shown = BTreeSet::new();

    for name in DASHBOARDS {
        let dashboard: Value =
            serde_json::from_str(&text(&format!("docs/grafana/{name}.json"))).expect("JSON");
        let panels =
            dashboard["panels"].as_array().expect("panels").iter().filter(|panel| panel["type"] != "row");
        for panel in panels {
            let queries = panel["targets"].as_array().expect("queries");
            for query in queries.iter().map(|query| query["expr"].as_str().expect("an expression")) {
                let named = metrics(query);
                assert!(!named.is_empty() || query.contains("up{"), "{name}, {}: {query}", panel["title"]);
                assert_eq!(missing(&named, &product), [""; 0], "{name}, {}", panel["title"]);
                shown.extend(named);
            }
        }
    }

    let documented = watched().into_iter().flat_map(|(row, _)| row).collect();
    assert_eq!(missing(&documented, &shown), [""; 0], "on no dashboard");
}
