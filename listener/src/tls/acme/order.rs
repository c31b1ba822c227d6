//! One order: account, check of the host, certificate.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use instant_acme::{
    Account, AuthorizationStatus, ChallengeType, Error, Identifier, NewAccount, NewOrder, Order, OrderStatus,
    RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;

use super::http::Http;
use super::storage::{Storage, StoredAccount, StoredCertificate};
use crate::tls::current::CurrentCertificate;
use crate::tls::pair::Pair;
use crate::tls::settings::AcmeSettings;

/// Time limit of the authority's check, and of its signature.
const PATIENCE: RetryPolicy = RetryPolicy::new().timeout(Duration::from_mins(2));
const UNKNOWN_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";

/// The authority with our account there.
pub struct Authority {
    settings: AcmeSettings,
    storage: Storage,
}

impl Authority {
    /// Fails with a wrong GARIMPO_ACME_CA.
    pub fn new(settings: AcmeSettings, storage: Storage) -> Result<Self> {
        Http::new(&settings)?;
        Ok(Self { settings, storage })
    }

    /// Orders a certificate and stores it. An account that the authority no longer has is replaced.
    pub async fn order(&self, certificate: &CurrentCertificate) -> Result<Pair> {
        let ordered = self.order_once(certificate).await;
        if !ordered.as_ref().is_err_and(is_account_unknown) {
            return ordered;
        }
        self.storage.forget_account()?;
        self.order_once(certificate).await
    }

    async fn order_once(&self, certificate: &CurrentCertificate) -> Result<Pair> {
        let account = self.account().await.context("the account at the authority")?;
        let identifiers = [Identifier::Dns(self.settings.host.clone())];
        let mut order = account.new_order(&NewOrder::new(&identifiers)).await.context("the order")?;
        let checked = self.pass_check(&mut order, certificate).await;
        certificate.set_challenge(None);
        checked?;
        let key = order.finalize().await.context("the request for the signature")?;
        let chain = order.poll_certificate(&PATIENCE).await.context("the signature")?;
        let now = crate::tls::clock::now();
        let pair = Pair::parse(chain.as_bytes(), key.as_bytes(), Some(&self.settings.host), now)?;
        let ordered = StoredCertificate::new(&self.settings, chain, key);
        if let Err(error) = self.storage.keep_certificate(ordered).await {
            // The certificate is valid unstored, and another order would use up the limit.
            tracing::error!(error = format!("{error:#}"), "the ordered certificate could not be stored");
        }
        Ok(pair)
    }

    /// The stored account, or a new one.
    async fn account(&self) -> Result<Account> {
        let builder = Account::builder_with_http(Box::new(Http::new(&self.settings)?));
        let AcmeSettings { email, directory, .. } = &self.settings;
        let contact = format!("mailto:{email}");
        let Some(stored) = self.storage.account(directory) else {
            let account = NewAccount {
                contact: &[&contact],
                terms_of_service_agreed: true,
                only_return_existing: false,
            };
            let (account, credentials) = builder.create(&account, directory.clone(), None).await?;
            self.storage.keep_account(StoredAccount::new(&self.settings, &credentials)?).await?;
            return Ok(account);
        };
        let account = builder.from_credentials(stored.credentials()?).await?;
        if stored.email != *email {
            account.update_contacts(&[&contact]).await?;
            self.storage.keep_account(stored.with_email(email)).await?;
        }
        Ok(account)
    }

    /// Proves to the authority that the host is ours.
    async fn pass_check(&self, order: &mut Order, certificate: &CurrentCertificate) -> Result<()> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.context("the check of the host")?;
            match authorization.status {
                AuthorizationStatus::Pending => {}
                AuthorizationStatus::Valid => continue,
                other => bail!("the check of the host is {other:?} at the authority"),
            }
            let mut challenge = authorization
                .challenge(ChallengeType::TlsAlpn01)
                .context("the authority does not offer TLS-ALPN-01")?;
            let digest = challenge.key_authorization().digest();
            let shown = challenge_certificate(&self.settings.host, digest.as_ref());
            certificate.set_challenge(Some(shown.context("the certificate for the check")?));
            challenge.set_ready().await.context("the check of the host")?;
        }
        match order.poll_ready(&PATIENCE).await.context("the check of the host")? {
            OrderStatus::Ready | OrderStatus::Valid => Ok(()),
            status => bail!("the order is {status:?}: {}", refusals(order).await),
        }
    }
}

fn is_account_unknown(error: &anyhow::Error) -> bool {
    let is_unknown = |error: &Error| matches!(error, Error::Api(problem) if problem.r#type.as_deref() == Some(UNKNOWN_ACCOUNT));
    error.chain().filter_map(|cause| cause.downcast_ref()).any(is_unknown)
}

/// The authority's reasons.
async fn refusals(order: &mut Order) -> String {
    let mut reasons = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { break };
        let problems = state.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
        reasons.extend(problems.map(ToString::to_string));
    }
    if reasons.is_empty() { "without a reason".to_owned() } else { reasons.join("; ") }
}

/// The certificate that proves control of the host: self-signed, with the digest of the challenge.
fn challenge_certificate(host: &str, digest: &[u8]) -> Result<Arc<CertifiedKey>> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new([host.to_owned()])?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let chain = vec![params.self_signed(&key)?.der().clone()];
    // CertifiedKey::from_der refuses the digest's extension, which must be critical.
    let key = any_supported_type(&PrivateKeyDer::from(key))?;
    Ok(Arc::new(CertifiedKey::new(chain, key)))
}
