//! A certificate that is ordered from an authority over ACME (RFC 8555), checked by TLS-ALPN-01 on
//! the public port itself (RFC 8737), and renewed.
//!
//! The crate instant-acme implements the protocol. This module orders, renews and stores.

mod http;
mod order;
mod storage;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use order::Authority;
use storage::Storage;
use time::OffsetDateTime;

use super::clock::now;
use super::current::CurrentCertificate;
use super::metrics::{count_failure, describe};
use super::pair::Pair;
use super::settings::AcmeSettings;

const SOURCE: &str = "acme";
/// Longest sleep until a renewal, because the machine's clock may be set.
const LOOK_EVERY: Duration = Duration::from_hours(1);
/// Pause after the first failed order. It doubles with each further one: Let's Encrypt allows five
/// failed checks of a host in an hour.
const FIRST_PAUSE: Duration = Duration::from_mins(2);
const LONGEST_PAUSE: Duration = Duration::from_hours(2);

/// Serves the stored certificate. Orders one if none is stored, and renews it.
pub fn start(settings: &AcmeSettings, data_dir: &Path) -> Result<Arc<CurrentCertificate>> {
    describe(SOURCE);
    let certificate = Arc::new(CurrentCertificate::default());
    let storage = Storage::open(data_dir)?;
    let stored = storage.certificate(settings, now());
    if let Some(pair) = &stored {
        certificate.replace(pair);
    }
    let authority = Authority::new(settings.clone(), storage)?;
    let due = stored.map_or(OffsetDateTime::UNIX_EPOCH, |pair| renewal_of(&pair));
    tokio::spawn(keep(authority, certificate.clone(), due));
    Ok(certificate)
}

/// Orders at each due time; never returns.
async fn keep(authority: Authority, certificate: Arc<CurrentCertificate>, mut due: OffsetDateTime) {
    let mut pause = FIRST_PAUSE;
    loop {
        sleep_until(due).await;
        match authority.order(&certificate).await {
            Ok(pair) => {
                certificate.replace(&pair);
                tracing::info!(until = %pair.not_after, "a certificate was ordered");
                (due, pause) = (renewal_of(&pair), FIRST_PAUSE);
            }
            Err(error) => {
                count_failure(SOURCE);
                tracing::warn!(error = format!("{error:#}"), again_in = ?pause, "no certificate was ordered");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Whether a file has roots for the authority's own https; otherwise the allowed form.
pub fn check_roots(path: &Path) -> Result<(), &'static str> {
    http::roots(path).map(drop).map_err(|_| "a readable PEM file with certificates")
}

/// The time at which a third of the certificate's lifetime is left.
fn renewal_of(pair: &Pair) -> OffsetDateTime {
    pair.not_after - (pair.not_after - pair.not_before) / 3
}

async fn sleep_until(due: OffsetDateTime) {
    loop {
        let left = due - now();
        let Ok(left) = Duration::try_from(left) else { return };
        tokio::time::sleep(left.min(LOOK_EVERY)).await;
    }
}
