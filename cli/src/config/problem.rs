//! What is wrong with settings: all of it at once, one line each.

use std::error::Error;
use std::fmt;

use super::forms::PasswordFileError;

/// One setting that stops the start: its name, the value found, the form that is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}; allowed: {allowed}")]
pub struct ConfigError {
    name: String,
    found: String,
    allowed: String,
}

impl ConfigError {
    /// The setting.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A refused value; a secret is masked by the caller.
    pub fn refused(name: &str, found: &str, allowed: &str) -> Self {
        Self { name: name.to_owned(), found: format!("{found:?}"), allowed: allowed.to_owned() }
    }

    /// Adds why the value could not be taken, with its causes.
    pub fn because(mut self, cause: &PasswordFileError) -> Self {
        let causes = std::iter::successors(Some(cause as &dyn Error), |&cause| cause.source());
        let causes: Vec<_> = causes.map(ToString::to_string).collect();
        self.found = format!("{} ({})", self.found, causes.join(": "));
        self
    }

    /// A value that is required and absent.
    pub fn missing(name: &str, allowed: &str) -> Self {
        Self { name: name.to_owned(), found: "nothing".to_owned(), allowed: allowed.to_owned() }
    }

    /// A value that is given twice, or beside a setting that excludes it.
    pub fn conflict(name: &str, found: &str) -> Self {
        Self { name: name.to_owned(), found: format!("a value, {found}"), allowed: "one of both".to_owned() }
    }

    /// A socket that systemd passed and that is not taken.
    pub fn socket(name: &str, found: &str, allowed: &str) -> Self {
        Self { name: format!("socket {name}"), found: found.to_owned(), allowed: allowed.to_owned() }
    }

    /// A name that no setting has, with the setting that it may have meant.
    pub fn unknown(name: &str, nearest: Option<&str>) -> Self {
        let nearest = nearest.unwrap_or("a name that `garimpo config` lists");
        let allowed = format!("{nearest}, or GARIMPO_UNKNOWN=warn");
        Self { name: name.to_owned(), found: "an unknown name".to_owned(), allowed }
    }
}

/// Every problem of the settings, one line each.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl Error for ConfigErrors {}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
