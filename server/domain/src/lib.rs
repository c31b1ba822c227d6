//! The rules of Garimpo as values and pure functions: no I/O, no async, no logging, no clock.
//!
//! Every function takes `now` as an argument and every number comes from `catalog/*.toml`, embedded at
//! build time. Where to find a rule of the specification:
//!
//! | Specification | File |
//! |---|---|
//! | 3 Plan, price blocks; 9 Plans, plan grouping | [`plans`], [`prices`], `catalog/plans.toml` |
//! | 9 Limits of the plans | [`limits`], `catalog/limits.toml` |
//! | 9 Subscription periods; 3 period, interval | [`period`] |
//! | 3 Promo configuration; 9 Promo codes | [`promotions`], [`coupons`], `catalog/promotions.toml` |
//! | 9 Black November rule | [`campaign`], `catalog/campaign.toml` |
//! | 3 Upsell offer; 5 Upsell offers; 9 Upsell arithmetic | [`upsell`], `catalog/upsell.toml` |
//! | 4 Trial; 9 Free trial | [`trial`] |
//! | 4 Subscription statuses | [`subscription`]; their labels are the page's: `web/src/features/account/subscription-status.ts` |
//! | 9 Money-back guarantee | [`guarantee`] |
//! | Access follows money (design, section 7) | [`rights`], [`takeback`] |
//! | Credit, and what is too little to be charged (design, section 7) | [`balance`] |
//! | 1 Payment by boleto; 9 FEBRABAN's numbers (providers, section 5) | [`boleto`] |
//! | 5 Checkout; 6 who may start a purchase | [`checkout`] |
//! | 5 Sign-up fields | [`person`] |
//! | Readable device labels (design, section 5) | [`device`] |
//! | 7 Details of the /meta-capi call | [`conversion`] |
//! | Consent to advertising (design, section 9; LGPD, article 8) | [`consent`] |
//! | 3 utm_*, campaign_id, referral: where visitors come from | [`attribution`] |
//! | Steps to a purchase, and rates of small numbers | [`funnel`], [`proportion`] |
//! | What the months brought: MRR, new, churned | [`revenue`] |
//! | 1 company, contacts, outside links | [`brand`], `catalog/brand.toml` |

pub mod attribution;
pub mod balance;
pub mod boleto;
pub mod brand;
pub mod campaign;
pub mod catalog;
pub mod checkout;
pub mod consent;
pub mod conversion;
pub mod coupons;
pub mod credit;
pub mod device;
pub mod folding;
pub mod funnel;
pub mod guarantee;
pub mod instant;
pub mod limits;
pub mod money;
pub mod period;
pub mod person;
pub mod plans;
pub mod prices;
pub mod promotions;
pub mod proportion;
pub mod revenue;
pub mod rights;
pub mod subscription;
pub mod takeback;
pub mod trial;
pub mod upsell;

pub use catalog::{Catalog, catalog};
pub use instant::Timestamp;
pub use money::Centavos;
pub use period::Interval;
pub use plans::{Plan, PlanId};
