//! Tokens signed with RS256, by `jsonwebtoken` over ring, which the product has for TLS. The two
//! providers that `jsonwebtoken` brings would add 27 crates or a second library in C.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error as SignatureError, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey, Header, Validation};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Serialize;
use serde::de::DeserializeOwned;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match algorithm {
        Algorithm::RS256 => Ok(Box::new(SigningKey(key.clone()))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    verifier_factory: |algorithm, key| match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
            Ok(Box::new(PublicKey(PublicKeyComponents { n: n.clone(), e: e.clone() })))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// The token of these claims.
///
/// # Errors
/// The header names another algorithm, or the key is no RSA key of 2048 bits or more.
pub(super) fn sign(header: &Header, claims: &impl Serialize, key: &EncodingKey) -> Result<String> {
    install();
    jsonwebtoken::encode(header, claims, key)
}

/// The claims of a token that this key signed.
///
/// # Errors
/// The signature or the header is wrong, or the claims are not what `validation` asks.
pub(super) fn verify<T: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
    validation: &Validation,
) -> Result<T> {
    install();
    jsonwebtoken::decode(token, key, validation).map(|token| token.claims)
}

/// `jsonwebtoken` keeps one provider for the process; the first call sets it.
fn install() {
    // An error says that it is set.
    let _ = PROVIDER.install_default();
}

struct SigningKey(EncodingKey);

impl Signer<Vec<u8>> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, SignatureError> {
        let key = RsaKeyPair::from_der(self.0.as_bytes()).map_err(SignatureError::from_source)?;
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(SignatureError::from_source)?;
        Ok(signature)
    }
}

impl JwtSigner for SigningKey {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

struct PublicKey(PublicKeyComponents<Vec<u8>>);

impl Verifier<Vec<u8>> for PublicKey {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), SignatureError> {
        self.0.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).map_err(SignatureError::from_source)
    }
}

impl JwtVerifier for PublicKey {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}
