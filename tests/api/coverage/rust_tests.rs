//! Finds the tests that `cargo test` runs in this workspace by their tokens, so that names in
//! comments and strings do not count.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// File and name of each test in the files of all targets of the workspace, found by their `mod`
/// items.
pub fn of_workspace(root: &Path) -> BTreeSet<(String, String)> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(metadata.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&metadata.stderr));
    let workspace: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("cargo's JSON");
    let root = Path::new(workspace["workspace_root"].as_str().expect("a root"));
    let mut found = Found { root: root.to_owned(), tests: BTreeSet::new() };
    for package in workspace["packages"].as_array().expect("packages") {
        for target in package["targets"].as_array().expect("targets") {
            if target["test"] == true {
                let file = Path::new(target["src_path"].as_str().expect("a path"));
                found.read(file, file.parent().expect("a folder"));
            }
        }
    }
    found.tests
}

struct Found {
    root: PathBuf,
    tests: BTreeSet<(String, String)>,
}

impl Found {
    /// Reads a file whose modules lie in `folder`.
    fn read(&mut self, file: &Path, folder: &Path) {
        let source = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let name = file.strip_prefix(&self.root).expect("in the workspace").to_string_lossy().into_owned();
        let items = items_of(tokens);
        for module in items.modules {
            self.read_module(&folder.join(module));
        }
        self.tests.extend(items.tests.into_iter().map(|test| (name.clone(), test)));
    }

    fn read_module(&mut self, path: &Path) {
        let file = path.with_extension("rs");
        if file.is_file() { self.read(&file, path) } else { self.read(&path.join("mod.rs"), path) }
    }
}

#[derive(Default)]
struct Items {
    /// Names of the functions that run as tests.
    tests: Vec<String>,
    /// Modules in files of their own, under their inline modules.
    modules: Vec<PathBuf>,
}

/// Reads the items of a file, an inline module or a `proptest!` block. Bodies of functions are left
/// out.
fn items_of(tokens: TokenStream) -> Items {
    let mut items = Items::default();
    let mut attributes: Vec<String> = Vec::new();
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' => match trees.peek() {
                Some(TokenTree::Group(group)) => attributes.push(without_spaces(&group.stream())),
                // An inner attribute belongs to the file or the block.
                _ => drop(trees.next()),
            },
            TokenTree::Punct(mark) if mark.as_char() == ';' => attributes.clear(),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => attributes.clear(),
            TokenTree::Ident(word) if word == "fn" => {
                if let Some(TokenTree::Ident(name)) = trees.peek()
                    && is_run_test(&attributes)
                {
                    items.tests.push(name.to_string());
                }
            }
            TokenTree::Ident(word) if word == "mod" && !is_left_out(&attributes) => {
                let Some(TokenTree::Ident(name)) = trees.next() else { continue };
                match trees.next() {
                    Some(TokenTree::Group(group)) => {
                        let inner = items_of(group.stream());
                        items.tests.extend(inner.tests);
                        let folder = Path::new(&name.to_string()).to_owned();
                        items.modules.extend(inner.modules.iter().map(|module| folder.join(module)));
                    }
                    _ => items.modules.push(PathBuf::from(name.to_string())),
                }
                attributes.clear();
            }
            TokenTree::Ident(word) if word == "proptest" => {
                if let Some(TokenTree::Punct(mark)) = trees.peek()
                    && mark.as_char() == '!'
                {
                    trees.next();
                    if let Some(TokenTree::Group(group)) = trees.next() {
                        items.tests.extend(items_of(group.stream()).tests);
                    }
                }
            }
            _ => {}
        }
    }
    items
}

/// Whether attributes have `#[test]` or `#[tokio::test]`, without `#[ignore]` and conditions.
fn is_run_test(attributes: &[String]) -> bool {
    let is_test = |a: &String| a == "test" || a == "tokio::test" || a.starts_with("tokio::test(");
    let is_ignored = |a: &String| a.starts_with("ignore") || a.starts_with("cfg_attr(");
    attributes.iter().any(is_test) && !attributes.iter().any(is_ignored) && !is_left_out(attributes)
}

/// Whether attributes have a condition that a plain `cargo test` may not meet.
fn is_left_out(attributes: &[String]) -> bool {
    attributes.iter().any(|a| a.starts_with("cfg(") && a != "cfg(test)")
}

fn without_spaces(tokens: &TokenStream) -> String {
    tokens.to_string().chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Identifiers and string literals of a source, comments left out.
pub fn words_of(source: &str) -> BTreeSet<String> {
    fn collect(tokens: TokenStream, words: &mut BTreeSet<String>) {
        let mut after_hash = false;
        for tree in tokens {
            // `#[…]` and `#![…]`.
            let leads = matches!(&tree, TokenTree::Punct(mark)
                if mark.as_char() == '#' || after_hash && mark.as_char() == '!');
            match tree {
                // In tokens, a doc comment is an attribute.
                TokenTree::Group(group) if !after_hash => collect(group.stream(), words),
                TokenTree::Ident(word) => drop(words.insert(word.to_string())),
                TokenTree::Literal(text) => drop(words.insert(text.to_string())),
                _ => {}
            }
            after_hash = leads;
        }
    }
    let mut words = BTreeSet::new();
    collect(source.parse().expect("Rust"), &mut words);
    words
}

#[test]
fn only_tests_that_cargo_runs_are_counted() {
    let source = r##"
        //! #[test] fn in_a_comment() {}
        #![allow(dead_code)]
        const QUOTED: &str = "#[test] fn in_a_string() {}";
        /* #[test] fn in_a_block_comment() {} */
        fn without_attribute() { #[test] fn inside_another() {} }
        #[test]
        #[ignore = "slow"]
        fn is_ignored_test() {}
        #[cfg(feature = "never")]
        #[test]
        fn of_another_configuration() {}
        #[test]
        /// Kept.
        fn runs() {}
        #[tokio::test(flavor = "multi_thread")]
        async fn runs_with_tokio() {}
        #[cfg(test)]
        mod tests { mod deeper; #[test] fn runs_in_a_module() {} }
        #[cfg(windows)]
        mod elsewhere { #[test] fn of_another_system() {} }
        proptest::proptest! {
            #![proptest_config(Config::default())]
            #[test]
            fn runs_with_random_cases(n in 0..3) {}
        }
        mod written;
    "##;
    let items = items_of(source.parse().expect("Rust"));
    assert_eq!(items.tests, ["runs", "runs_with_tokio", "runs_in_a_module", "runs_with_random_cases"]);
    assert_eq!(items.modules, [Path::new("tests/deeper"), Path::new("written")]);
}
