//! Settings of the server; the binary reads them from the environment.

use std::sync::Arc;

use garimpo_domain::{CampaignSwitch, PasswordPolicy, Policy};

use crate::auth::{HashSettings, LimitSettings};
use crate::billing::{BillingSettings, TrialPurchase};
use crate::clock::Clock;
use crate::crash::CrashAt;
use crate::ids::Ids;
use crate::mail::MailLimits;
use crate::pause::PauseAt;
use crate::providers::MAX_CALLS_PER_SECOND;
use crate::providers::captcha::CaptchaSettings;
use crate::providers::identity_toolkit::ToolkitSettings;
use crate::providers::mail::MailSettings;
use crate::providers::meta::MetaSettings;
use crate::providers::stripe::StripeSettings;
use crate::store::StoreSettings;

#[derive(Clone)]
pub struct Settings {
    pub database: StoreSettings,
    pub clock: ClockSettings,
    pub ids: Ids,
    pub identity: IdentitySettings,
    pub hashing: HashSettings,
    pub password_policy: PasswordPolicy,
    pub limits: LimitSettings,
    pub payments: StripeSettings,
    pub billing: BillingSettings,
    pub mail: MailSettings,
    /// Limits of mails to unconfirmed addresses.
    pub mail_limits: MailLimits,
    /// The platform of conversion events; `None` drops them.
    pub conversions: Option<MetaSettings>,
    /// The provider of the challenge of sign-ups; `None` asks for none.
    pub captcha: Option<CaptchaSettings>,
    pub crash_at: Option<CrashAt>,
    pub pause_at: Option<PauseAt>,
}

impl Settings {
    /// The defaults: the system's clock, and a sandbox at its default address for payments and
    /// mails.
    pub fn new(database: StoreSettings) -> Self {
        let sandbox = "http://127.0.0.1:12111".to_owned();
        Self {
            database,
            clock: ClockSettings::System,
            ids: Ids::system(),
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
            captcha: None,
            crash_at: None,
            pause_at: None,
        }
    }
}

/// Where passwords are stored.
#[derive(Debug, Clone)]
pub enum IdentitySettings {
    /// In our database.
    Local,
    /// In a project of Google's Identity Toolkit.
    Toolkit(ToolkitSettings),
}

#[derive(Clone)]
pub enum ClockSettings {
    System,
    /// The sandbox's clock, followed over HTTP.
    Sandbox {
        /// Origin of the sandbox.
        url: String,
        /// Distinguishes this process from other followers.
        follower: String,
    },
    /// A clock of the caller.
    Given(Arc<dyn Clock>),
}
