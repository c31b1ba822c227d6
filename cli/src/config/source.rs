//! Where the values of settings come from: the environment, files named by it, and systemd
//! credentials.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::problem::ConfigError;
use super::setting::{PREFIX, Setting};

/// Suffix of a variable that names a file with a secret.
const FILE: &str = "_FILE";
/// The folder in which systemd puts the credentials of a service.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
/// Settings whose value is the path of a file with a key.
const KEY_FILES: [&str; 2] = ["GARIMPO_TLS_KEY", "GARIMPO_IDENTITY_CREDENTIALS"];
/// Setting that decides about unknown names: refused, or with `warn` logged.
const UNKNOWN: &str = "GARIMPO_UNKNOWN";
/// More wrong letters are no slip of a finger.
const MAX_DISTANCE: usize = 4;
/// A longer file holds no secret.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

/// The environment of the process, or a map in tests.
pub type Environment = BTreeMap<String, String>;

/// The raw values by the name of their setting.
#[derive(Debug, Default)]
pub struct Source {
    /// Values that were given.
    pub values: BTreeMap<String, String>,
    /// Problems that stop the start.
    pub errors: Vec<ConfigError>,
    /// Problems that are only logged.
    pub warnings: Vec<String>,
}

impl Source {
    /// Reads the value of each setting. Surrounding blanks are dropped, and an empty value counts
    /// as absent, so that a compose file can take a variable back.
    pub fn read(environment: &Environment, settings: &[Setting]) -> Self {
        let mut source = Self::default();
        let given =
            |name: &str| environment.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        for setting in settings {
            let named = |suffix: &str| given(&format!("{}{suffix}", setting.name));
            let file = named(FILE).filter(|_| setting.is_secret).map(PathBuf::from);
            let folder = given(CREDENTIALS).filter(|_| setting.is_secret || setting.is_file);
            let credential =
                folder.map(|folder| Path::new(folder).join(&setting.name)).filter(|path| path.exists());
            // A value in two places is refused, because an old one could silently win.
            match (named(""), file, credential) {
                (None, None, None) => {}
                (Some(value), None, None) => {
                    source.values.insert(setting.name.clone(), value.to_owned());
                }
                // It may change while the process runs, so its path is the value.
                (None, None, Some(path)) if setting.is_file => {
                    source.values.insert(setting.name.clone(), path.display().to_string());
                }
                (None, Some(path), None) => {
                    source.add_file(&setting.name, &path);
                    source.warn_of_readers(&setting.name, &path, false);
                }
                (None, None, Some(path)) => {
                    source.add_file(&setting.name, &path);
                    source.warn_of_readers(&setting.name, &path, true);
                }
                (_, Some(_), None) => {
                    source.errors.push(ConfigError::conflict(&setting.name, "also with _FILE"));
                }
                (_, _, Some(_)) => {
                    source.errors.push(ConfigError::conflict(&setting.name, "also as a systemd credential"));
                }
            }
        }
        let credentials = given(CREDENTIALS).map(Path::new);
        for name in KEY_FILES {
            if let Some(path) = source.values.get(name).map(PathBuf::from) {
                let is_credential = credentials.is_some_and(|folder| path.starts_with(folder));
                source.warn_of_readers(name, &path, is_credential);
            }
        }
        source.check_names(environment, settings, given(UNKNOWN) == Some("warn"));
        source
    }

    fn add_file(&mut self, name: &str, path: &Path) {
        match read_secret(path) {
            Ok(text) if !text.is_empty() => drop(self.values.insert(name.to_owned(), text)),
            _ => {
                let found = path.display().to_string();
                self.errors.push(ConfigError::refused(name, &found, "a readable file with the secret alone"));
            }
        }
    }

    /// Warns of a file with a secret that more users than the process may read. systemd gives a
    /// service its credentials by an access list, which shows as rights of the group.
    fn warn_of_readers(&mut self, name: &str, path: &Path, is_credential: bool) {
        let others = if is_credential { 0o007 } else { 0o077 };
        let mode = fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode() & 0o777);
        if mode & others != 0 {
            let path = path.display();
            self.warnings.push(format!(
                "WARN {name}: {path} has mode {mode:o}, so that other users may read it; chmod 600 {path}"
            ));
        }
    }

    /// A misspelt name would silently leave the default.
    fn check_names(&mut self, environment: &Environment, settings: &[Setting], only_warn: bool) {
        let ours =
            environment.iter().filter(|(name, value)| name.starts_with(PREFIX) && !is_foreign(name, value));
        for name in ours.map(|(name, _)| name).filter(|name| !is_setting(name, settings)) {
            let error = ConfigError::unknown(name, nearest(name, settings).as_deref());
            if only_warn {
                self.warnings.push(error.to_string());
            } else {
                self.errors.push(error);
            }
        }
    }
}

fn is_setting(name: &str, settings: &[Setting]) -> bool {
    settings.iter().any(|setting| {
        name == setting.name
            || setting.is_secret && name.strip_suffix(FILE).is_some_and(|name| name == setting.name)
    })
}

/// The setting that a name may have meant: at most a third of its letters differ, because a farther
/// one would only mislead.
fn nearest(name: &str, settings: &[Setting]) -> Option<String> {
    let files =
        settings.iter().filter(|setting| setting.is_secret).map(|setting| format!("{}{FILE}", setting.name));
    let known = settings.iter().map(|setting| setting.name.clone()).chain(files);
    let distance = |known: &str| strsim::osa_distance(&name[PREFIX.len()..], &known[PREFIX.len()..]);
    let limit = (name[PREFIX.len()..].chars().count() / 3).clamp(1, MAX_DISTANCE);
    let near = known.map(|known| (distance(&known), known)).min()?;
    (near.0 <= limit).then_some(near.1)
}

/// Names that tests and orchestrators put beside ours: `GARIMPO_SERVICE_HOST`,
/// `GARIMPO_SERVICE_PORT_HTTP`, `GARIMPO_PORT_8080_TCP_ADDR`, and `GARIMPO_PORT` with an address
/// such as `tcp://10.0.0.1:8080`. A service may have `port` in its own name.
fn is_foreign(name: &str, value: &str) -> bool {
    let own = &name[PREFIX.len() - 1..];
    let is_of_service = own.ends_with("_SERVICE_HOST") || own.contains("_SERVICE_PORT");
    let is_address = || ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let is_of_port =
        own.match_indices("_PORT").any(|(at, found)| match own[at + found.len()..].strip_prefix('_') {
            Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()),
            None => own.ends_with("_PORT") && is_address(),
        });
    own.starts_with("_TEST_") || is_of_service || is_of_port
}

fn read_secret(path: &Path) -> std::io::Result<String> {
    // Opening a pipe waits until another process writes into it.
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_SECRET_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_SECRET_BYTES {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    Ok(text.trim().to_owned())
}
