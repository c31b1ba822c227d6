//! Checks that the macros of the store send each statement of the server, because they register it
//! for `every_statement_is_accepted_by_both_databases`.

use std::collections::BTreeSet;
use std::path::Path;

use super::imports;

/// Files that send statements by themselves, and why.
const SENDERS: [(&str, &str); 7] = [
    ("server/src/store/engine/migration.rs", "limits of a session, an index of any name, two reads at once"),
    ("server/src/store/engine/postgres.rs", "BEGIN with the time limits of the settings"),
    ("server/src/store/engine/query.rs", "the macro that the next ones call"),
    ("server/src/store/engine/read.rs", "registers the statement"),
    ("server/src/store/engine/statements.rs", "registers the statement"),
    ("server/src/store/engine/tx.rs", "registers the statement"),
    ("server/src/store/engine/writer.rs", "savepoints and checkpoints, more than one statement in a message"),
];

/// Whether a path is of an item that sends a statement, or makes one that is not registered.
fn sends(path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["sqlx", name, ..] => {
            name.starts_with("query")
                || ["AssertSqlSafe", "Execute", "Executor", "QueryBuilder", "raw_sql"].contains(&name)
        }
        [.., "engine", "query", _] | [.., "Statement", "new"] => true,
        _ => false,
    }
}

#[test]
fn the_macros_of_the_store_send_every_statement() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let first = BTreeSet::from(["sqlx", "Statement"].map(str::to_owned));
    let senders: BTreeSet<String> = imports::sources(root, "server/src/lib.rs")
        .into_iter()
        .filter(|(_, tokens)| imports::paths(tokens, &first).iter().any(|path| sends(path)))
        .map(|(file, _)| file)
        .collect();

    let allowed: BTreeSet<String> = SENDERS.map(|(file, _)| file.to_owned()).into();
    assert_eq!(senders, allowed, "use tx!, ro!, snapshot!, only! or statement!");
}
