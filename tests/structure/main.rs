//! How the files of the workspace depend on each other, and how documents agree with them.

mod comments;
mod imports;
mod monitoring;
mod packaging;
mod statements;

use imports::Imports;

/// Folders whose files import each other in one direction, each with its crate's first file.
const ONE_WAY: [(&str, &str); 7] = [
    ("cli/src/main.rs", "cli/src"),
    ("server/domain/src/lib.rs", "server/domain/src"),
    ("server/src/lib.rs", "server/src"),
    ("gateway/src/lib.rs", "gateway/src"),
    ("listener/src/lib.rs", "listener/src"),
    ("telemetry/src/lib.rs", "telemetry/src"),
    ("sandbox/src/lib.rs", "sandbox/src"),
];

/// Folders whose areas import each other in one direction too.
const ONE_WAY_AREAS: [(&str, &str); 4] = [
    ("server/src/lib.rs", "server/src"),
    ("server/src/lib.rs", "server/src/billing"),
    ("server/src/lib.rs", "server/src/store"),
    ("sandbox/src/lib.rs", "sandbox/src"),
];

/// Files of the server that the store may import. All others are above it.
const BELOW_STORE: [&str; 6] = [
    "server/src/causes.rs",
    "server/src/clock.rs",
    "server/src/crash.rs",
    "server/src/measures.rs",
    "server/src/recent.rs",
    "server/src/request_id.rs",
];

#[test]
fn areas_of_a_folder_import_each_other_one_way() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let circles: Vec<Vec<String>> = ONE_WAY_AREAS
        .iter()
        .flat_map(|(library, folder)| Imports::of(root, library).between_areas(folder).circles())
        .collect();

    assert!(circles.is_empty(), "circles of imports: {circles:#?}");
}

#[test]
fn files_of_a_folder_import_each_other_one_way() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let circles: Vec<Vec<String>> = ONE_WAY
        .iter()
        .flat_map(|(library, folder)| Imports::of(root, library).inside(folder).circles())
        .collect();

    assert!(circles.is_empty(), "circles of imports: {circles:#?}");
}

#[test]
fn the_store_imports_nothing_from_above_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let known = Imports::of(root, "server/src/lib.rs").leaving("server/src/store");
    let above: Vec<_> = known.iter().filter(|(_, to)| !BELOW_STORE.contains(&to.as_str())).collect();

    assert!(above.is_empty(), "the store uses modules above it: {above:#?}");
}
