//! Which file of a crate names an item of which other file, read from the tokens of its source.
//! Modules under `#[cfg(test)]` are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Path of a module inside its crate: empty for the crate's root.
type Module = Vec<String>;

/// Imports between the files of a crate: from a file to each file of which it names an item.
pub struct Imports(BTreeMap<String, BTreeSet<String>>);

impl Imports {
    /// Reads a crate from its first file, relative to the workspace.
    pub fn of(root: &Path, library: &str) -> Self {
        let files = Files::of(root, library);
        let named = |module: &Module| files.read[module].0.clone();
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, (file, tokens)) in &files.read {
            let paths = paths(tokens, &files.children(module));
            let targets = paths.iter().filter_map(|path| files.resolve(module, path));
            arrows
                .entry(file.clone())
                .or_default()
                .extend(targets.map(|target| named(&target)).filter(|to| to != file));
        }
        Self(arrows)
    }

    /// The imports between two files of a folder, and of the file that declares it.
    pub fn inside(self, folder: &str) -> Self {
        let (below, declaring) = (format!("{folder}/"), format!("{folder}.rs"));
        let is_inside = |file: &String| file.starts_with(&below) || *file == declaring;
        let arrows = self.0.into_iter().filter(|(from, _)| is_inside(from));
        Self(arrows.map(|(from, to)| (from, to.into_iter().filter(is_inside).collect())).collect())
    }

    /// The imports from a file of a folder, or the file that declares it, to a file elsewhere.
    pub fn leaving(self, folder: &str) -> Vec<(String, String)> {
        let (below, declaring) = (format!("{folder}/"), format!("{folder}.rs"));
        let is_inside = |file: &str| file.starts_with(&below) || file == declaring;
        let arrows = self.0.into_iter().filter(|(from, _)| is_inside(from));
        let pairs = arrows.flat_map(|(from, to)| to.into_iter().map(move |to| (from.clone(), to)));
        pairs.filter(|(_, to)| !is_inside(to)).collect()
    }

    /// The imports between the areas of a folder: a file `folder/area.rs` and all files below
    /// `folder/area/` are one area.
    pub fn between_areas(self, folder: &str) -> Self {
        let area = |file: &String| -> Option<String> {
            let below = file.strip_prefix(folder)?.strip_prefix('/')?;
            let name = below.split('/').next()?;
            Some(name.strip_suffix(".rs").unwrap_or(name).to_owned())
        };
        let mut areas: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in &self.0 {
            let Some(from) = area(from) else { continue };
            let others = to.iter().filter_map(area).filter(|to| *to != from).collect::<Vec<_>>();
            areas.entry(from).or_default().extend(others);
        }
        Self(areas)
    }

    /// Files that import each other both ways: for each group its imports, `from -> to, to`.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            self.0.keys().map(|file| (file, self.reached_from(file))).collect();
        let group_of = |file: &String| -> Vec<&String> {
            reached[file].iter().copied().filter(|other| reached[*other].contains(file)).collect()
        };
        let groups: BTreeSet<_> = self.0.keys().map(group_of).filter(|group| !group.is_empty()).collect();
        groups.iter().map(|group| self.arrows_between(group)).collect()
    }

    fn reached_from<'a>(&'a self, file: &'a String) -> BTreeSet<&'a String> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![file];
        while let Some(next) = waiting.pop() {
            waiting.extend(self.0.get(next).into_iter().flatten().filter(|to| reached.insert(*to)));
        }
        reached
    }

    fn arrows_between(&self, group: &[&String]) -> Vec<String> {
        let targets = |file: &String| -> Vec<&str> {
            self.0[file].iter().filter(|to| group.contains(to)).map(String::as_str).collect()
        };
        group.iter().map(|file| format!("{file} -> {}", targets(file).join(", "))).collect()
    }
}

/// The files of a crate by module, each with its name in the workspace and its tokens.
struct Files<'a> {
    root: &'a Path,
    read: BTreeMap<Module, (String, TokenStream)>,
}

impl<'a> Files<'a> {
    /// Reads a crate from its first file, relative to the workspace.
    fn of(root: &'a Path, library: &str) -> Self {
        let mut files = Self { root, read: BTreeMap::new() };
        let folder = root.join(library).parent().expect("a folder").to_owned();
        files.read(Vec::new(), &root.join(library), &folder);
        files
    }

