//! Holds the examples of settings in packages to the settings that the documents list.

use std::collections::BTreeSet;
use std::path::Path;

const EXAMPLES: [&str; 6] = [
    "packaging/debian/settings",
    "packaging/image/Containerfile",
    "packaging/image/compose.yml",
    "packaging/systemd/garimpo-gateway.service",
    "packaging/systemd/garimpo-server.service",
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
fn cada_configuracao_dos_exemplos_de_instalacao_esta_documentada() {
    let (examples, documented) = (settings(&EXAMPLES), settings(&DOCUMENTS));

    assert!(examples.len() > 10, "{examples:?}");
    assert_eq!(examples.difference(&documented).cloned().collect::<Vec<_>>(), [""; 0]);
}

/// `cargo run` hands the variables of a build script to the program, which refuses names with its
/// prefix that are no setting.
#[test]
fn nenhum_script_de_compilacao_da_ao_programa_um_nome_que_ele_recusa() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    for script in ["cli/build.rs", "gateway/build.rs", "proto/build.rs", "server/build.rs"] {
        let text = std::fs::read_to_string(root.join(script)).expect("the script");
        assert!(!text.contains("rustc-env=GARIMPO_"), "{script}");
    }
}
