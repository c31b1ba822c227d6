//! What the server is started with.

use std::sync::Arc;

use garimpo_domain::campaign::CampaignSwitch;
use garimpo_domain::person::PasswordPolicy;
use garimpo_domain::subscription::Policy;
use secrecy::SecretString;

use crate::auth::{HashSettings, LimitSettings};
use crate::billing::{BillingSettings, TrialPurchase};
use crate::clock::Clock;
use crate::crash::CrashAt;
use crate::ids::Ids;
use crate::mail::MailLimits;
use crate::pause::PauseAt;
use crate::providers::MAX_CALLS_PER_SECOND;
use crate::providers::identity_toolkit::ToolkitSettings;
use crate::providers::mail::MailSettings;
use crate::providers::meta::MetaSettings;
use crate::providers::stripe::StripeSettings;
use crate::store::StoreSettings;

/// What the server is started with; the binary reads it from the environment.
#[derive(Clone)]
pub struct Settings {
    /// The database.
    pub database: StoreSettings,
    /// Whose clock the product has.
    pub clock: ClockSettings,
    /// Ids and randomness.
    pub ids: Ids,
    /// What a gateway on another machine shows; without it nobody on the wire is believed.
    pub fleet_secret: Option<SecretString>,
    /// Who keeps the passwords.
    pub identity: IdentitySettings,
    /// How many passwords are hashed at once.
    pub hashing: HashSettings,
    /// What a new password must be.
    pub password_policy: PasswordPolicy,
    /// How often one may try.
    pub limits: LimitSettings,
    /// The payment provider.
    pub payments: StripeSettings,
    /// What the operator decides about billing.
    pub billing: BillingSettings,
    /// Who delivers mails.
    pub mail: MailSettings,
    /// How many mails an address gets that nobody has confirmed.
    pub mail_limits: MailLimits,
    /// Who is told of conversions; nobody without it.
    pub conversions: Option<MetaSettings>,
    /// Where a test makes the process die.
    pub crash_at: Option<CrashAt>,
    /// Where a test holds the calls of an account until several have arrived.
    pub pause_at: Option<PauseAt>,
}

impl Settings {
    /// The defaults over a database, on the system's clock, with a sandbox at its default address as the world outside.
    pub fn new(database: StoreSettings) -> Self {
        let sandbox = "http://127.0.0.1:12111".to_owned();
        Self {
            database,
            clock: ClockSettings::System,
            ids: Ids::system(),
            fleet_secret: None,
            identity: IdentitySettings::Local,
            hashing: HashSettings::default(),
            password_policy: PasswordPolicy::default(),
            limits: LimitSettings::default(),
            payments: StripeSettings {
                url: sandbox.clone(),
                secret_key: "sk_test_garimpo".into(),
                webhook_secrets: vec!["whsec_garimpo".into()],
                calls_per_second: MAX_CALLS_PER_SECOND,
            },
            billing: BillingSettings {
                public_url: "http://127.0.0.1:8080".to_owned(),
                campaign: CampaignSwitch::Auto,
                policy: Policy::default(),
                trial_purchase: TrialPurchase::default(),
                pushes_catalog: false,
            },
            mail: MailSettings::Sandbox { url: sandbox },
            mail_limits: MailLimits::default(),
            conversions: None,
            crash_at: None,
            pause_at: None,
        }
    }
}

/// Who keeps the passwords.
#[derive(Debug, Clone)]
pub enum IdentitySettings {
    /// The own database.
    Local,
    /// A project of Google's Identity Toolkit.
    Toolkit(ToolkitSettings),
}

/// Whose clock the product has.
#[derive(Clone)]
pub enum ClockSettings {
    /// The system's.
    System,
    /// The sandbox's, followed under a name of this process.
    Sandbox {
        /// Origin of the sandbox.
        url: String,
        /// Tells this process from other followers.
        follower: String,
    },
    /// One that the caller moves.
    Given(Arc<dyn Clock>),
}
