//! How the files of the workspace depend on each other, and how documents agree with them.

mod imports;
mod monitoring;
mod packaging;

use imports::Imports;

/// Folders whose files import each other in one direction, each with its crate's first file.
const ONE_WAY: [(&str, &str); 6] = [
    ("cli/src/main.rs", "cli/src"),
    ("server/domain/src/lib.rs", "server/domain/src"),
    ("server/src/lib.rs", "server/src"),
    ("gateway/src/lib.rs", "gateway/src"),
    ("telemetry/src/lib.rs", "telemetry/src"),
    ("sandbox/src/lib.rs", "sandbox/src"),
];

/// Folders whose areas import each other in one direction too.
const ONE_WAY_AREAS: [(&str, &str); 5] = [
    ("server/src/lib.rs", "server/src"),
    ("server/src/lib.rs", "server/src/billing"),
    ("server/src/lib.rs", "server/src/store"),
    ("gateway/src/lib.rs", "gateway/src"),
    ("sandbox/src/lib.rs", "sandbox/src"),
];

#[test]
fn areas_de_uma_pasta_se_importam_numa_direcao() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let circles: Vec<Vec<String>> = ONE_WAY_AREAS
        .iter()
        .flat_map(|(library, folder)| Imports::of(root, library).between_areas(folder).circles())
        .collect();

    assert!(circles.is_empty(), "circles of imports: {circles:#?}");
}

#[test]
fn arquivos_de_uma_pasta_se_importam_numa_direcao() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let circles: Vec<Vec<String>> = ONE_WAY
        .iter()
        .flat_map(|(library, folder)| Imports::of(root, library).inside(folder).circles())
        .collect();

    assert!(circles.is_empty(), "circles of imports: {circles:#?}");
}