    /// Reads a file whose modules are in `folder`, and those modules.
    fn read(&mut self, module: Module, file: &Path, folder: &Path) {
        let source = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let (tokens, children) = without_tests(tokens);
        let name = file.strip_prefix(self.root).expect("in the workspace").to_string_lossy().into_owned();
        self.read.insert(module.clone(), (name, tokens));
        for child in children {
            let path: PathBuf = folder.join(&child);
            self.read([module.clone(), vec![child]].concat(), &path.with_extension("rs"), &path);
        }
    }

    /// Names of the modules that a module declares.
    fn children(&self, module: &Module) -> BTreeSet<String> {
        let is_child = |other: &&Module| other.len() == module.len() + 1 && other.starts_with(module);
        self.read.keys().filter(is_child).filter_map(|child| child.last().cloned()).collect()
    }

    /// The module whose item a path names: the longest part of it that is a module.
    fn resolve(&self, module: &Module, path: &[String]) -> Option<Module> {
        let mut found = module.clone();
        let mut rest = path.iter().peekable();
        while let Some(first) = rest.next_if(|first| ["crate", "self", "super"].contains(&first.as_str())) {
            match first.as_str() {
                "crate" => found.clear(),
                "super" => drop(found.pop()?),
                _ => {}
            }
        }
        for name in rest {
            let deeper = [found.clone(), vec![name.clone()]].concat();
            if !self.read.contains_key(&deeper) {
                break;
            }
            found = deeper;
        }
        Some(found)
    }
}

/// The tokens without the modules for tests, and the names of the other modules in files of their
/// own.
fn without_tests(tokens: TokenStream) -> (TokenStream, Vec<String>) {
    let (mut kept, mut children) = (Vec::<TokenTree>::new(), Vec::new());
    let mut rest = tokens.into_iter().peekable();
    let mut is_test = false;
    while let Some(token) = rest.next() {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::Bracket
        {
            is_test |= group.to_string().replace(' ', "") == "[cfg(test)]";
        }
        if matches!(&token, TokenTree::Ident(ident) if ident == "mod") {
            let name = rest.next().expect("a module's name").to_string();
            let body = rest.next().expect("a module's body or ';'");
            if !is_test {
                match body {
                    TokenTree::Group(inline) => kept.extend(inline.stream()),
                    _ => children.push(name),
                }
            }
            is_test = false;
            continue;
        }
        let ends_item = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';')
            || matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        is_test &= !ends_item;
        kept.push(token);
    }
    (kept.into_iter().collect(), children)
}

/// The files of a crate with their tokens, without the modules for tests.
pub fn sources(root: &Path, library: &str) -> Vec<(String, TokenStream)> {
    Files::of(root, library).read.into_values().collect()
}

/// The paths that begin in this crate, or with one of the names.
pub fn paths(tokens: &TokenStream, names: &BTreeSet<String>) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    read_paths(tokens, names, &mut paths);
    paths
}

/// Collects the paths that begin in this crate: by `crate`, `self` or `super`, or by a module that
/// the file declares.
fn read_paths(tokens: &TokenStream, children: &BTreeSet<String>, paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = match token {
            TokenTree::Ident(ident) if begins_here(&tokens, at, &ident.to_string(), children) => {
                read_path(&tokens, at, Vec::new(), paths)
            }
            TokenTree::Group(group) => {
                read_paths(&group.stream(), children, paths);
                at + 1
            }
            _ => at + 1,
        };
    }
}

/// Whether a name begins a path of this crate, rather than continuing another path.
fn begins_here(tokens: &[TokenTree], at: usize, name: &str, children: &BTreeSet<String>) -> bool {
    let goes_on = is_colons(tokens, at + 1);
    let is_middle = at >= 2 && is_colons(tokens, at - 2);
    let is_method = at >= 1 && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == '.');
    !is_middle
        && !is_method
        && goes_on
        && (["crate", "super", "self"].contains(&name) || children.contains(name))
}

/// Reads one path from an index on, and each branch of a `use` tree as a path; returns the index
/// after it.
fn read_path(
    tokens: &[TokenTree],
    mut at: usize,
    mut path: Vec<String>,
    paths: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => path.push(ident.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let branches: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in
                    branches.split(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ','))
                {
                    read_path(branch, 0, path.clone(), paths);
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !is_colons(tokens, at) {
            break;
        }
        at += 2;
    }
    paths.push(path);
    at
}

/// Whether `::` is at an index.
fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}
