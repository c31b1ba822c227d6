//! Compares everything that is shown, invoiced, charged and refunded with the model.

use e2e::model::View;
use serde_json::Value;

use super::Participant;

impl Participant {
    /// Asserts that the shown subscription and the rights match the model.
    pub async fn assert_view_matches_model(&self, rights: (&str, &str)) {
        let (now, shown) = (self.provider.now().await, self.who.get_subscription().await);
        let subscription = shown.subscription.as_ref();
        let seen = View {
            subscription: None,
            ends: subscription
                .filter(|own| own.active == Some(true))
                .map(|own| (own.ends_at.expect("an end").seconds, own.cancel_at_period_end)),
            rights: ("", ""),
            credit: shown.credit_centavos,
        };
        let expected = self.model.view(now);
        let own =
            subscription.map(|own| (own.plan_id.as_str(), own.interval(), own.status.as_str(), own.active));
        assert_eq!(own, expected.subscription, "what {} sees: {:#?}", self.who.email, self.model);
        assert_eq!(
            (seen.ends, seen.credit),
            (expected.ends, expected.credit),
            "{}: {:#?}",
            self.who.email,
            self.model
        );
        assert_eq!(rights, expected.rights, "the rights of {}: {:#?}", self.who.email, self.model);
    }

    /// Asserts that invoices, charges and refunds match the model.
    pub async fn assert_amounts_match_model(&self, by_pix: i64) {
        let customers = self.provider.list(&format!("/v1/customers?email={}", self.who.email)).await;
        let Some(customer) = customers.first() else {
            return assert!(self.model.payments.is_empty(), "{}: nothing was paid", self.who.email);
        };
        let id = customer["id"].as_str().expect("an id");
        let mut invoices = self.provider.all(&format!("/v1/invoices?customer={id}")).await;
        invoices.retain(|invoice| invoice["status"] == "paid");
        let number = |doc: &Value, field: &str| doc[field].as_i64().expect("a number");
        let mut paid: Vec<_> =
            invoices.iter().map(|doc| (number(doc, "total"), number(doc, "amount_paid"))).collect();
        let mut owed: Vec<_> = self.model.payments.iter().map(|paid| (paid.total, paid.due)).collect();
        paid.sort_unstable();
        owed.sort_unstable();
        assert_eq!(paid, owed, "invoices of {}: {:#?}", self.who.email, self.model);
        assert_eq!(number(customer, "balance"), self.model.balance, "{}: {:#?}", self.who.email, self.model);
        let charges = self.provider.all(&format!("/v1/charges?customer={id}")).await;
        let back: i64 = charges.iter().map(|charge| number(charge, "amount_refunded")).sum();
        assert_eq!(back, self.model.back_by_card, "refunds of {}: {:#?}", self.who.email, self.model);
        assert_eq!(by_pix, self.model.back_by_pix, "Pix for {}: {:#?}", self.who.email, self.model);
    }
}
