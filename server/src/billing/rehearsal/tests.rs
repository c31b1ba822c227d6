//! Compares `docs/provider-assumptions.md` with the list, and writes it for `make gen`.

use std::collections::HashSet;
use std::fmt::Write;

use super::assumption::Source;
use super::list::{CHECKS, areas, check_of};
use super::*;

const HEAD: &str = "\
# What we assume about the payment provider

`make gen` writes this page from `server/src/billing/rehearsal/assumptions.toml`: change that file, not this page.

`garimpo admin provider rehearse` checks the assumptions with a test mode key; [operation.md](operation.md#rehearsal) \
describes when and how. The sandbox behaves as stated here, and the switches of `sandbox/src/state/behavior.rs` play \
the alternatives: the product is right both ways.
";

/// The page as Markdown.
fn document() -> String {
    let mut page = HEAD.to_owned();
    for area in areas() {
        let _ = write!(page, "\n## {}\n", area.title);
        for assumption in &area.assumptions {
            section(&mut page, assumption);
        }
    }
    page
}

fn section(page: &mut String, assumption: &Assumption) {
    let Assumption { id, title, expects, why, .. } = assumption;
    let _ = write!(
        page,
        "\n### `{id}`\n\n{title}.\n\n- Expected: {expects}\n- Why it matters: {why}\n- Source: {}\n- Check: {}\n",
        source(&assumption.source),
        check(check_of(assumption)),
    );
}

fn source(source: &Source) -> String {
    match source {
        Source::Page(url) => format!("<{url}>"),
        Source::Library(name) => format!("types of the provider's Node library, `{name}`"),
        Source::Pages([one, other]) => format!("two pages that disagree: <{one}> and <{other}>"),
        Source::Undocumented(why) => format!("not documented. {why}"),
        Source::AccountSetting(what) => format!("a setting of the account: {what}"),
    }
}

fn check(check: Check<'_>) -> String {
    match check {
        Check::Calls(_) => "by calls".into(),
        Check::Browser(_) => "by calls and a person in a browser (`--no-browser` leaves it out)".into(),
        Check::Never(why) => format!("none: {why}"),
    }
}

/// `make gen` sets `GARIMPO_WRITE_DOCS`, and the test writes the page: a separate program would
/// build the whole server once more.
#[test]
#[expect(clippy::disallowed_methods, reason = "no setting of the product: `make gen` alone sets it")]
fn the_page_of_provider_assumptions_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/provider-assumptions.md");
    if std::env::var_os("GARIMPO_WRITE_DOCS").is_some() {
        std::fs::write(path, document()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(committed, document(), "docs/provider-assumptions.md is stale: run 'make gen' and commit it");
}

#[test]
fn each_assumption_has_a_unique_id_and_complete_sentences() {
    let mut ids = HashSet::new();
    for Assumption { id, title, expects, why, .. } in assumptions() {
        assert!(ids.insert(id), "{id} twice");
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{id}");
        assert!(!title.ends_with('.'), "{id}: the page adds the full stop");
        assert!(expects.ends_with('.') && why.ends_with('.'), "{id}");
    }
}

#[test]
fn each_assumption_has_a_check_or_the_reason_for_not_having_one() {
    let checked: Vec<_> =
        assumptions().filter(|one| one.never.is_none()).map(|one| one.id.as_str()).collect();
    let ids: Vec<_> = CHECKS.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, checked, "in the order of the file");
}

#[test]
fn a_live_key_is_recognized_by_its_prefix() {
    for (key, expected) in [
        ("sk_live_51abc", true),
        ("rk_live_51abc", true),
        (" sk_live_51abc", true),
        ("sk_test_51abc", false),
        ("rk_test_51abc", false),
    ] {
        assert_eq!(is_live(&SecretString::from(key)), expected, "{key}");
    }
}
