//! Checks that comments of Rust files stay within their columns.

use std::path::{Path, PathBuf};

const MAX_COLUMNS: usize = 100;
/// The packages of the workspace.
const PACKAGES: [&str; 9] =
    ["bench", "cli", "docs/examples/rust", "gateway", "listener", "proto", "sandbox", "server", "tests"];
/// Folders without sources of ours.
const SKIPPED: [&str; 3] = [".cache", "node_modules", "target"];

fn rust_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut folders: Vec<PathBuf> = PACKAGES.iter().map(|package| root.join(package)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (path, kind) = (entry.path(), entry.file_type().expect("its type"));
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// File and number of each comment line that is too long.
fn long_comments(file: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(file).expect("a source");
    let lines = source.lines().enumerate();
    let long =
        lines.filter(|(_, line)| line.trim_start().starts_with("//") && line.chars().count() > MAX_COLUMNS);
    long.map(|(at, _)| format!("{}:{}", file.display(), at + 1)).collect()
}

#[test]
fn no_rust_comment_line_exceeds_100_columns() {
    let files = rust_files();
    let long: Vec<String> = files.iter().flat_map(|file| long_comments(file)).collect();

    assert!(files.len() > 500, "only {} files were found", files.len());
    assert!(long.is_empty(), "comments over {MAX_COLUMNS} columns: {long:#?}");
}
