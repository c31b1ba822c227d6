//! The calls by name, with what we read of their answers.

use garimpo_domain::person::{DisplayName, Email, Password};
use secrecy::SecretString;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::{IdentityToolkit, ToolkitError};

/// An identity that has shown its password.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Opaque id of the identity.
    pub local_id: String,
    /// ID token of this sign-in, valid one hour.
    pub id_token: SecretString,
}

/// What the provider knows of an identity.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Opaque id of the identity.
    pub local_id: String,
    /// Its email, where it has one.
    pub email: Option<String>,
    /// Whether the email is known to be its holder's.
    #[serde(default)]
    pub email_verified: bool,
    /// Its name, where it has one.
    pub display_name: Option<String>,
}

#[derive(Deserialize)]
struct Users {
    #[serde(default)]
    users: Vec<Profile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fresh {
    id_token: Option<SecretString>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResetCode {
    oob_code: Option<SecretString>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reset {
    email: String,
    request_type: String,
}

impl IdentityToolkit {
    /// Makes an identity.
    ///
    /// # Errors
    /// See [`ToolkitError`]; `EMAIL_EXISTS` for a used email.
    pub async fn sign_up(&self, email: &Email, password: &Password) -> Result<SignedIn, ToolkitError> {
        let body =
            json!({ "email": email.as_str(), "password": password.expose(), "returnSecureToken": true });
        self.public("identity_sign_up", "accounts:signUp", &body).await
    }

    /// Writes the name of an identity that has just signed in; answers a newer ID token where the provider gives one.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn rename(
        &self,
        id_token: &SecretString,
        name: &DisplayName,
    ) -> Result<Option<SecretString>, ToolkitError> {
        let body =
            json!({ "idToken": exposed(id_token), "displayName": name.as_str(), "returnSecureToken": true });
        let fresh: Fresh = self.public("identity_rename", "accounts:update", &body).await?;
        Ok(fresh.id_token)
    }

    /// Checks an email and password.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn sign_in(&self, email: &Email, password: &Password) -> Result<SignedIn, ToolkitError> {
        let body =
            json!({ "email": email.as_str(), "password": password.expose(), "returnSecureToken": true });
        self.public("identity_sign_in", "accounts:signInWithPassword", &body).await
    }

    /// Writes a new password for an identity that has just signed in.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn set_password(
        &self,
        id_token: &SecretString,
        password: &Password,
    ) -> Result<(), ToolkitError> {
        let body = json!({ "idToken": exposed(id_token), "password": password.expose() });
        self.public::<IgnoredAny>("identity_set_password", "accounts:update", &body).await.map(drop)
    }

    /// The identity that an ID token names, as it is now.
    ///
    /// # Errors
    /// See [`ToolkitError`]; `USER_NOT_FOUND`, `USER_DISABLED` or `TOKEN_EXPIRED` where it may come in no more.
    pub async fn profile_by_token(&self, id_token: &str) -> Result<Option<Profile>, ToolkitError> {
        let users: Users =
            self.public("identity_profile_get", "accounts:lookup", &json!({ "idToken": id_token })).await?;
        Ok(users.users.into_iter().next())
    }

    /// The identity of an email.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn profile_by_email(&self, email: &Email) -> Result<Option<Profile>, ToolkitError> {
        let body = json!({ "email": [email.as_str()] });
        let users: Users = self.privileged("identity_email_get", "accounts:lookup", &body).await?;
        Ok(users.users.into_iter().next())
    }

    /// Makes a recovery code for the identity of an email and mails nothing; `None` when there is no such identity.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn reset_code(&self, email: &str) -> Result<Option<SecretString>, ToolkitError> {
        let body = json!({ "requestType": "PASSWORD_RESET", "email": email, "returnOobLink": true });
        match self.privileged::<ResetCode>("identity_reset_code", "accounts:sendOobCode", &body).await {
            Ok(made) => Ok(made.oob_code),
            Err(error) if error.is_code("EMAIL_NOT_FOUND") || error.is_code("USER_NOT_FOUND") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The email that a recovery code is for; the code stays good.
    ///
    /// # Errors
    /// See [`ToolkitError`]; `INVALID_OOB_CODE` and `EXPIRED_OOB_CODE`.
    pub async fn reset_check(&self, code: &str) -> Result<String, ToolkitError> {
        let reset: Reset = self
            .public("identity_reset_check", "accounts:resetPassword", &json!({ "oobCode": code }))
            .await?;
        // Codes of other kinds (the address of an account, its deletion) are no recovery codes.
        if reset.request_type != "PASSWORD_RESET" {
            return Err(ToolkitError::Refused { status: 400, code: "INVALID_OOB_CODE".to_owned() });
        }
        Ok(reset.email)
    }

    /// Writes a new password and uses the code up.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn reset(&self, code: &str, password: &Password) -> Result<(), ToolkitError> {
        let body = json!({ "oobCode": code, "newPassword": password.expose() });
        self.public::<IgnoredAny>("identity_reset", "accounts:resetPassword", &body).await.map(drop)
    }

    /// Deletes an identity; one that is gone already is fine.
    ///
    /// # Errors
    /// See [`ToolkitError`].
    pub async fn delete(&self, local_id: &str) -> Result<(), ToolkitError> {
        let body = json!({ "localId": local_id });
        match self.privileged::<IgnoredAny>("identity_delete", "accounts:delete", &body).await {
            Err(error) if error.is_code("USER_NOT_FOUND") => Ok(()),
            done => done.map(drop),
        }
    }
}

fn exposed(secret: &SecretString) -> &str {
    secrecy::ExposeSecret::expose_secret(secret)
}
