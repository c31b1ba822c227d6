//! Compares packages, settings and the layout with the documents.

use std::collections::BTreeSet;
use std::path::Path;

const EXAMPLES: [&str; 5] = [
    "packaging/debian/settings",
    "packaging/image/Containerfile",
    "packaging/image/compose.yml",
    "packaging/systemd/garimpo-backup.service",
    "packaging/systemd/garimpo.service",
];
const DOCUMENTS: [&str; 3] = ["docs/fleet.md", "docs/operation.md", "docs/tracking.md"];

fn settings(files: &[&str]) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let text = |file: &&str| std::fs::read_to_string(root.join(file)).expect("the file");
    let words = |text: String| -> Vec<String> {
        let word = text.split(|letter: char| !(letter.is_ascii_uppercase() || letter == '_'));
        word.filter(|word| word.len() > "GARIMPO_".len() && word.starts_with("GARIMPO_"))
            .map(str::to_owned)
            .collect()
    };
    files.iter().map(text).flat_map(words).collect()
}

#[test]
fn each_setting_in_the_packaging_examples_is_documented() {
    let (examples, documented) = (settings(&EXAMPLES), settings(&DOCUMENTS));

    assert!(examples.len() > 10, "{examples:?}");
    assert_eq!(examples.difference(&documented).cloned().collect::<Vec<_>>(), [""; 0]);
}

/// `cargo run` passes the variables of a build script to the program, which refuses unknown names
/// with its prefix.
#[test]
fn no_build_script_sets_a_variable_that_the_program_refuses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    for script in ["cli/build.rs", "gateway/build.rs", "proto/build.rs", "server/build.rs"] {
        let text = std::fs::read_to_string(root.join(script)).expect("the script");
        assert!(!text.contains("rustc-env=GARIMPO_"), "{script}");
    }
}

/// The lines of the block between two marks of docs/operation.md.
fn marked(mark: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let page = std::fs::read_to_string(root.join("docs/operation.md")).expect("the page");
    let (begin, end) = (format!("<!-- {mark}:begin -->\n```\n"), format!("```\n<!-- {mark}:end -->"));
    let block = page.split(&begin).nth(1).and_then(|rest| rest.split(&end).next()).expect("a marked block");
    block.lines().map(str::to_owned).collect()
}

/// An open socket starts the product again at the next visitor, and `cp` without -T copies into the
/// folder that this start creates.
#[test]
fn each_documented_restore_stops_the_sockets_first_and_copies_into_no_folder() {
    for mark in ["restore", "restore-by-hand"] {
        let lines = marked(mark);
        let stops = "systemctl stop garimpo.socket garimpo-redirect.socket garimpo.service garimpo-litestream.service";
        assert_eq!(lines.first().map(String::as_str), Some(stops), "{mark}");
        let copies = lines.iter().filter(|line| line.starts_with("cp ") || line.starts_with("mv "));
        for line in copies {
            assert!(line.starts_with("cp -aT ") || line.starts_with("mv -T "), "{mark}: {line}");
        }
        assert_eq!(lines.last().map(String::as_str), Some("garimpo-admin doctor"), "{mark}");
    }
    assert!(marked("restore").iter().any(|line| line.starts_with("garimpo-admin restore ")));
}

#[test]
fn the_packages_and_entries_that_the_client_named_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let has_line = |file: &str, start: &str| {
        let text = std::fs::read_to_string(root.join(file)).expect("the file");
        text.lines().any(|line| line.trim_start().starts_with(start))
    };

    for entry in ["proto", "Cargo.toml", "server", "gateway", "web", "buf.yaml", "tests", "README.md"] {
        assert!(root.join(entry).exists(), "{entry}");
    }
    for name in ["tonic", "tonic-web", "prost", "tokio", "sqlx", "serde", "reqwest", "tower"] {
        assert!(has_line("Cargo.toml", &format!("{name} = ")), "{name}");
    }
    for name in [
        "react",
        "react-dom",
        "@connectrpc/connect-web",
        "@bufbuild/protobuf",
        "react-router-dom",
        "vite",
        "typescript",
    ] {
        assert!(has_line("web/package.json", &format!("\"{name}\": ")), "{name}");
    }
}
