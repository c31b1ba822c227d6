//! Mutual proof of the fleet's secret between a gateway and a server, without sending the secret.
//!
//! The gateway sends a fresh nonce with its proof. The server replies with the id of its database
//! and its own proof. Each proof contains its side, so that one cannot replace the other. A nonce
//! is used once, so that a recorded reply proves nothing.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// A challenge of a gateway to a server.
pub struct Challenge<'s> {
    secret: &'s [u8],
    nonce: String,
}

impl<'s> Challenge<'s> {
    /// `nonce` must be random.
    pub fn new(secret: &'s [u8], nonce: [u8; 16]) -> Self {
        Self { secret, nonce: hex::encode(nonce) }
    }

    /// Value of the header `x-garimpo-fleet-challenge`.
    pub fn text(&self) -> String {
        format!("{}.{}", self.nonce, hex::encode(gateway(self.secret, &self.nonce).finalize().into_bytes()))
    }

    /// Id of the database from the header `x-garimpo-fleet-proof`; `None` unless the server has the
    /// secret.
    pub fn verified<'a>(&self, proof: &'a str) -> Option<&'a str> {
        let (database_id, proof) = proof.split_once('.')?;
        is_proof(server(self.secret, &self.nonce, database_id), proof).then_some(database_id)
    }
}

/// A server's proof for a challenge; `None` unless the gateway has the secret.
pub fn proof(secret: &[u8], challenge: &str, database_id: &str) -> Option<String> {
    let (nonce, shown) = challenge.split_once('.')?;
    is_proof(gateway(secret, nonce), shown).then(|| {
        let proof = server(secret, nonce, database_id).finalize().into_bytes();
        format!("{database_id}.{}", hex::encode(proof))
    })
}

fn gateway(secret: &[u8], nonce: &str) -> Hmac<Sha256> {
    signed(secret, &["gateway", nonce])
}

fn server(secret: &[u8], nonce: &str, database_id: &str) -> Hmac<Sha256> {
    signed(secret, &["server", nonce, database_id])
}

/// Each part is followed by a dot. No part contains a dot.
fn signed(secret: &[u8], parts: &[&str]) -> Hmac<Sha256> {
    let mut mac = Hmac::new_from_slice(secret).expect("HMAC takes a key of any length");
    for part in parts {
        mac.update(part.as_bytes());
        mac.update(b".");
    }
    mac
}

fn is_proof(expected: Hmac<Sha256>, shown: &str) -> bool {
    hex::decode(shown).is_ok_and(|shown| expected.verify_slice(&shown).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"um-segredo-de-teste";

    #[test]
    fn gateway_and_server_prove_the_same_secret_to_each_other() {
        let challenge = Challenge::new(SECRET, [7; 16]);
        let answer = proof(SECRET, &challenge.text(), "banco1").expect("the gateway has the secret");
        assert_eq!(challenge.verified(&answer), Some("banco1"));

        assert_eq!(proof(b"um-outro-segredo", &challenge.text(), "banco1"), None);
        assert_eq!(Challenge::new(b"um-outro-segredo", [7; 16]).verified(&answer), None);
    }

    #[test]
    fn a_replayed_altered_or_reflected_proof_is_refused() {
        let challenge = Challenge::new(SECRET, [7; 16]);
        let answer = proof(SECRET, &challenge.text(), "banco1").expect("the gateway has the secret");

        assert_eq!(Challenge::new(SECRET, [8; 16]).verified(&answer), None, "another nonce");
        assert_eq!(challenge.verified(&answer.replace("banco1", "banco2")), None, "another database");
        assert_eq!(challenge.verified(&challenge.text()), None, "its own proof");
        for wrong in ["", ".", "banco1", "banco1.", "banco1.zz", "banco1.00"] {
            assert_eq!(challenge.verified(wrong), None, "{wrong}");
            assert_eq!(proof(SECRET, wrong, "banco1"), None, "{wrong}");
        }
    }
}
