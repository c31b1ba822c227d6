//! A setting as errors and `garimpo config` show it.

/// Prefix of every setting.
pub const PREFIX: &str = "GARIMPO_";

pub struct Setting {
    /// Name of the variable.
    pub name: String,
    /// Whether its value is never shown.
    pub is_secret: bool,
    /// Whether its value is the path of a file, which may be a systemd credential of its name.
    pub is_file: bool,
    /// The form of its value.
    pub allowed: String,
    /// The value without the variable.
    pub default: Option<String>,
}
