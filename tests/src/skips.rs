//! Tests that are skipped because the run lacks something. `make test` counts them, and fails in
//! steps where nothing may be missing.

use std::io::Write as _;

/// Records that the calling test is skipped, because the run has no `what`.
pub fn skips(what: &str) {
    eprintln!("skipped: this run has no {what}");
    #[expect(clippy::disallowed_methods, reason = "the run names the file by the environment of the test")]
    let Ok(file) = std::env::var("GARIMPO_TEST_SKIPS") else { return };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let mut file = std::fs::File::options().create(true).append(true).open(file).expect("the list opens");
    writeln!(file, "{what}: {test}").expect("the list is written");
}
