//! Promo codes of the query (`promo`, `parceiro`, `afiliado`) and what each puts on the page.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::campaign::CampaignSwitch;
use crate::catalog::{Catalog, PromotionRow};
use crate::coupons::{ChosenCoupon, CouponRefusal, SHARED_COUPON};
use crate::folding::fold;
use crate::instant::Timestamp;

/// The code that the promo pages behave as when the query has none.
pub const DEFAULT_PROMO_CODE: &str = "novo";

/// The most characters a promo code may have.
pub const PROMO_CODE_MAX: usize = 32;

/// A promo code as typed: 1 to 32 letters, digits, `_` or `-`; compared without case and accents.
#[derive(Clone, Debug)]
pub struct PromoCode {
    folded: String,
    upper: String,
}

/// A text is no promo code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a promo code has 1 to 32 letters, digits, '_' or '-'")]
pub struct NotAPromoCode;

impl PromoCode {
    /// Reads a promo code, blanks around it aside.
    ///
    /// # Errors
    /// [`NotAPromoCode`] when it has other characters or the wrong length.
    pub fn parse(text: &str) -> Result<Self, NotAPromoCode> {
        let text = text.trim();
        if text.len() > 16 * PROMO_CODE_MAX {
            return Err(NotAPromoCode);
        }
        let composed: String = text.nfc().collect();
        let folded = fold(&composed);
        let lengths_fit = (1..=PROMO_CODE_MAX).contains(&composed.chars().count());
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if lengths_fit && folded.len() <= PROMO_CODE_MAX && !folded.is_empty() && folded.chars().all(plain) {
            Ok(PromoCode { folded, upper: composed.to_uppercase() })
        } else {
            Err(NotAPromoCode)
        }
    }

    /// The code without case and accents, for comparing.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The code in capitals, for showing.
    pub fn upper(&self) -> &str {
        &self.upper
    }
}

impl PartialEq for PromoCode {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for PromoCode {}

/// The page's content for a promotion code, texts in pt-BR.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Promotion {
    /// The banner's title.
    pub title: String,
    /// The line under it.
    pub subtitle: String,
    /// Percent off the first payment; 0 where the coupon takes off an amount.
    pub discount: u8,
    /// Whether the banner stands out.
    pub special_offer: bool,
    /// The line beside the coupon.
    pub promo_message: String,
    /// The code that 'Copiar cupom' copies.
    pub coupon_code: String,
    /// The coupon's id.
    pub coupon_id: String,
    /// Whether a countdown to the end of the day shows.
    pub show_countdown: bool,
    /// Text beside a discounted price: `no 1º mês`.
    pub subtext_new: String,
    /// Whether the code has no row of its own and shares the partners' coupon.
    pub is_other: bool,
}

/// A named promotion with the codes that lead to it, for the export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedPromotion {
    /// The codes, without case and accents; the coupon's own id and code are among them.
    pub codes: Vec<String>,
    /// Any code with this prefix leads to it, too.
    pub prefix: Option<String>,
    /// Their content on the page.
    #[serde(flatten)]
    pub promotion: Promotion,
}

impl Catalog {
    /// Reads a `couponId`: a coupon's id or code, or a promotion's code, without case and accents.
    ///
    /// `parceiro10:MARIA` is the shared coupon chosen by the code MARIA.
    ///
    /// # Errors
    /// [`CouponRefusal::Unknown`] when nothing is called that.
    pub fn coupon_named(&self, text: &str) -> Result<ChosenCoupon<'_>, CouponRefusal> {
        let wanted = fold(text);
        if let Some(coupon) = self.coupons.iter().find(|c| fold(&c.id) == wanted || fold(&c.code) == wanted) {
            return Ok(ChosenCoupon { coupon, code: coupon.code.clone() });
        }
        let (code, shared) = match text.trim().split_once(':') {
            Some((id, code)) if fold(id) == SHARED_COUPON => (code, true),
            _ => (text, false),
        };
        let code = PromoCode::parse(code).map_err(|_| CouponRefusal::Unknown)?;
        let promotion = self.promotion(&code);
        // A code without a promotion is a wrong coupon, not a new partner.
        if promotion.is_other != shared {
            return Err(CouponRefusal::Unknown);
        }
        let coupon = self.coupon(&promotion.coupon_id).ok_or(CouponRefusal::Unknown)?;
        Ok(ChosenCoupon { coupon, code: promotion.coupon_code })
    }

    /// The promotion that a code leads to; every code leads to one.
    pub fn promotion(&self, code: &PromoCode) -> Promotion {
        // An exact code takes precedence over a prefix.
        let exact = self.promotions.iter().find(|row| row.codes.contains(&code.folded));
        let begins = |prefix: &String| code.folded.starts_with(prefix.as_str());
        match exact.or_else(|| self.promotions.iter().find(|row| row.prefix.as_ref().is_some_and(begins))) {
            Some(row) => self.named(row),
            None => self.other_promotion(&code.upper),
        }
    }

    /// The promotion that a code leads to now: the campaign's own code, while it does not run, as
    /// no code at all.
    pub fn promotion_at(&self, code: &PromoCode, now: Timestamp, campaign: CampaignSwitch) -> Promotion {
        let promotion = self.promotion(code);
        let is_over = !self.campaign.is_on(now, campaign)
            && self.coupon(&promotion.coupon_id).is_some_and(|coupon| coupon.campaign_only);
        match PromoCode::parse(DEFAULT_PROMO_CODE) {
            Ok(default) if is_over => self.promotion(&default),
            _ => promotion,
        }
    }

    /// The promotions with a row of their own, in the order of the file.
    pub fn named_promotions(&self) -> impl Iterator<Item = NamedPromotion> + '_ {
        self.promotions.iter().map(|row| NamedPromotion {
            codes: row.codes.clone(),
            prefix: row.prefix.clone(),
            promotion: self.named(row),
        })
    }

    /// The promotion of any code without a row; `upper` is the code in capitals.
    pub fn other_promotion(&self, upper: &str) -> Promotion {
        let mut promotion = self.named(&self.other_promotion);
        promotion.title = promotion.title.replace("{code}", upper);
        promotion.subtitle = promotion.subtitle.replace("{code}", upper);
        promotion.promo_message = promotion.promo_message.replace("{code}", upper);
        upper.clone_into(&mut promotion.coupon_code);
        promotion.is_other = true;
        promotion
    }

    fn named(&self, row: &PromotionRow) -> Promotion {
        let coupon = self.coupon(&row.coupon_id);
        Promotion {
            title: row.title.clone(),
            subtitle: row.subtitle.clone(),
            discount: coupon.and_then(|coupon| coupon.discount.percent()).unwrap_or(0),
            special_offer: row.special_offer,
            promo_message: row.promo_message.clone(),
            coupon_code: coupon.map(|coupon| coupon.code.clone()).unwrap_or_default(),
            coupon_id: row.coupon_id.clone(),
            show_countdown: row.show_countdown,
            subtext_new: row.subtext_new.clone(),
            is_other: false,
        }
    }
}

#[cfg(test)]
mod tests;
