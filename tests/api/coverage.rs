//! Every documented item has a test: routes, rpcs and reasons of the contract, requirements, lines
//! of the ASVS.

mod rust_tests;
mod typescript_tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

#[test]
fn each_route_rpc_and_reason_appears_in_a_scenario() {
    let scenarios = words_of(&root().join("tests/api"));
    let proto = text_of(&root().join("proto/garimpo"));

    let rpcs = proto
        .lines()
        .filter_map(|line| line.trim().strip_prefix("rpc "))
        .filter_map(|rest| rest.split('(').next());
    let reasons = proto
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ERROR_REASON_")?.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| *name != "UNSPECIFIED");
    let missing: Vec<&str> = rpcs
        .chain(reasons)
        .chain(ROUTES.iter().copied())
        .filter(|name| !scenarios.contains(name) && !scenarios.contains(&snake(name)))
        .collect();

    assert!(missing.is_empty(), "no scenario names: {missing:?}");
}

#[tokio::test]
async fn the_documented_routes_are_those_of_the_scenarios() {
    let app = e2e::App::start().await;

    let document = app.visitor().calls("GET", "/openapi.json", None).await.body;

    let mut paths: Vec<String> = document["paths"]
        .as_object()
        .expect("paths")
        .keys()
        .map(|path| path.replace("/{uid}", "/"))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let mut known: Vec<String> = ROUTES.iter().map(ToString::to_string).collect();
    known.sort_unstable();
    assert_eq!(paths, known);
}

/// The tests that run, by file and name.
struct Tests {
    root: PathBuf,
    rust: BTreeSet<(String, String)>,
}

impl Tests {
    fn of_workspace() -> Tests {
        let root = root();
        Tests { rust: rust_tests::of_workspace(&root), root }
    }

    fn has(&self, file: &str, name: &str) -> bool {
        if Path::new(file).extension().is_some_and(|end| end == "rs") {
            self.rust.contains(&(file.to_owned(), name.to_owned()))
        } else {
            typescript_tests::of_file(&self.root, file).contains(name)
        }
    }
}

/// The tests that a text cites as `file::name` in backticks. A Rust path has no slash.
fn cited(text: &str) -> Vec<(&str, &str)> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|code| code.split_once("::")).filter(|(file, _)| file.contains('/')).collect()
}

#[test]
fn each_test_that_a_document_cites_runs() {
    let tests = Tests::of_workspace();
    let mut not_run = Vec::new();
    for document in ["docs/requirements.md", "docs/threat-model.md", "docs/asvs.md"] {
        let text = std::fs::read_to_string(root().join(document)).expect("the document");
        let all = cited(&text);
        assert!(all.len() > 20, "{document} cites tests");
        let missing = all.into_iter().filter(|(file, name)| !tests.has(file, name));
        not_run.extend(missing.map(|(file, name)| format!("{document}: {file}::{name}")));
    }
    assert!(not_run.is_empty(), "no runner has:\n{}", not_run.join("\n"));
}

#[test]
fn each_requirement_has_a_unique_id_and_a_test_or_the_reason_for_none() {
    let text = std::fs::read_to_string(root().join("docs/requirements.md")).expect("the document");
    let mut ids = BTreeSet::new();
    let mut areas = BTreeSet::new();
    for section in text.split("\n## ").skip(1) {
        let rows: Vec<Vec<&str>> = section
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| |"))
            .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
            .collect();
        let area = rows[0][0].rsplit_once('-').expect("area-number").0;
        assert!(areas.insert(area), "{area} has two sections");
        for row in rows {
            let [id, requirement, shown_by] = row[..] else { panic!("three cells: {row:?}") };
            let number = id.strip_prefix(area).and_then(|rest| rest.strip_prefix('-'));
            assert!(number.is_some_and(|n| n.parse::<u16>().is_ok()), "{id} is not a number of {area}");
            assert!(ids.insert(id), "{id} is there twice");
            assert!(!requirement.is_empty(), "{id} has no text");
            let is_told = shown_by.strip_prefix("not shown: ").is_some_and(|reason| !reason.is_empty());
            assert!(is_told || !cited(shown_by).is_empty(), "{id} has neither a test nor a reason");
        }
    }
    assert!(ids.len() > 150, "{} requirements", ids.len());
}

/// Requirements of levels 1 and 2 in ASVS 5.0.0.
const ASVS: usize = 253;

#[test]
fn each_asvs_requirement_has_a_row_or_a_reason_and_the_counts_match() {
    let text = std::fs::read_to_string(root().join("docs/asvs.md")).expect("the document");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    let chapter_of = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
    let is_requirement =
        |id: &str| id.split('.').count() == 3 && id.split('.').all(|n| n.parse::<u8>().is_ok());

    let mut counted = BTreeMap::<String, [usize; 4]>::new();
    let mut seen = BTreeSet::new();
    for row in rows.iter().filter(|row| is_requirement(row[0])) {
        let place = match row[2] {
            "met" => 1,
            "partly" => 2,
            "not met" => 3,
            other => panic!("{}: {other}", row[0]),
        };
        assert!(seen.insert(row[0]), "{} is there twice", row[0]);
        let counts = counted.entry(chapter_of(row[0])).or_default();
        counts[0] += 1;
        counts[place] += 1;
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("Does not apply: ")) {
        for id in line.split([' ', ',', ':']).filter(|word| is_requirement(word)) {
            assert!(seen.insert(id), "{id} is there twice");
        }
    }

    assert_eq!(seen.len(), ASVS);
    for row in rows.iter().filter(|row| row[0].starts_with('V')) {
        let stated: Vec<usize> = row[2..6].iter().map(|count| count.parse().expect("a count")).collect();
        assert_eq!(stated, counted.remove(&row[0][1..]).unwrap_or_default(), "{}", row[0]);
    }
    assert!(counted.is_empty(), "without a count: {counted:?}");
}

/// The documented paths, without path parameters.
const ROUTES: &[&str] = &[
    "/api/auth/check-cookie",
    "/api/auth/clear-cookie",
    "/api/auth/set-cookie",
    "/api/client-errors",
    "/api/create-customer-portal-session",
    "/api/password-reset",
    "/api/steps",
    "/api/users",
    "/api/users/",
    "/config.json",
    "/create-embedded-checkout-session",
    "/meta-capi",
    "/session-status",
    "/webhooks/stripe",
];

/// Identifiers and string literals of the scenarios in a folder, one per line, without comments and
/// without the files of this check.
fn words_of(folder: &Path) -> String {
    let files = files_of(folder).into_iter().filter(|path| !path.to_string_lossy().contains("coverage"));
    files.flat_map(|path| rust_tests::words_of(&text_of(&path))).collect::<Vec<_>>().join("\n")
}

/// The text of a file, or of all files of a folder.
fn text_of(path: &Path) -> String {
    files_of(path).iter().map(|file| std::fs::read_to_string(file).expect("a text")).collect()
}

fn files_of(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).expect("the folder exists");
    entries.flat_map(|entry| files_of(&entry.expect("an entry").path())).collect()
}

/// `SignUp` as a generated client spells it: `sign_up`.
fn snake(name: &str) -> String {
    let mut spelled = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !spelled.is_empty() {
            spelled.push('_');
        }
        spelled.extend(letter.to_lowercase());
    }
    spelled
}
