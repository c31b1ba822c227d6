//! The rules of Garimpo as values and pure functions: no I/O, no async, no logging, no clock.
//!
//! Every function takes `now` as an argument and every number comes from `catalog/*.toml`, embedded
//! at build time. Where to find a rule, by the areas of `docs/requirements.md`:
//!
//! | Area | File |
//! |---|---|
//! | catalogue: plans and prices | [`plans`], [`prices`], `catalog/plans.toml` |
//! | catalogue: limits of the plans | [`limits`], `catalog/limits.toml` |
//! | catalogue: periods | [`period`] |
//! | promo: codes and their coupons | [`promotions`], [`coupons`], `catalog/promotions.toml` |
//! | campaign | [`campaign`], `catalog/campaign.toml` |
//! | upsell | [`upsell`], `catalog/upsell.toml` |
//! | subscription: free trial | [`trial`] |
//! | subscription: states | [`subscription`]; labels in `account-status.ts` of the page |
//! | subscription: money-back guarantee | [`guarantee`] |
//! | subscription: access follows money | [`rights`], [`takeback`] |
//! | subscription: credit, and what is too little to be charged | [`balance`], [`credit`] |
//! | checkout: boleto, by FEBRABAN's numbers | [`boleto`] |
//! | checkout, access: who may start a purchase | [`checkout`] |
//! | sign-up: fields | [`person`] |
//! | login: readable device labels | [`device`] |
//! | api, tracking: conversion events | [`conversion`] |
//! | tracking: consent to advertising (LGPD, article 8) | [`consent`] |
//! | storage: where visitors come from | [`attribution`] |
//! | for operators: steps to a purchase, and rates of small numbers | [`funnel`], [`proportion`] |
//! | for operators: what the months brought: MRR, new, churned | [`revenue`] |
//! | product: company, contacts, outside links | [`brand`], `catalog/brand.toml` |

#![warn(missing_docs)]

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
pub mod ids;
pub mod instant;
pub mod limits;
pub mod money;
pub mod names;
pub mod period;
pub mod person;
pub mod plans;
pub mod prices;
pub mod promotions;
pub mod proportion;
pub mod provider_status;
pub mod revenue;
pub mod rights;
pub mod subscription;
pub mod takeback;
pub mod trial;
mod unseen;
pub mod upsell;

pub use attribution::{AdPlatform, ClickIds, Labels, Touch};
pub use balance::Settlement;
pub use campaign::CampaignSwitch;
pub use catalog::{Catalog, catalog};
pub use checkout::{PaymentMethod, TrialPurchase};
pub use consent::Consent;
pub use conversion::ConversionEvent;
pub use coupons::{BuyerHistory, PriceContext};
pub use funnel::Step;
pub use ids::{
    CheckoutId, CheckoutSessionId, CustomerId, EventId, InvoiceId, PaymentIntentId, SessionId,
    SubscriptionId, Uid,
};
pub use instant::{Day, Timestamp};
pub use money::Centavos;
pub use period::Interval;
pub use person::{
    CanonicalAddress, DisplayName, Email, EmailError, Password, PasswordError, PasswordPolicy, Phone,
    PhotoUrl,
};
pub use plans::{Plan, PlanId};
pub use prices::Quote;
pub use promotions::{PromoCode, Promotion};
pub use rights::{AccountState, Rights};
pub use subscription::{Access, Policy, Renewal, Status, SubscriptionState, SuspendedReason, Takeback};
