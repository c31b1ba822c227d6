//! Where the values of settings come from: the environment, files named by it, and systemd credentials.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use super::problem::ConfigError;
use super::variables::Setting;

/// Prefix of every setting.
const PREFIX: &str = "GARIMPO_";
/// Suffix of a variable that names a file with a secret.
const FILE: &str = "_FILE";
/// The folder in which systemd puts the credentials of a service.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
/// What happens to unknown names: refused, or with `warn` logged.
const UNKNOWN: &str = "GARIMPO_UNKNOWN";
/// A longer file holds no secret.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

/// The environment of the process, or a map in tests.
pub type Environment = BTreeMap<String, String>;

/// The raw values by the name of their setting.
#[derive(Debug, Default)]
pub struct Source {
    /// Values that were given.
    pub values: BTreeMap<String, String>,
    /// What stops the start.
    pub errors: Vec<ConfigError>,
    /// What is only logged.
    pub warnings: Vec<String>,
}

impl Source {
    /// Reads the value of each setting. Surrounding blanks are dropped, and an empty value counts as
    /// absent, so that a compose file can take a variable back.
    pub fn read(environment: &Environment, settings: &[Setting]) -> Self {
        let mut source = Self::default();
        let given =
            |name: &str| environment.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        for setting in settings {
            let from_file = setting.is_secret.then(|| format!("{}{FILE}", setting.name));
            let file = from_file.as_deref().and_then(given);
            match (given(&setting.name), file) {
                (Some(_), Some(_)) => {
                    source.errors.push(ConfigError::conflict(&setting.name, "also with _FILE"));
                }
                (Some(value), None) => drop(source.values.insert(setting.name.clone(), value.to_owned())),
                (None, Some(path)) => source.add_file(&setting.name, Path::new(path)),
                (None, None) if setting.is_secret => {
                    let path = given(CREDENTIALS).map(|folder| Path::new(folder).join(&setting.name));
                    if let Some(path) = path.filter(|path| path.exists()) {
                        source.add_file(&setting.name, &path);
                    }
                }
                (None, None) => {}
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

    /// A misspelt name would leave the default in force unseen.
    fn check_names(&mut self, environment: &Environment, settings: &[Setting], only_warn: bool) {
        let ours = environment.keys().filter(|name| name.starts_with(PREFIX) && !is_foreign(name));
        for name in ours.filter(|name| !is_setting(name, settings)) {
            let nearest = settings
                .iter()
                .map(|setting| setting.name.as_str())
                .max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
            let error = ConfigError::unknown(name, nearest.unwrap_or_default());
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

/// Names that tests and orchestrators put beside ours: `GARIMPO_SERVICE_HOST`, `GARIMPO_PORT_8080_TCP`.
fn is_foreign(name: &str) -> bool {
    let own = &name[PREFIX.len()..];
    own.starts_with("TEST_") || format!("_{own}").ends_with("_SERVICE_HOST") || own.contains("PORT")
}

fn read_secret(path: &Path) -> std::io::Result<String> {
    let file = fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    file.take(MAX_SECRET_BYTES).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}
