//! Service tokens, created and revoked by the operator.

use garimpo_domain::Timestamp;

use super::sessions::hash;
use crate::caller::{SERVICE_PREFIX, Scope};
use crate::ids::Ids;
use crate::store::{Names, Result, Store, StoreError, service_tokens, transaction};

/// A new service token; its text is stored nowhere.
pub struct NewServiceToken {
    pub id: String,
    pub token: String,
    pub scopes: Names,
}

/// Creates a service token; a repeated scope counts once.
pub async fn create_service_token(
    store: &Store,
    ids: &Ids,
    name: &str,
    scopes: &[Scope],
    now: Timestamp,
) -> Result<NewServiceToken> {
    let given = Scope::ALL.iter().filter(|scope| scopes.contains(scope));
    insert(store, ids, name, given.map(|scope| scope.name()).collect(), now).await
}

/// Creates another token with the name and scopes of a live one; both are valid until the older one
/// is revoked. `None` without a live token of this id.
pub async fn rotate_service_token(
    store: &Store,
    ids: &Ids,
    id: &str,
    now: Timestamp,
) -> Result<Option<NewServiceToken>> {
    let all = service_tokens::list(store).await?;
    match all.into_iter().find(|row| row.id == id && row.revoked_at.is_none()) {
        Some(row) => insert(store, ids, &row.name, row.scopes, now).await.map(Some),
        None => Ok(None),
    }
}

async fn insert(
    store: &Store,
    ids: &Ids,
    name: &str,
    scopes: Names,
    now: Timestamp,
) -> Result<NewServiceToken> {
    let made = NewServiceToken { id: ids.id("svc_"), token: ids.secret(SERVICE_PREFIX), scopes };
    let token_hash = hash(&made.token);
    transaction!(store, (id = made.id.clone(), name = name.to_owned(), scopes = made.scopes.clone()), |tx| {
        service_tokens::insert(tx, id, name, &token_hash, scopes, now).await
    })
    .map_err(|error: StoreError| error)?;
    Ok(made)
}

/// Revokes a service token; returns whether it was live. Servers refuse it after at most 5 s.
pub async fn revoke_service_token(store: &Store, id: &str, now: Timestamp) -> Result<bool> {
    transaction!(store, (id = id.to_owned()), |tx| service_tokens::revoke(tx, id, now).await)
}
