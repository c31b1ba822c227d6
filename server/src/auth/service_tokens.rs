//! Tokens of internal callers, made and revoked by the operator.

use garimpo_domain::Timestamp;

use super::SERVICE_PREFIX;
use super::sessions::hash;
use crate::caller::Scope;
use crate::ids::Ids;
use crate::store::{Store, StoreError, service_token_insert_in_tx, service_token_revoke_in_tx};

/// Makes a service token; its text is given here and nowhere again.
pub async fn service_token_create(
    store: &Store,
    ids: &Ids,
    name: &str,
    scopes: &[Scope],
    now: Timestamp,
) -> Result<String, StoreError> {
    let token = ids.secret(SERVICE_PREFIX);
    let (id, name, token_hash) = (ids.id("svc_"), name.to_owned(), hash(&token));
    let scopes = scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" ");
    store
        .write(move |tx| {
            let (id, name, scopes) = (id.clone(), name.clone(), scopes.clone());
            Box::pin(
                async move { service_token_insert_in_tx(tx, &id, &name, &token_hash, &scopes, now).await },
            )
        })
        .await
        .map_err(|error: StoreError| error)?;
    Ok(token)
}

/// Revokes a service token by id; answers whether there was a live one. Servers forget it within 5 s.
pub async fn service_token_revoke(store: &Store, id: &str, now: Timestamp) -> Result<bool, StoreError> {
    let id = id.to_owned();
    store
        .write(move |tx| {
            let id = id.clone();
            Box::pin(async move { service_token_revoke_in_tx(tx, &id, now).await })
        })
        .await
}
