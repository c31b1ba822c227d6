//! The data folder: one process at a time on its databases, and a note of the bound ports.

use anyhow::{Context, Result, bail};
use garimpo_server::store::engine::restore::REPLACED;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, DirEntry, File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

const ADDRESSES: &str = "addresses.json";

/// Names of our files in the data folder start with one of these.
const OUR_FILES: [&str; 3] = ["garimpo.db", "sandbox.db", ADDRESSES];
/// Our folder in the data folder, with the key of an ordered certificate.
const ACME: &str = "acme";

/// Whether a folder in the data folder is ours: `acme`, or a database that a restore replaced.
fn is_our_folder(name: &[u8]) -> bool {
    name == ACME.as_bytes() || name.starts_with(REPLACED.as_bytes())
}

/// Creates the data folder for its owner alone, and makes our files in an existing folder private,
/// because they hold the data of every subscriber.
pub fn make(folder: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("GARIMPO_DATA_DIR: {} cannot be made", folder.display()))?;
    make_private(folder)
        .with_context(|| format!("GARIMPO_DATA_DIR: files in {} cannot be made private", folder.display()))
}

/// The folder's own mode stays, since it may be shared on purpose, such as `/srv`.
fn make_private(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let is_ours = OUR_FILES.iter().any(|ours| name.as_encoded_bytes().starts_with(ours.as_bytes()));
        if is_ours && kind.is_file() {
            close_to_others(&entry)?;
        }
        if is_our_folder(name.as_encoded_bytes()) && kind.is_dir() {
            close_to_others(&entry)?;
            for entry in std::fs::read_dir(entry.path())? {
                let entry = entry?;
                if entry.file_type()?.is_file() {
                    close_to_others(&entry)?;
                }
            }
        }
    }
    Ok(())
}

/// Takes the rights of group and others.
fn close_to_others(entry: &DirEntry) -> std::io::Result<()> {
    let Ok(metadata) = entry.metadata() else { return Ok(()) };
    let mode = metadata.permissions().mode();
    if mode & 0o077 != 0 {
        match std::fs::set_permissions(entry.path(), Permissions::from_mode(mode & 0o700)) {
            // SQLite removes its -wal file when the last connection closes.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

/// Holds a lock file; the operating system frees it with the process, however that ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks `name` in the folder, which is made when absent.
    pub fn take(folder: &Path, name: &str) -> Result<Self> {
        make(folder)?;
        let path = folder.join(name);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .with_context(|| format!("GARIMPO_DATA_DIR: {} cannot be opened", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                bail!("GARIMPO_DATA_DIR: another garimpo runs on {}", folder.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("locking {}", path.display()))
            }
        }
    }
}

/// The bound ports, as origins; `addresses.json` reports them when port 0 was set.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Addresses {
    /// Site, REST, gRPC-Web and gRPC for anyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
    /// All services, for our own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grpc: Option<String>,
    /// The sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// /metrics, /healthz, /readyz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
    /// Redirects pages to https.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
}

impl Addresses {
    /// Addresses that the product running on a folder recorded; empty if none runs.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(ADDRESSES)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// The note; it goes with the value that holds it.
pub struct AddressNote {
    path: PathBuf,
}

impl AddressNote {
    /// Writes the note in one step, so that no reader sees half of it.
    pub fn write(folder: &Path, addresses: &Addresses) -> Result<Self> {
        let path = folder.join(ADDRESSES);
        let fresh = folder.join(format!("{ADDRESSES}.{}", std::process::id()));
        let text = serde_json::to_string_pretty(addresses)?;
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .with_context(|| format!("GARIMPO_DATA_DIR: {} cannot be written", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for AddressNote {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_lock_on_a_folder_is_refused_until_the_first_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path(), "lock").unwrap();
        let refused = Lock::take(folder.path(), "lock").err().unwrap().to_string();
        assert!(refused.starts_with("GARIMPO_DATA_DIR: another garimpo runs on "), "{refused}");
        drop(first);
        assert!(Lock::take(folder.path(), "lock").is_ok());
    }

    #[test]
    fn our_files_in_an_existing_folder_become_private_to_the_owner() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("dados");
        std::fs::create_dir(&folder).unwrap();
        let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
        for name in ["garimpo.db", "garimpo.db-wal", "sandbox.db", "leia-me.txt"] {
            std::fs::write(folder.join(name), "x").unwrap();
            std::fs::set_permissions(folder.join(name), Permissions::from_mode(0o644)).unwrap();
        }

        make(&folder).unwrap();

        assert_eq!(["garimpo.db", "garimpo.db-wal", "sandbox.db"].map(mode), [0o600; 3]);
        assert_eq!(mode("leia-me.txt"), 0o644);
    }

    #[test]
    fn a_folder_with_a_replaced_database_is_made_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("replaced-2026-11-20T10-00-00Z");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("garimpo.db"), "x").unwrap();
        std::fs::set_permissions(folder.join("garimpo.db"), Permissions::from_mode(0o644)).unwrap();
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();

        make(parent.path()).unwrap();

        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join("garimpo.db"))), (0o700, 0o600));
    }

    #[test]
    fn an_existing_folder_with_the_ordered_certificate_is_made_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("acme");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        for name in ["account.json", "certificate.json"] {
            std::fs::write(folder.join(name), "{}").unwrap();
            std::fs::set_permissions(folder.join(name), Permissions::from_mode(0o644)).unwrap();
        }

        make(parent.path()).unwrap();

        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(["account.json", "certificate.json"].map(|name| mode(&folder.join(name))), [0o600; 2]);
    }

    #[test]
    fn a_new_data_folder_is_private_to_the_owner() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/dados");

        make(&folder).unwrap();

        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_address_note_is_deleted_when_its_owner_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let addresses = Addresses { public: Some("http://127.0.0.1:1".into()), ..Addresses::default() };
        let note = AddressNote::write(folder.path(), &addresses).unwrap();
        let text = std::fs::read_to_string(folder.path().join(ADDRESSES)).unwrap();
        assert_eq!(text, "{\n  \"public\": \"http://127.0.0.1:1\"\n}");
        drop(note);
        assert!(!folder.path().join(ADDRESSES).exists());
    }
}
