//! Data that pages send with a form: the answer about advertising, and where the visitor came from.

use garimpo_domain::{CheckoutId, ClickIds, Consent, Timestamp, Touch, Uid};
use garimpo_proto::tracking::v1 as pb;

use crate::store::{Result, TouchKind, Tx, accounts, attributions, consents};
use crate::wire::{instant, timestamp};

/// The parsed answer and arrivals. Malformed parts are ignored, because they must not prevent a
/// sign-up or a purchase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    consent: Option<Consent>,
    first: Option<(Touch, Timestamp)>,
    last: Option<(Touch, Timestamp)>,
    clicks: Option<ClickIds>,
    first_clicks: Option<ClickIds>,
}

impl Origin {
    /// Reads a request's fields. Click ids are kept only with an answer that allows advertising
    /// now.
    pub(crate) fn read(
        consent: Option<&pb::Consent>,
        attribution: Option<&pb::Attribution>,
        now: Timestamp,
    ) -> Self {
        let consent = consent.and_then(|consent| read_consent(consent, now));
        let allowed = consent.as_ref().is_some_and(|consent| consent.ads_allowed && consent.holds(now));
        let touch = |touch: Option<&pb::Touch>| touch.and_then(|touch| read_touch(touch, now));
        let clicks = |ids: Option<&pb::ClickIds>| {
            ids.filter(|_| allowed).and_then(|ids| ClickIds::read(&ids.fbc, &ids.fbp, &ids.gclid, now))
        };
        Self {
            consent,
            first: touch(attribution.and_then(|from| from.first.as_ref())),
            last: touch(attribution.and_then(|from| from.last.as_ref())),
            clicks: clicks(attribution.and_then(|from| from.clicks.as_ref())),
            first_clicks: clicks(attribution.and_then(|from| from.first_clicks.as_ref())),
        }
    }

    /// Stores it with a new account, or with a checkout of an account.
    pub(crate) async fn record(
        &self,
        tx: &mut Tx,
        uid: &Uid,
        checkout_id: Option<&CheckoutId>,
        now: Timestamp,
    ) -> Result<()> {
        // The account's current answer counts: consent may have been withdrawn elsewhere meanwhile.
        let mut current = None;
        if let Some(consent) = &self.consent {
            consents::save(tx, uid, consent, now).await?;
            // A refusal in this browser applies to this purchase, whatever another browser allowed.
            current = if consent.ads_allowed {
                accounts::by_uid(&mut *tx, uid).await?.and_then(|account| account.answer())
            } else {
                Some(consent.clone())
            };
            if let Some(proof) = &current {
                consents::record(tx, uid, checkout_id, proof, now).await?;
            }
        }
        let place = (uid, checkout_id);
        for (kind, touch) in [(TouchKind::First, &self.first), (TouchKind::Last, &self.last)] {
            if let Some(touch) = touch {
                attributions::insert(tx, place, kind, touch).await?;
            }
        }
        let allowed = current.is_some_and(|answer| answer.ads_allowed && answer.holds(now));
        let Some(last) = self.clicks.as_ref().filter(|_| allowed) else { return Ok(()) };
        let first = self.first_clicks.as_ref().unwrap_or(last);
        attributions::save_click_ids(tx, place, [first, last], now).await
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.consent.is_none() && self.first.is_none() && self.last.is_none()
    }
}

pub(crate) fn consent_message(answer: Consent) -> pb::Consent {
    let Consent { ads_allowed, text_version, at } = answer;
    pb::Consent { ads_allowed, text_version, at: Some(timestamp(at)) }
}

/// The answer of a request; `None` if it is malformed and so proves nothing.
pub(crate) fn read_consent(consent: &pb::Consent, now: Timestamp) -> Option<Consent> {
    Consent::read(consent.ads_allowed, &consent.text_version, consent.at.as_ref().map(instant), now)
}

fn read_touch(touch: &pb::Touch, now: Timestamp) -> Option<(Touch, Timestamp)> {
    let values = Touch {
        utm_source: touch.utm_source.clone(),
        utm_medium: touch.utm_medium.clone(),
        utm_campaign: touch.utm_campaign.clone(),
        utm_term: touch.utm_term.clone(),
        utm_content: touch.utm_content.clone(),
        campaign_id: touch.campaign_id.clone(),
        referral: touch.referral.clone(),
        promo: touch.promo.clone(),
        referrer_host: touch.referrer_host.clone(),
        clicked: touch.clicked.parse().ok(),
    };
    values.read(touch.at.as_ref().map(instant), now)
}
