//! Settings that another setting requires or excludes.

use super::problem::ConfigError;
use super::role::Role;
use super::setting::Setting;
use super::source::Source;

/// Collects what is missing, and what is given beside a choice that ignores it.
pub struct Required<'a> {
    pub role: Role,
    pub source: &'a Source,
    pub settings: &'a [Setting],
    pub errors: &'a mut Vec<ConfigError>,
}

impl Required<'_> {
    /// A value that is required under a condition.
    pub fn when<T>(&mut self, is_required: bool, name: &str, value: Option<T>) -> Option<T> {
        if is_required && value.is_none() {
            self.errors.push(ConfigError::missing(name, &self.allowed(name)));
        }
        value
    }

    /// Refuses the value of a setting, which is shown unless it is a secret.
    pub fn refuse(&mut self, name: &str, allowed: &str) {
        let is_secret = self.settings.iter().any(|setting| setting.name == name && setting.is_secret);
        let given = self.source.values.get(name).map(String::as_str).unwrap_or_default();
        let found = if is_secret { "***" } else { given };
        self.errors.push(ConfigError::refused(name, found, allowed));
    }

    /// Refuses settings of a provider that is not chosen: without its choice the sandbox would take
    /// the payments.
    pub fn unused(&mut self, names: &[&str], choice: &str) {
        for name in names.iter().filter(|name| self.source.values.contains_key(**name)) {
            self.errors.push(ConfigError::conflict(name, &format!("while {choice}")));
        }
    }

    /// The allowed form of a setting.
    pub fn allowed(&self, name: &str) -> String {
        let setting = self.settings.iter().find(|setting| setting.name == name);
        setting.map(|setting| setting.allowed.clone()).unwrap_or_default()
    }
}
