//! Proof that an event comes from the payment provider.

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// How far the signature's time may be from now, either way.
const TOLERANCE_SECONDS: i64 = 300;

/// Why a signature is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is not `t=…,v1=…`.
    #[error("signature header malformed")]
    Malformed,
    /// No secret of ours makes any of its signatures over this body.
    #[error("signature does not match")]
    Mismatch,
    /// It matches, but was made more than 300 seconds away from the product's now.
    #[error("signature too old")]
    Expired,
}

/// Checks a `Stripe-Signature` header over the raw body; `now` is the product's, in Unix seconds.
///
/// Any `v1` under any of the secrets is enough, since several are valid while one is rolled.
///
/// # Errors
/// See [`SignatureError`].
pub fn verify_signature(
    payload: &[u8],
    header: &str,
    secrets: &[SecretString],
    now_unix: i64,
) -> Result<(), SignatureError> {
    let (time, signatures) = read(header).ok_or(SignatureError::Malformed)?;
    let matches = secrets.iter().any(|secret| signatures.iter().any(|s| matches(secret, time, payload, s)));
    if !matches {
        return Err(SignatureError::Mismatch);
    }
    let made_at: i64 = time.parse().map_err(|_| SignatureError::Malformed)?;
    if now_unix.abs_diff(made_at) > TOLERANCE_SECONDS.unsigned_abs() {
        return Err(SignatureError::Expired);
    }
    Ok(())
}

/// The time as it was signed and every `v1`; other schemes are ignored.
fn read(header: &str) -> Option<(&str, Vec<Vec<u8>>)> {
    let mut time = None;
    let mut signatures = Vec::new();
    for (name, value) in header.split(',').filter_map(|part| part.trim().split_once('=')) {
        match name {
            "t" => time = Some(value),
            "v1" => signatures.extend(hex::decode(value)),
            _ => {}
        }
    }
    (!signatures.is_empty()).then_some((time?, signatures))
}

fn matches(secret: &SecretString, time: &str, payload: &[u8], signature: &[u8]) -> bool {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).expect("any key length");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(payload);
    mac.verify_slice(signature).is_ok()
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

    #[test]
    fn assinatura_do_vetor_conhecido_vale_com_qualquer_dos_segredos() {
        assert_eq!(verify_signature(BODY, HEADER, &secrets(&["whsec_garimpo_test"]), 1_700_000_300), Ok(()));
        assert_eq!(
            verify_signature(BODY, HEADER, &secrets(&["whsec_old", "whsec_garimpo_test"]), 1_699_999_700),
            Ok(())
        );
        let rolled = HEADER.replace("v1=", &format!("v1={},v0=00,v1=", "00".repeat(32)));
        assert_eq!(verify_signature(BODY, &rolled, &secrets(&["whsec_garimpo_test"]), 1_700_000_000), Ok(()));
    }

    #[test]
    fn assinatura_errada_velha_ou_malformada_e_recusada() {
        let ours = secrets(&["whsec_garimpo_test"]);

        assert_eq!(verify_signature(b"{}", HEADER, &ours, 1_700_000_000), Err(SignatureError::Mismatch));
        assert_eq!(
            verify_signature(BODY, HEADER, &secrets(&["x"]), 1_700_000_000),
            Err(SignatureError::Mismatch)
        );
        assert_eq!(verify_signature(BODY, HEADER, &ours, 1_700_000_301), Err(SignatureError::Expired));
        for malformed in ["", "t=1", "v1=aa", "t=1,v0=aa", "t=1,v1=zz", ",,==", "t=a,v1"] {
            assert_eq!(
                verify_signature(BODY, malformed, &ours, 1),
                Err(SignatureError::Malformed),
                "{malformed}"
            );
        }
    }

    fn signed(secret: &str, at: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length");
        mac.update(format!("{at}.").as_bytes());
        mac.update(body);
        hex::encode(mac.finalize().into_bytes())
    }

    proptest! {
        #[test]
        fn qualquer_cabecalho_sem_o_segredo_e_recusado(
            header in prop_oneof![any::<String>(), "t=[0-9]{0,20}(,v[01]=[0-9a-f]{0,66}){0,3}"],
            body in proptest::collection::vec(any::<u8>(), 0..64),
            now in any::<i64>(),
        ) {
            prop_assert!(verify_signature(&body, &header, &secrets(&["whsec_ours"]), now).is_err());
        }

        #[test]
        fn qualquer_corpo_assinado_vale_por_cinco_minutos_e_nao_com_um_bit_trocado(
            body in proptest::collection::vec(any::<u8>(), 1..64),
            at in 0..4_000_000_000_i64,
            off in -400..400_i64,
            bit in any::<proptest::sample::Index>(),
        ) {
            let header = format!("t={at},v1={}", signed("whsec_ours", at, &body));
            let ours = secrets(&["whsec_ours"]);
            let expected = if off.abs() <= 300 { Ok(()) } else { Err(SignatureError::Expired) };
            prop_assert_eq!(verify_signature(&body, &header, &ours, at + off), expected);

            let mut other = body;
            let bit = bit.index(other.len() * 8);
            other[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(verify_signature(&other, &header, &ours, at), Err(SignatureError::Mismatch));
        }
    }
}
