//! POST /create-embedded-checkout-session

use super::body::Fields;
use super::doc::{Body, Caller, Doc, EMAIL, Field, Kind};
use super::{Call, PROVIDER_DEADLINE, within};
use crate::error::ApiError;
use axum::Json;
use garimpo_proto::billing::v1::CreateCheckoutSessionRequest;
use garimpo_proto::errors::v1::ErrorReason;
use serde::Serialize;

/// What the call says about itself.
pub(crate) const DOC: Doc = Doc {
    method: "post",
    path: "/create-embedded-checkout-session",
    summary: "Opens the embedded checkout for the caller's own account.",
    caller: Caller::Known,
    parameters: &[],
    body: Body::Json(&[
        EMAIL,
        Field::required("planName", Kind::Text)
            .means("Id or name of a plan; case, accents and repeated blanks do not count.")
            .like("Elite Nível 2"),
        Field::required("interval", Kind::OneOf(INTERVALS)).means("In any case.").like("semestral"),
        Field::optional("couponId", Kind::Text)
            .means("Id or code of a coupon; blank for none.")
            .like("novo10"),
    ]),
    success: 200,
    answer: &[Field::required("clientSecret", Kind::Text)],
    sets_cookie: true,
    says_ok: false,
    failures: &[
        ErrorReason::UnknownPlan,
        ErrorReason::PlanNotForSale,
        ErrorReason::UnknownInterval,
        ErrorReason::CouponNotApplicable,
        ErrorReason::Unauthenticated,
        ErrorReason::PermissionDenied,
        ErrorReason::AlreadySubscribed,
        ErrorReason::ProviderUnavailable,
    ],
};

/// Every spelling that is read.
const INTERVALS: &[&str] = &[
    "month",
    "monthly",
    "mensal",
    "quarterly",
    "trimestral",
    "semiannual",
    "semestral",
    "annual",
    "yearly",
    "anual",
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    client_secret: String,
}

/// Opens the embedded checkout for the caller's own account.
pub(crate) async fn handle(call: Call, mut body: Fields) -> Result<Json<Answer>, ApiError> {
    let request = CreateCheckoutSessionRequest {
        email: body.filled_text("email"),
        plan_name: body.text("planName"),
        interval: body.text("interval"),
        coupon_id: body.text_or_empty("couponId"),
        shown_price_centavos: None,
        request_id: None,
        ..Default::default()
    };
    body.finish()?;

    let answer =
        call.billing().create_checkout_session(within(PROVIDER_DEADLINE, request)).await?.into_inner();
    Ok(Json(Answer { client_secret: answer.client_secret }))
}
