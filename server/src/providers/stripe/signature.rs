//! Proof that an event comes from the payment provider.

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// How far the signature's time may be from now, either way.
const TOLERANCE_SECONDS: i64 = 300;
/// Signatures that one header may carry: the provider sends one per valid secret.
const MAX_SIGNATURES: usize = 8;
/// Length of an HMAC-SHA256.
const SIGNATURE_BYTES: usize = 32;

type HmacSha256 = Hmac<Sha256>;

/// Why a signature is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is not `t=…,v1=…` with at most 8 signatures of 64 hex digits.
    #[error("signature header malformed")]
    Malformed,
    /// None of the signatures was made over this body with one of our secrets.
    #[error("signature does not match")]
    Mismatch,
    /// The signature's time is more than 300 seconds away from the product's now.
    #[error("signature too old")]
    Expired,
}

/// The parsed header: the cheap checks are done, no body has been hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHeader {
    /// The time as it was signed, Unix seconds.
    time: i64,
    signatures: Vec<[u8; SIGNATURE_BYTES]>,
}

impl SignatureHeader {
    /// Parses a `Stripe-Signature` header and checks its time; `now` is the product's, in Unix
    /// seconds.
    ///
    /// # Errors
    /// `Malformed` or `Expired`.
    pub fn parse(header: &str, now_unix: i64) -> Result<Self, SignatureError> {
        let mut time = None;
        let mut signatures = Vec::new();
        for (name, value) in header.split(',').filter_map(|part| part.trim().split_once('=')) {
            match name {
                "t" if time.is_none() => time = Some(unix_seconds(value).ok_or(SignatureError::Malformed)?),
                "v1" if signatures.len() == MAX_SIGNATURES => return Err(SignatureError::Malformed),
                "v1" => signatures.push(signature(value).ok_or(SignatureError::Malformed)?),
                _ => {}
            }
        }
        let time = time.filter(|_| !signatures.is_empty()).ok_or(SignatureError::Malformed)?;
        if now_unix.abs_diff(time) > TOLERANCE_SECONDS.unsigned_abs() {
            return Err(SignatureError::Expired);
        }
        Ok(Self { time, signatures })
    }

    /// Checks that one of the signatures was made over the raw body with one of the secrets.
    ///
    /// Several secrets are valid at once while one is rolled. The body is hashed once per secret,
    /// however many signatures the header carries.
    ///
    /// # Errors
    /// `Mismatch`.
    pub fn verify(&self, payload: &[u8], secrets: &[SecretString]) -> Result<(), SignatureError> {
        let matches = secrets.iter().any(|secret| {
            let mac = self.mac(payload, secret);
            self.signatures.iter().any(|signature| mac.clone().verify_slice(signature).is_ok())
        });
        if matches { Ok(()) } else { Err(SignatureError::Mismatch) }
    }

    fn mac(&self, payload: &[u8], secret: &SecretString) -> HmacSha256 {
        let mut mac = HmacSha256::new_from_slice(secret.expose_secret().as_bytes()).expect("any key length");
        mac.update(self.time.to_string().as_bytes());
        mac.update(b".");
        mac.update(payload);
        mac
    }
}

/// Unix seconds in their only signed spelling: digits without a leading zero.
fn unix_seconds(text: &str) -> Option<i64> {
    let time: i64 = text.parse().ok()?;
    (time.to_string() == text).then_some(time)
}

