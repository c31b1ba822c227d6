//! Every route, rpc and reason of the contract stands in some scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn cada_rota_rpc_e_razao_aparece_em_algum_cenario() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scenarios =
        text_of(&root.join("api")) + &text_of(&root.join("clients")) + &text_of(&root.join("src"));
    let proto = text_of(&root.join("../proto/garimpo"));

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
async fn as_rotas_documentadas_sao_as_que_os_cenarios_conhecem() {
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

/// Sentences of the specification by section, as `docs/requirements.md` numbers them.
const SENTENCES: &[(u32, u32)] = &[(1, 22), (2, 100), (4, 49), (5, 15), (8, 30)];

#[test]
fn cada_frase_da_especificacao_tem_um_teste_que_existe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let index = std::fs::read_to_string(root.join("docs/requirements.md")).expect("the index");
    let rows: Vec<Vec<&str>> = index
        .lines()
        .filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit())
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();

    let ids: Vec<String> = rows.iter().map(|row| row[0].to_owned()).collect();
    let all =
        SENTENCES.iter().flat_map(|(section, last)| (1..=*last).map(move |n| format!("{section}.{n:02}")));
    assert_eq!(ids, all.collect::<Vec<_>>());
    for row in rows {
        let [id, sentence, shown_by] = row[..] else { panic!("three cells: {row:?}") };
        let tests: Vec<(&str, &str)> =
            shown_by.split("<br>").filter_map(|part| part.strip_prefix('`')?.split_once("` › ")).collect();
        assert!(!sentence.is_empty() && !tests.is_empty(), "{id} has no test");
        for (file, name) in tests {
            assert!(is_test(&root, file, name), "{id}: {file} has no test '{name}'");
        }
    }
}

/// Whether a file holds a test of this name, in Rust or in TypeScript.
fn is_test(root: &Path, file: &str, name: &str) -> bool {
    let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let quoted = ["'", "`", "\""].iter().any(|quote| source.contains(&format!("{quote}{name}{quote}")));
    quoted || source.contains(&format!("fn {name}("))
}

#[test]
fn cada_teste_que_os_documentos_de_seguranca_citam_existe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for document in ["docs/threat-model.md", "docs/asvs.md"] {
        let text = std::fs::read_to_string(root.join(document)).expect("the document");
        // `file::name` between backticks; a path in Rust has no slash.
        let quoted = text.split('`').skip(1).step_by(2);
        let tests: Vec<(&str, &str)> =
            quoted.filter_map(|code| code.split_once("::")).filter(|(file, _)| file.contains('/')).collect();
        assert!(tests.len() > 20, "{document} cites tests");
        for (file, name) in tests {
            assert!(is_test(&root, file, name), "{document}: {file} has no test '{name}'");
        }
    }
}

/// Requirements of levels 1 and 2 in ASVS 5.0.0.
const ASVS: usize = 253;

#[test]
fn cada_requisito_do_asvs_tem_uma_linha_ou_um_motivo_e_a_conta_fecha() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/asvs.md")).expect("the document");
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
        assert!(seen.insert(row[0]), "{} stands twice", row[0]);
        let counts = counted.entry(chapter_of(row[0])).or_default();
        counts[0] += 1;
        counts[place] += 1;
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("Does not apply: ")) {
        for id in line.split([' ', ',', ':']).filter(|word| is_requirement(word)) {
            assert!(seen.insert(id), "{id} stands twice");
        }
    }

    assert_eq!(seen.len(), ASVS);
    for row in rows.iter().filter(|row| row[0].starts_with('V')) {
        let told: Vec<usize> = row[2..6].iter().map(|count| count.parse().expect("a count")).collect();
        assert_eq!(told, counted.remove(&row[0][1..]).unwrap_or_default(), "{}", row[0]);
    }
    assert!(counted.is_empty(), "without a count: {counted:?}");
}

/// The paths of design.md section 3.
const ROUTES: &[&str] = &[
    "/api/auth/check-cookie",
    "/api/auth/clear-cookie",
    "/api/auth/set-cookie",
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

/// Everything written in the files of a folder, this one excepted.
fn text_of(folder: &Path) -> String {
    let entries =
        std::fs::read_dir(folder).expect("the folder stands").map(|entry| entry.expect("an entry").path());
    entries
        .filter(|path| !path.ends_with("coverage.rs"))
        .map(
            |path| {
                if path.is_dir() { text_of(&path) } else { std::fs::read_to_string(path).unwrap_or_default() }
            },
        )
        .collect()
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
