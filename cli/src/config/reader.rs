//! Reads settings one by one and remembers what was read, for `garimpo config`.

use secrecy::SecretString;

/// Where settings come from: the environment, or a map in tests.
pub type Get<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A setting that stops the start: which one, what was found, what is allowed. One line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}; allowed: {allowed}")]
pub struct ConfigError {
    name: &'static str,
    found: String,
    allowed: String,
}

impl ConfigError {
    /// A refused value.
    pub fn new(name: &'static str, found: &str, allowed: &str) -> Self {
        Self { name, found: format!("{found:?}"), allowed: allowed.to_owned() }
    }

    /// A value that must be there.
    pub fn missing(name: &'static str, allowed: &str) -> Self {
        Self { name, found: "nothing".to_owned(), allowed: allowed.to_owned() }
    }
}

/// One effective setting as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Name of the variable.
    pub name: &'static str,
    /// Its effective value; secrets are masked.
    pub value: String,
}

/// Reads from one source.
pub struct Reader<'a> {
    get: Get<'a>,
    shown: Vec<Shown>,
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing yet.
    pub fn new(get: Get<'a>) -> Self {
        Self { get, shown: Vec::new() }
    }

    /// What was read, in order.
    pub fn into_shown(self) -> Vec<Shown> {
        self.shown
    }

    /// A value with a default. `read` answers `None` for what is not allowed.
    pub fn value<T>(
        &mut self,
        name: &'static str,
        default: &str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let text = self.raw(name).unwrap_or_else(|| default.to_owned());
        let value = read(&text).ok_or_else(|| ConfigError::new(name, &text, allowed))?;
        self.show(name, text);
        Ok(value)
    }

    /// A value that may be absent; `absent` is shown in its place.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        absent: &str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.raw(name) else {
            self.show(name, format!("({absent})"));
            return Ok(None);
        };
        let value = read(&text).ok_or_else(|| ConfigError::new(name, &text, allowed))?;
        self.show(name, text);
        Ok(Some(value))
    }

    /// A value that must be there.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        self.optional(name, "missing", allowed, read)?.ok_or_else(|| ConfigError::missing(name, allowed))
    }

    /// One of several words.
    pub fn choice<T: Copy>(
        &mut self,
        name: &'static str,
        default: &str,
        words: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let allowed: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let find = |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
        self.value(name, default, &allowed.join(", "), find)
    }

    /// A switch: 1 or 0.
    pub fn switch(&mut self, name: &'static str) -> Result<bool, ConfigError> {
        self.choice(name, "0", &[("1", true), ("0", false)])
    }

    /// A secret that may be absent. It is never shown, not even when it is refused.
    pub fn secret(&mut self, name: &'static str) -> Option<SecretString> {
        let text = self.raw(name);
        self.show(name, if text.is_some() { "***".to_owned() } else { "(none)".to_owned() });
        text.map(SecretString::from)
    }

    /// A secret that must be there.
    pub fn required_secret(&mut self, name: &'static str) -> Result<SecretString, ConfigError> {
        self.secret(name).ok_or_else(|| ConfigError::missing(name, "a secret"))
    }

    /// What is shown of a setting that was read.
    pub fn shown(&self, name: &str) -> &str {
        self.shown.iter().find(|shown| shown.name == name).map_or("", |shown| &shown.value)
    }

    /// Shows an effective value that was worked out from others.
    pub fn show(&mut self, name: &'static str, value: String) {
        self.shown.retain(|shown| shown.name != name);
        self.shown.push(Shown { name, value });
    }

    /// Empty counts as absent, so that a variable can be taken back in a compose file.
    fn raw(&self, name: &str) -> Option<String> {
        (self.get)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}
