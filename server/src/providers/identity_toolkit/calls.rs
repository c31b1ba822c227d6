//! Typed calls, with the fields that we read of their responses.

use garimpo_domain::{DisplayName, Email, Password, Uid};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::IdentityToolkit;
use super::errors::{Result, ToolkitError};

/// An identity that has just shown its password.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    pub local_id: Uid,
    /// ID token of this sign-in, valid one hour.
    pub id_token: SecretString,
}

/// An identity of the provider.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolkitProfile {
    pub local_id: Uid,
    pub email: Option<String>,
    #[serde(default)]
    pub email_verified: bool,
    pub display_name: Option<String>,
}

#[derive(Deserialize)]
struct Users {
    #[serde(default)]
    users: Vec<ToolkitProfile>,
}

impl IdentityToolkit {
    /// Creates an identity; `EMAIL_EXISTS` if the email is in use.
    pub async fn sign_up(&self, email: &Email, password: &Password) -> Result<SignedIn> {
        self.with_password("identity_sign_up", "accounts:signUp", email, password).await
    }

    /// Checks an email and password.
    pub async fn sign_in(&self, email: &Email, password: &Password) -> Result<SignedIn> {
        self.with_password("identity_sign_in", "accounts:signInWithPassword", email, password).await
    }

    async fn with_password(
        &self,
        name: &'static str,
        method: &str,
        email: &Email,
        password: &Password,
    ) -> Result<SignedIn> {
        let body =
            json!({ "email": email.as_str(), "password": password.expose(), "returnSecureToken": true });
        self.public(name, method, &body).await
    }

    /// Updates the name of an identity that has just signed in; returns a newer ID token if the
    /// provider issues one.
    pub async fn rename(&self, id_token: &SecretString, name: &DisplayName) -> Result<Option<SecretString>> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Updated {
            id_token: Option<SecretString>,
        }
        let id_token = id_token.expose_secret();
        let body = json!({ "idToken": id_token, "displayName": name.as_str(), "returnSecureToken": true });
        let updated: Updated = self.public("identity_rename", "accounts:update", &body).await?;
        Ok(updated.id_token)
    }

    /// Updates the password of an identity that has just signed in.
    pub async fn set_password(&self, id_token: &SecretString, password: &Password) -> Result<()> {
        let body = json!({ "idToken": id_token.expose_secret(), "password": password.expose() });
        self.public::<IgnoredAny>("identity_set_password", "accounts:update", &body).await.map(drop)
    }

    /// Reads the identity of an ID token; `USER_NOT_FOUND`, `USER_DISABLED` or `TOKEN_EXPIRED` if
    /// it may not sign in.
    pub async fn profile_by_token(&self, id_token: &str) -> Result<Option<ToolkitProfile>> {
        let body = json!({ "idToken": id_token });
        let found: Users = self.public("identity_profile_get", "accounts:lookup", &body).await?;
        Ok(found.users.into_iter().next())
    }

    /// Reads the identity of an email.
    pub async fn profile_by_email(&self, email: &Email) -> Result<Option<ToolkitProfile>> {
        let body = json!({ "email": [email.as_str()] });
        let found: Users = self.privileged("identity_email_get", "accounts:lookup", &body).await?;
        Ok(found.users.into_iter().next())
    }

    /// Creates a recovery code for the identity of an email and sends no mail; `None` without such
    /// an identity.
    pub async fn reset_code(&self, email: &str) -> Result<Option<SecretString>> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ResetCode {
            oob_code: Option<SecretString>,
        }
        let body = json!({ "requestType": "PASSWORD_RESET", "email": email, "returnOobLink": true });
        match self.privileged::<ResetCode>("identity_reset_code", "accounts:sendOobCode", &body).await {
            Ok(created) => Ok(created.oob_code),
            Err(error) if error.is_code("EMAIL_NOT_FOUND") || error.is_code("USER_NOT_FOUND") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the email of a recovery code, which stays valid; `INVALID_OOB_CODE` and
    /// `EXPIRED_OOB_CODE` for other codes.
    pub async fn reset_check(&self, code: &str) -> Result<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Reset {
            email: String,
            request_type: String,
        }
        let body = json!({ "oobCode": code });
        let reset: Reset = self.public("identity_reset_check", "accounts:resetPassword", &body).await?;
        // Codes of other kinds, for instance to confirm an email, are not recovery codes.
        if reset.request_type != "PASSWORD_RESET" {
            return Err(ToolkitError::Refused { status: 400, code: "INVALID_OOB_CODE".to_owned() });
        }
        Ok(reset.email)
    }

    /// Sets a new password and uses the code up. Returns the email of the code.
    pub async fn reset(&self, code: &str, password: &Password) -> Result<String> {
        #[derive(Deserialize)]
        struct Reset {
            email: String,
        }
        let body = json!({ "oobCode": code, "newPassword": password.expose() });
        let reset: Reset = self.public("identity_reset", "accounts:resetPassword", &body).await?;
        Ok(reset.email)
    }

    /// Changes the email of an identity, which is not confirmed afterwards; `EMAIL_EXISTS` if the
    /// email is in use.
    pub async fn set_email(&self, local_id: &Uid, email: &Email) -> Result<()> {
        let body = json!({ "localId": local_id, "email": email.as_str(), "emailVerified": false });
        self.privileged::<IgnoredAny>("identity_set_email", "accounts:update", &body).await.map(drop)
    }

    /// Deletes an identity if it exists.
    pub async fn delete(&self, local_id: &Uid) -> Result<()> {
        let body = json!({ "localId": local_id });
        match self.privileged::<IgnoredAny>("identity_delete", "accounts:delete", &body).await {
            Err(error) if error.is_code("USER_NOT_FOUND") => Ok(()),
            deleted => deleted.map(drop),
        }
    }
}
