//! All data of an account, as one JSON document (LGPD, article 18). `ExportMyDataResponse` in the
//! contract describes its shape.
//!
//! Rows with a secret are written field by field, so that a new secret column is not exported.

use garimpo_domain::device::device_label;
use garimpo_domain::{Phone, PhotoUrl, Timestamp};
use garimpo_proto::users::v1 as pb;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::UserService;
use crate::audit::AuditKind;
use crate::caller::{Caller, not_yours};
use crate::error::Result;
use crate::queue::JobKind;
use crate::store::{
    Account, AliveSince, Checkout, DeliveredEvent, Device, GivenBenefit, JobRow, OrEmpty as _, Text as _,
    accounts, attributions, audit_events, cancellations, card_payments, checkouts, consents, customers,
    entitlement_changes, events, invoices, job_queries, paid_periods, person_benefits, plan_changes, refunds,
    sessions, subscriptions,
};

/// More sessions than any account has.
const ALL_SESSIONS: i64 = 100_000;

impl UserService {
    pub(super) async fn export_data(&self, caller: &Caller) -> Result<pb::ExportMyDataResponse> {
        let uid = &caller.identity()?.uid;
        let exported = self.audit.event(AuditKind::DataExported, uid, caller);
        self.limits.count_export(uid, exported).await?;

        let store = &self.store;
        let account = accounts::by_uid(store, uid).await?.ok_or_else(not_yours)?;
        let every = AliveSince { created: Timestamp::MIN, seen: Timestamp::MIN };
        let devices =
            sessions::devices_page(store, uid, every, &(i64::MAX, String::new()), ALL_SESSIONS).await?;
        let customer_id = customers::by_uid(store, uid).await?.and_then(|customer| customer.customer_id);
        let events = match &customer_id {
            Some(id) => events::by_customer(store, id).await?,
            None => Vec::new(),
        };
        let document = json!({
            "exported_at": self.audit.clock.now().to_rfc3339(),
            "account": account_value(&account),
            "benefits": person_benefits::by_uid(store, uid).await?.iter().map(benefit_value).collect::<Vec<_>>(),
            "consents": rows(&consents::by_uid(store, uid).await?),
            "attributions": rows(&attributions::by_uid(store, uid).await?),
            "click_ids": rows(&attributions::click_ids_by_uid(store, uid).await?),
            "sessions": devices.iter().map(device_value).collect::<Vec<_>>(),
            "subscriptions": rows(&subscriptions::by_uid(store, uid).await?),
            "checkouts": checkouts::by_uid(store, uid).await?.iter().map(checkout_value).collect::<Vec<_>>(),
            "invoices": rows(&invoices::by_uid(store, uid).await?),
            "paid_periods": rows(&paid_periods::by_uid(store, uid).await?),
            "card_payments": rows(&card_payments::by_uid(store, uid).await?),
            "plan_changes": rows(&plan_changes::by_uid(store, uid).await?),
            "entitlement_changes": rows(&entitlement_changes::by_uid(store, uid).await?),
            "cancellations": rows(&cancellations::by_uid(store, uid).await?),
            "refunds": rows(&refunds::by_uid(store, uid).await?),
            "conversions": payloads(job_queries::of_uid(store, JobKind::Conversion, uid).await?),
            "mails": payloads(job_queries::of_uid(store, JobKind::Mail, uid).await?),
            "payment_provider": {
                "customer_id": customer_id,
                "events": events.iter().map(event_value).collect::<Vec<_>>(),
            },
            "audit": rows(&audit_events::by_uid(store, uid).await?),
        });
        tracing::info!(user.id = %uid, "an account's data was exported by its owner");
        Ok(pb::ExportMyDataResponse { json: document.to_string() })
    }
}

fn instant(micros: i64) -> Value {
    Timestamp::from_micros(micros).to_rfc3339().into()
}

fn account_value(account: &Account) -> Value {
    json!({
        "uid": account.uid,
        "email": account.email.as_str(),
        "email_verified": account.email_verified,
        "display_name": account.display_name,
        "first_name": account.first_name,
        "last_name": account.last_name,
        "phone_number": account.phone.as_ref().map(Phone::as_str),
        "photo_url": account.photo_url.as_ref().map(PhotoUrl::as_str),
        "created_at": account.created_at.to_rfc3339(),
        "email_corrected_at": account.email_corrected_at.map(Timestamp::to_rfc3339),
        "trial_used_before": account.trial_used_before,
        "promotion": {
            "code": account.promo_code,
            "removed_at": account.promo_removed_at.map(Timestamp::to_rfc3339),
        },
        "consent": {
            "given": account.consent_given,
            "at": account.consent_at.map(Timestamp::to_rfc3339),
            "text_version": account.consent_text_version,
        },
    })
}

fn benefit_value(row: &GivenBenefit) -> Value {
    json!({ "benefit": row.benefit.text(), "given_at": row.given_at.to_rfc3339() })
}

fn device_value(row: &Device) -> Value {
    json!({
        "id": row.id,
        "device": device_label(row.user_agent.as_deref()),
        "user_agent": row.user_agent,
        "client_address": row.client_address,
        "created_at": row.created_at.to_rfc3339(),
        "last_seen_at": row.seen_at.to_rfc3339(),
    })
}

fn checkout_value(row: &Checkout) -> Value {
    json!({
        "id": row.id,
        "email": row.email,
        "plan_id": row.plan_id,
        "plan_interval": row.plan_interval.written(),
        "coupon_id": row.coupon_id.or_empty(),
        "promo_code": row.promo_code.or_empty(),
        "price_centavos": row.price_centavos,
        "first_payment_centavos": row.first_payment_centavos,
        "status": row.status.text(),
        "payment_status": row.payment_status.text(),
        "subscription_id": row.subscription_id,
        "created_at": row.created_at.to_rfc3339(),
        "expires_at": row.expires_at.map(Timestamp::to_rfc3339),
    })
}

/// Rows without secrets as stored, with instants in RFC 3339.
fn rows<T: Serialize>(all: &[T]) -> Value {
    let one = |row: &T| match serde_json::to_value(row) {
        Ok(Value::Object(columns)) => Value::Object(columns.into_iter().map(column).collect()),
        _ => Value::Null,
    };
    all.iter().map(one).collect()
}

fn column((name, value): (String, Value)) -> (String, Value) {
    match name.strip_suffix("_us") {
        Some(name) => (name.to_owned(), value.as_i64().map_or(Value::Null, instant)),
        None => (name, value),
    }
}

fn event_value(event: &DeliveredEvent) -> Value {
    let mut content = serde_json::from_slice(&event.body).unwrap_or_default();
    remove_secrets(&mut content);
    json!({ "id": event.id, "received_at": event.received_at.to_rfc3339(), "content": content })
}

/// Removes client secrets, which allow to pay at the provider.
fn remove_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("client_secret");
            fields.values_mut().for_each(remove_secrets);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_secrets),
        _ => {}
    }
}

/// Jobs with their payloads.
fn payloads(jobs: Vec<JobRow>) -> Value {
    let one = |job: JobRow| {
        let payload = serde_json::from_str(&job.payload).unwrap_or(Value::Object(Map::new()));
        json!({ "key": job.key, "state": job.state.text(), "due_at": job.due_at.to_rfc3339(), "content": payload })
    };
    jobs.into_iter().map(one).collect()
}
