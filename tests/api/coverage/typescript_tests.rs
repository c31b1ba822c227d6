//! Finds the tests that vitest and Playwright run in a file: calls of `test`, `it` and their
//! extensions, by title.

use std::collections::BTreeSet;
use std::path::Path;

/// Folder and suffix of a runner's test files, and the line of its settings that sets them.
const RUNNERS: [(&str, &str, &str, &str); 4] = [
    ("web/src/", ".test.ts", "web/vite.config.ts", "include: ['{src,vite}/**/*.test.ts'],"),
    ("tests/browser/", ".spec.ts", "tests/playwright.config.ts", "testDir: './browser',"),
    ("tests/screens/", ".spec.ts", "tests/screens.config.ts", "testDir: './screens',"),
    ("tests/clients/provider/", ".spec.ts", "tests/clients.config.ts", "testDir: './clients/provider',"),
];

/// The titles of a file's tests; empty if no runner runs the file.
pub fn of_file(root: &Path, file: &str) -> BTreeSet<String> {
    let runner =
        RUNNERS.iter().find(|(folder, ending, ..)| file.starts_with(folder) && file.ends_with(ending));
    let Some((.., settings, line)) = runner else { return BTreeSet::new() };
    let settings = std::fs::read_to_string(root.join(settings)).expect("the runner's settings");
    assert!(settings.contains(line), "the runner of {file} no longer has: {line}");
    std::fs::read_to_string(root.join(file)).map(|source| titles(&source)).unwrap_or_default()
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    /// The text between quotes or backticks.
    Text(String),
    Mark(char),
}

use Token::{Mark, Text, Word};

fn titles(source: &str) -> BTreeSet<String> {
    let tokens = tokens_of(source);
    let word = |at: usize| match tokens.get(at) {
        Some(Word(word)) => word.as_str(),
        _ => "",
    };
    let is = |at: usize, mark: char| tokens.get(at) == Some(&Mark(mark));
    // With `skip` or `only` in a file, some of its tests do not run: none of them counts.
    let leaves_out = |at: usize| {
        matches!(word(at), "test" | "it" | "describe")
            && is(at + 1, '.')
            && matches!(word(at + 2), "skip" | "skipIf" | "runIf" | "only" | "todo" | "fixme")
    };
    if (0..tokens.len()).any(leaves_out) {
        return BTreeSet::new();
    }
    let mut runners = BTreeSet::from(["test", "it"]);
    for at in 0..tokens.len() {
        // own = test.extend
        if is(at + 1, '=') && runners.contains(word(at + 2)) && word(at + 4) == "extend" {
            runners.insert(word(at));
        }
    }
    let opening = |close: usize, marks: [char; 2]| {
        let mut depth = 0_usize;
        (0..=close).rev().find(|at| {
            if is(*at, marks[1]) {
                depth += 1;
            } else if is(*at, marks[0]) {
                depth -= 1;
            }
            depth == 0
        })
    };
    let is_test = |title: usize| {
        let Some(mut callee) = title.checked_sub(2) else { return false };
        if !is(title - 1, '(') {
            return false;
        }
        // test.each<Types>(cases)('title'
        if is(callee, ')') {
            let Some(cases) = opening(callee, ['(', ')']) else { return false };
            callee = cases.saturating_sub(1);
            if is(callee, '>') {
                callee = opening(callee, ['<', '>']).unwrap_or(0).saturating_sub(1);
            }
            if word(callee) != "each" || !is(callee.saturating_sub(1), '.') {
                return false;
            }
            callee = callee.saturating_sub(2);
        }
        runners.contains(word(callee)) && !is(callee.wrapping_sub(1), '.')
    };
    tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token {
            Text(title) if is_test(at) => Some(title.clone()),
            _ => None,
        })
        .collect()
}

/// Splits TypeScript into the tokens needed for calls and their titles. Comments and regular
/// expressions are left out.
fn tokens_of(source: &str) -> Vec<Token> {
    let source: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let (letter, next) = (source[at], source.get(at + 1));
        let start = at;
        match letter {
            '/' if next == Some(&'/') => at = find(&source, at, &['\n']),
            '/' if next == Some(&'*') => at = find(&source, at + 2, &['*', '/']) + 2,
            '/' if starts_regex(tokens.last()) => at = end_of_regex(&source, at),
            '\'' | '"' | '`' => {
                at = end_of_text(&source, at);
                tokens.push(Text(source[start + 1..at - 1].iter().collect()));
            }
            _ if is_word(letter) => {
                while at < source.len() && is_word(source[at]) {
                    at += 1;
                }
                tokens.push(Word(source[start..at].iter().collect()));
            }
            _ => {
                if !letter.is_whitespace() {
                    tokens.push(Mark(letter));
                }
                at += 1;
            }
        }
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

fn find(source: &[char], from: usize, what: &[char]) -> usize {
    let from = from.min(source.len());
    source[from..].windows(what.len()).position(|part| part == what).map_or(source.len(), |at| from + at)
}

/// Whether a slash begins a regular expression. After a value it divides.
fn starts_regex(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Mark(mark)) => !matches!(mark, ')' | ']' | '}'),
        Some(Word(word)) => matches!(word.as_str(), "return" | "typeof" | "of" | "in" | "case"),
        Some(Text(_)) => false,
    }
}

/// The index after a quoted text. The `${…}` of a template may contain quoted texts.
fn end_of_text(source: &[char], from: usize) -> usize {
    let quote = source[from];
    let mut at = from + 1;
    while at < source.len() && source[at] != quote {
        if source[at] == '\\' {
            at += 2;
        } else if quote == '`' && source[at] == '$' && source.get(at + 1) == Some(&'{') {
            at = end_of_braces(source, at + 1);
        } else {
            at += 1;
        }
    }
    assert!(at < source.len(), "a text without an end");
    at + 1
}

fn end_of_braces(source: &[char], from: usize) -> usize {
    let mut at = from;
    let mut depth = 0_usize;
    while at < source.len() {
        match source[at] {
            '\'' | '"' | '`' => at = end_of_text(source, at) - 1,
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    panic!("braces without an end")
}

fn end_of_regex(source: &[char], from: usize) -> usize {
    let mut at = from + 1;
    let mut in_class = false;
    while at < source.len() && (in_class || source[at] != '/') {
        match source[at] {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        at += 1;
    }
    at + 1
}

#[test]
fn only_titles_that_the_test_runner_calls_are_counted() {
    let source = r#"
        // test('in a comment', () => {})
        /* it('in a block comment', () => {}) */
        const text = "test('in a string', () => {})", half = 4 / 2, quote = /['"`/]/
        const own = base.extend({}), mine = test.extend<{ a: string }>({})
        test('runs', async () => { expect('not a title').toBe(`nor ${'this'}`) })
        it("runs by it", () => {})
        test(`runs ${path.replace('/', "'")}`, () => {})
        test.each<[string]>([['a']])('runs by $input', () => {})
        mine('runs extended', () => {})
        own('of a function that is no test', () => {})
        /\d+/.test('expression', 1)
        test.slow('not a test')
    "#;
    let found = titles(source);
    let expected =
        ["runs", "runs ${path.replace('/', \"'\")}", "runs by $input", "runs by it", "runs extended"];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    for left_out in ["test.skip('a', f)", "it.todo('a')", "test.describe.only('a', f)", "test.fixme(true)"] {
        assert!(titles(&format!("test('runs', f)\n{left_out}")).is_empty(), "{left_out}");
    }
}
