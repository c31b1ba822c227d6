//! The refunds of one request: their method, rows and summary.

use garimpo_domain::guarantee::pix_refund_due_at;
use garimpo_domain::{Centavos, PaymentMethod, Timestamp};
use garimpo_proto::billing::v1 as pb;

use crate::ids::Ids;
use crate::store::{Invoice, Refund, RefundMethod, RefundReason, RefundState, Text as _};
use crate::wire::timestamp;

/// Days after its payment for which an account sees a refund.
const SHOWN_DAYS: i64 = 30;

/// Refund method of a payment. The provider cannot refund a boleto.
pub(crate) fn refund_method(payment_method: Option<PaymentMethod>) -> RefundMethod {
    match payment_method {
        Some(PaymentMethod::Boleto) => RefundMethod::Pix,
        _ => RefundMethod::Card,
    }
}

/// The refund of a payment as a row to insert. A Pix is sent to `email`.
pub(crate) fn refund_of(
    ids: &Ids,
    invoice: &Invoice,
    reason: RefundReason,
    email: Option<&str>,
    now: Timestamp,
) -> Refund {
    let method = refund_method(invoice.payment_method);
    let is_pix = method == RefundMethod::Pix;
    Refund {
        id: ids.id("ref_"),
        uid: invoice.uid.clone(),
        subscription_id: invoice.subscription_id.clone(),
        invoice_id: invoice.id.clone(),
        amount_centavos: invoice.money_kept(),
        method,
        reason,
        state: RefundState::Requested,
        due_at: is_pix.then(|| pix_refund_due_at(now)),
        created_at: now,
        pix_key: email.filter(|_| is_pix).map(str::to_owned),
        ended_at: None,
        protocol: None,
        request_id: None,
        provider_id: None,
        paid_note: None,
    }
}

/// Refunds of one request, summarized for the person.
pub(crate) struct RefundSummary {
    /// Protocol number.
    pub(crate) protocol: String,
    /// Amount refunded.
    pub(crate) centavos: Centavos,
    /// Amount of it by Pix. The rest is refunded to the card.
    pub(crate) pix_centavos: Centavos,
    /// `pix` if any part of it is by Pix.
    pub(crate) method: RefundMethod,
    /// Date until which the Pix is paid.
    pub(crate) due_at: Option<Timestamp>,
    /// When it was requested.
    pub(crate) requested_at: Timestamp,
    /// When all of it was paid; `None` until then.
    pub(crate) paid_at: Option<Timestamp>,
}

impl RefundSummary {
    /// Summarizes the refunds of one request; `None` for an empty list.
    pub(crate) fn of(refunds: &[&Refund]) -> Option<Self> {
        let first = refunds.first()?;
        let by_pix = refunds.iter().filter(|refund| !refund.goes_by_card());
        let pix_centavos: Centavos = by_pix.map(|refund| refund.amount_centavos).sum();
        let paid_at: Option<Vec<Timestamp>> = refunds.iter().map(|refund| refund.ended_at).collect();
        Some(Self {
            protocol: first.protocol.clone().unwrap_or_else(|| first.id.clone()),
            centavos: refunds.iter().map(|refund| refund.amount_centavos).sum(),
            pix_centavos,
            method: if pix_centavos > Centavos::ZERO { RefundMethod::Pix } else { RefundMethod::Card },
            due_at: refunds.iter().filter_map(|refund| refund.due_at).max(),
            requested_at: first.created_at,
            paid_at: paid_at.and_then(|all| all.into_iter().max()),
        })
    }
}

/// The refunds that were requested together with `one`, including it.
pub(crate) fn refunds_of_request<'r>(refunds: &'r [Refund], one: &Refund) -> Vec<&'r Refund> {
    let same =
        |refund: &&Refund| refund.id == one.id || one.protocol.is_some() && refund.protocol == one.protocol;
    refunds.iter().filter(same).collect()
}

/// An account's latest refund, until 30 days after it was paid. `refunds` are ordered by request.
pub(crate) fn latest_refund(refunds: &[Refund], now: Timestamp) -> Option<pb::Refund> {
    let summary = RefundSummary::of(&refunds_of_request(refunds, refunds.last()?))?;
    let is_shown = summary.paid_at.is_none_or(|paid_at| now < paid_at.plus_days(SHOWN_DAYS));
    is_shown.then(|| pb::Refund {
        protocol: summary.protocol,
        amount_centavos: summary.centavos.get(),
        method: summary.method.text().to_owned(),
        state: if summary.paid_at.is_some() { RefundState::Paid } else { RefundState::Requested }
            .text()
            .to_owned(),
        requested_at: Some(timestamp(summary.requested_at)),
        due_at: summary.due_at.map(timestamp),
        pix_centavos: summary.pix_centavos.get(),
    })
}
