//! The account at the authority and the certificate, in the folder `acme` of the data folder.
//!
//! Each is one file that is replaced in one step, so that a crash leaves the earlier one whole.

use std::fs::{DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use instant_acme::AccountCredentials;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use time::OffsetDateTime;

use crate::tls::pair::Pair;
use crate::tls::settings::AcmeSettings;

const ACCOUNT: &str = "account.json";
const CERTIFICATE: &str = "certificate.json";

/// The folder, readable for the user of the process alone.
#[derive(Clone)]
pub struct Storage(PathBuf);

/// An account at one authority.
#[derive(Serialize, Deserialize)]
pub struct StoredAccount {
    directory: String,
    pub email: String,
    credentials: serde_json::Value,
}

impl StoredAccount {
    pub fn new(settings: &AcmeSettings, credentials: &AccountCredentials) -> Result<Self> {
        let AcmeSettings { directory, email, .. } = settings.clone();
        Ok(Self { directory, email, credentials: serde_json::to_value(credentials)? })
    }

    pub fn credentials(&self) -> Result<AccountCredentials> {
        Ok(AccountCredentials::deserialize(&self.credentials)?)
    }

    pub fn with_email(self, email: &str) -> Self {
        Self { email: email.to_owned(), ..self }
    }
}

/// A certificate of one authority for one host, with its key.
#[derive(Serialize, Deserialize)]
pub struct StoredCertificate {
    directory: String,
    host: String,
    certificate: String,
    key: String,
}

impl StoredCertificate {
    pub fn new(settings: &AcmeSettings, certificate: String, key: String) -> Self {
        let AcmeSettings { directory, host, .. } = settings.clone();
        Self { directory, host, certificate, key }
    }
}

impl Storage {
    pub fn open(data_dir: &Path) -> Result<Self> {
        let folder = data_dir.join("acme");
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.with_context(|| format!("GARIMPO_DATA_DIR: {} cannot be made", folder.display()))?;
        Ok(Self(folder))
    }

    /// The account at this authority.
    pub fn account(&self, directory: &str) -> Option<StoredAccount> {
        self.read::<StoredAccount>(ACCOUNT).filter(|stored| stored.directory == directory)
    }

    pub async fn keep_account(&self, account: StoredAccount) -> Result<()> {
        self.write(ACCOUNT, &account).await
    }

    /// Deletes an account that the authority no longer has.
    pub fn forget_account(&self) -> Result<()> {
        std::fs::remove_file(self.0.join(ACCOUNT)).context(ACCOUNT)
    }

    /// The certificate of these settings, if it is still valid.
    pub fn certificate(&self, settings: &AcmeSettings, now: OffsetDateTime) -> Option<Pair> {
        let stored = self.read::<StoredCertificate>(CERTIFICATE)?;
        let is_ours = stored.directory == settings.directory && stored.host == settings.host;
        let parsed =
            || Pair::parse(stored.certificate.as_bytes(), stored.key.as_bytes(), Some(&settings.host), now);
        is_ours.then(parsed)?.ok()
    }

    pub async fn keep_certificate(&self, certificate: StoredCertificate) -> Result<()> {
        self.write(CERTIFICATE, &certificate).await
    }

    /// An unreadable file counts as absent, so the certificate is ordered again.
    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&std::fs::read(self.0.join(name)).ok()?).ok()
    }

    async fn write(&self, name: &'static str, value: &impl Serialize) -> Result<()> {
        let (folder, text) = (self.0.clone(), serde_json::to_vec_pretty(value)?);
        let written = tokio::task::spawn_blocking(move || replace(&folder, name, &text));
        written.await?.with_context(|| format!("writing {name}"))
    }
}

/// Writes a file that only its owner can read. It is synced to disk before it is renamed.
fn replace(folder: &Path, name: &str, text: &[u8]) -> std::io::Result<()> {
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use time::Duration;

    fn settings() -> AcmeSettings {
        AcmeSettings {
            email: "ola@garimpo.example".into(),
            directory: "https://autoridade.example/dir".into(),
            ca: None,
            host: "garimpo.example".into(),
        }
    }

    #[tokio::test]
    async fn a_stored_certificate_is_private_and_used_only_for_its_authority_and_host() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, now) = (Storage::open(folder.path()).unwrap(), crate::tls::clock::now());
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["garimpo.example".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (now - Duration::days(1), now + Duration::days(1));
        let chain = params.self_signed(&key).unwrap().pem();

        let ordered = StoredCertificate::new(&settings(), chain, key.serialize_pem());
        storage.keep_certificate(ordered).await.unwrap();

        assert!(storage.certificate(&settings(), now).is_some());
        let other = |change: fn(&mut AcmeSettings)| {
            let mut settings = settings();
            change(&mut settings);
            settings
        };
        let elsewhere = other(|settings| settings.directory.push('2'));
        assert!(storage.certificate(&elsewhere, now).is_none());
        assert!(
            storage.certificate(&other(|settings| settings.host = "outro.example".into()), now).is_none()
        );
        assert!(storage.certificate(&settings(), now + Duration::days(2)).is_none(), "it has expired");
        let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
        let acme = folder.path().join("acme");
        assert_eq!((mode(acme.clone()), mode(acme.join(CERTIFICATE))), (0o700, 0o600));
        std::fs::write(acme.join(CERTIFICATE), "{").unwrap();
        assert!(storage.certificate(&settings(), now).is_none(), "a broken file is no certificate");
    }
}
