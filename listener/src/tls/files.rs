//! A certificate in two files, which are read again when they change.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::clock::now;
use super::current::CurrentCertificate;
use super::metrics::{count_failure, describe};
use super::pair::{Pair, PairError};

/// Interval between two reads of the files.
const READ_EVERY: Duration = Duration::from_secs(2);
/// Maximum size of a file with a certificate or a key, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
const SOURCE: &str = "files";

/// GARIMPO_TLS_CERT and GARIMPO_TLS_KEY.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// The host that the certificate must be for; `None` without GARIMPO_PUBLIC_URL.
    pub host: Option<String>,
}

/// The content of both files.
type Contents = (Vec<u8>, Vec<u8>);

impl CertificateFiles {
    /// Reads and checks both files.
    pub fn load(&self) -> Result<Pair, PairError> {
        self.parse(&self.read()?)
    }

    fn read(&self) -> Result<Contents, PairError> {
        let unreadable = |_| "a readable file".to_owned();
        let certificate = read(&self.certificate).map_err(unreadable).map_err(PairError::Certificate)?;
        let key = read(&self.key).map_err(unreadable).map_err(PairError::Key)?;
        Ok((certificate, key))
    }

    fn parse(&self, (certificate, key): &Contents) -> Result<Pair, PairError> {
        Pair::parse(certificate, key, self.host.as_deref(), now())
    }
}

/// A pipe or a device has no end, so only a regular file is read.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut content = Vec::new();
    std::fs::File::open(path)?.take(MAX_FILE).read_to_end(&mut content)?;
    Ok(content)
}

/// Reads the files at the start, which fails with a wrong pair.
pub fn start(files: &CertificateFiles) -> Result<Arc<CurrentCertificate>, PairError> {
    describe(SOURCE);
    let certificate = Arc::new(CurrentCertificate::default());
    let contents = files.read()?;
    certificate.replace(&files.parse(&contents)?);
    tokio::spawn(follow(files.clone(), certificate.clone(), contents));
    Ok(certificate)
}

/// Uses changed files. A wrong pair changes nothing; it is reported once it has been wrong at two
/// reads, because both files cannot be replaced at once.
async fn follow(files: CertificateFiles, certificate: Arc<CurrentCertificate>, mut used: Contents) {
    let files = Arc::new(files);
    let (mut refused, mut reported) = (None, None);
    loop {
        tokio::time::sleep(READ_EVERY).await;
        let reader = files.clone();
        let Ok(read) = tokio::task::spawn_blocking(move || reader.read()).await else { return };
        if read.as_ref() == Ok(&used) {
            (refused, reported) = (None, None);
            continue;
        }
        match read.as_ref().map_err(Clone::clone).and_then(|contents| files.parse(contents)) {
            Ok(pair) => {
                certificate.replace(&pair);
                tracing::info!(until = %pair.not_after, "a changed certificate is used");
                (refused, reported) = (None, None);
                used = read.unwrap_or(used);
            }
            Err(error) => {
                if refused.as_ref() == Some(&read) && reported.as_ref() != Some(&read) {
                    tracing::warn!(%error, "changed certificate files are not used, the earlier pair is");
                    count_failure(SOURCE);
                    reported = Some(read.clone());
                }
                refused = Some(read);
            }
        }
    }
}