fn signature(text: &str) -> Option<[u8; SIGNATURE_BYTES]> {
    let mut bytes = [0; SIGNATURE_BYTES];
    hex::decode_to_slice(text, &mut bytes).ok().map(|()| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BODY: &[u8] = br#"{"id":"evt_test","object":"event"}"#;
    const HEADER: &str = "t=1700000000,v1=71d8e063d0e14edb336866bf8b3dbf969e05232f26b882a084db93babf9ca0dd";

    fn secrets(all: &[&str]) -> Vec<SecretString> {
        all.iter().map(|s| SecretString::from(*s)).collect()
    }

    fn check(body: &[u8], header: &str, secrets: &[SecretString], now: i64) -> Result<(), SignatureError> {
        SignatureHeader::parse(header, now)?.verify(body, secrets)
    }

    #[test]
    fn the_signature_of_the_known_vector_is_valid_with_any_of_the_secrets() {
        assert_eq!(check(BODY, HEADER, &secrets(&["whsec_garimpo_test"]), 1_700_000_300), Ok(()));
        let rolled = secrets(&["whsec_old", "whsec_garimpo_test"]);
        assert_eq!(check(BODY, HEADER, &rolled, 1_699_999_700), Ok(()));
        let two = HEADER.replace("v1=", &format!("v1={},v0=00,v1=", "00".repeat(32)));
        assert_eq!(check(BODY, &two, &secrets(&["whsec_garimpo_test"]), 1_700_000_000), Ok(()));
    }

    #[test]
    fn a_wrong_expired_or_malformed_signature_is_rejected() {
        let ours = secrets(&["whsec_garimpo_test"]);

        assert_eq!(check(b"{}", HEADER, &ours, 1_700_000_000), Err(SignatureError::Mismatch));
        assert_eq!(check(BODY, HEADER, &secrets(&["x"]), 1_700_000_000), Err(SignatureError::Mismatch));
        assert_eq!(check(BODY, HEADER, &ours, 1_700_000_301), Err(SignatureError::Expired));
        let padded = HEADER.replace("t=17", "t=017");
        let malformed = ["", "t=1", "v1=aa", "t=1,v0=aa", "t=1,v1=zz", ",,==", "t=a,v1", "t=1,v1=", &padded];
        for malformed in malformed {
            assert_eq!(check(BODY, malformed, &ours, 1), Err(SignatureError::Malformed), "{malformed}");
        }
    }

    #[test]
    fn a_header_with_more_than_eight_signatures_is_rejected_before_the_body_is_read() {
        let with = |count| format!("t=1{}", format!(",v1={}", "ab".repeat(32)).repeat(count));

        assert!(SignatureHeader::parse(&with(8), 1).is_ok());
        assert_eq!(SignatureHeader::parse(&with(9), 1), Err(SignatureError::Malformed));
        assert_eq!(SignatureHeader::parse(&"v1=,".repeat(3_900), 1), Err(SignatureError::Malformed));
    }

    #[test]
    fn a_time_outside_the_tolerance_is_rejected_before_the_body_is_read() {
        assert_eq!(SignatureHeader::parse(HEADER, 1_700_000_301), Err(SignatureError::Expired));
        assert_eq!(SignatureHeader::parse(HEADER, 1_699_999_699), Err(SignatureError::Expired));
    }

    fn signed(secret: &str, at: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length");
        mac.update(format!("{at}.").as_bytes());
        mac.update(body);
        hex::encode(mac.finalize().into_bytes())
    }

    proptest! {
        #[test]
        fn any_header_without_the_secret_is_rejected(
            header in prop_oneof![any::<String>(), "t=[0-9]{0,20}(,v[01]=[0-9a-f]{0,66}){0,3}"],
            body in proptest::collection::vec(any::<u8>(), 0..64),
            now in any::<i64>(),
        ) {
            prop_assert!(check(&body, &header, &secrets(&["whsec_ours"]), now).is_err());
        }

        #[test]
        fn any_signed_body_is_valid_for_five_minutes_and_invalid_with_a_changed_bit(
            body in proptest::collection::vec(any::<u8>(), 1..64),
            at in 0..4_000_000_000_i64,
            off in -400..400_i64,
            bit in any::<proptest::sample::Index>(),
        ) {
            let header = format!("t={at},v1={}", signed("whsec_ours", at, &body));
            let ours = secrets(&["whsec_ours"]);
            let expected = if off.abs() <= 300 { Ok(()) } else { Err(SignatureError::Expired) };
            prop_assert_eq!(check(&body, &header, &ours, at + off), expected);

            let mut other = body;
            let bit = bit.index(other.len() * 8);
            other[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(check(&other, &header, &ours, at), Err(SignatureError::Mismatch));
        }
    }
}
