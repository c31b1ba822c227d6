"""The lifecycle of a subscription by the provider's Python SDK. By its Node SDK:
`../lifecycle.spec.ts`."""

import unittest

import stripe

from sandbox import Sandbox, until

DAY = 86_400
FROZEN = 1_800_000_000


class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = Sandbox()
        cls.addClassCleanup(cls.sandbox.stop)
        cls.v1 = cls.sandbox.client.v1

    def open_shop(self, email, clock=None):
        product = self.v1.products.create({"name": "Elite Nível 2", "metadata": {"plan": "elite_nivel_2"}})
        price = self.v1.prices.create(
            {
                "currency": "brl",
                "product": product.id,
                "unit_amount": 21_790,
                "recurring": {"interval": "day", "interval_count": 30},
            }
        )
        customer = {"email": email, "name": "Ana Souza", "preferred_locales": ["pt-BR"]}
        if clock:
            customer["test_clock"] = clock.id
        return price, self.v1.customers.create(customer)

    def buy(self, email, card="4242424242424242", clock=None):
        price, customer = self.open_shop(email, clock)
        session = self.v1.checkout.sessions.create(
            {
                "mode": "subscription",
                "ui_mode": "embedded_page",
                "redirect_on_completion": "never",
                "customer": customer.id,
                "line_items": [{"price": price.id, "quantity": 1}],
                "allowed_payment_method_types": ["card", "boleto"],
                "metadata": {"uid": "u1"},
            }
        )
        self.assertIsInstance(session, stripe.checkout.Session)
        self.sandbox.act(f"/_test/checkout/{session.id}", {"card": card})
        return self.v1.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "invoice.payments"]})

    def advance(self, clock, to):
        begun = self.v1.test_helpers.test_clocks.advance(clock.id, {"frozen_time": to})
        self.assertEqual(begun.status, "advancing")

        def ready():
            now = self.v1.test_helpers.test_clocks.retrieve(clock.id)
            return now if now.status == "ready" else None

        return until(ready, "the test clock is ready")

    def intent_of(self, invoice):
        payment = invoice.payments.data[0]
        self.assertIsInstance(payment, stripe.InvoicePayment)
        return payment.payment.payment_intent

    def test_a_subscription_is_bought_renewed_and_refunded(self):
        clock = self.v1.test_helpers.test_clocks.create({"frozen_time": FROZEN})
        bought = self.buy("ciclo@exemplo.com.br", clock=clock)
        subscription = bought.subscription
        end = subscription["items"].data[0].current_period_end

        self.advance(clock, end)
        draft = self.v1.invoices.list({"subscription": subscription.id, "status": "draft"}).data[0]
        self.advance(clock, end + 3_600)
        paid = self.v1.invoices.retrieve(draft.id, {"expand": ["payments"]})
        renewed = self.v1.subscriptions.retrieve(subscription.id)
        refund = self.v1.refunds.create(
            {"payment_intent": self.intent_of(paid), "reason": "requested_by_customer"}
        )
        charge = self.v1.charges.retrieve(refund.charge)

        self.assertIsInstance(subscription, stripe.Subscription)
        self.assertEqual((bought.status, bought.payment_status, subscription.status), ("complete", "paid", "active"))
        self.assertEqual((subscription.test_clock, end), (clock.id, FROZEN + 30 * DAY))
        self.assertIsInstance(paid, stripe.Invoice)
        self.assertEqual((paid.billing_reason, paid.status, paid.amount_paid), ("subscription_cycle", "paid", 21_790))
        self.assertEqual(renewed["items"].data[0].current_period_end, end + 30 * DAY)
        self.assertIsInstance(refund, stripe.Refund)
        self.assertEqual((refund.status, refund.amount), ("succeeded", 21_790))
        self.assertIsInstance(charge, stripe.Charge)
        self.assertEqual((charge.refunded, charge.amount_refunded, charge.paid), (True, 21_790, True))

    def test_a_disputed_payment_cannot_be_refunded_and_the_dispute_is_lost(self):
        bought = self.buy("contesta@exemplo.com.br", card="4000000000000259")
        intent = self.v1.payment_intents.retrieve(self.intent_of(bought.invoice))
        dispute = until(
            lambda: next(iter(self.v1.disputes.list({"payment_intent": intent.id}).data), None), "the dispute"
        )
        with self.assertRaises(stripe.InvalidRequestError):
            self.v1.refunds.create({"payment_intent": intent.id})
        lost = self.v1.disputes.update(
            dispute.id, {"evidence": {"uncategorized_text": "losing_evidence"}, "submit": True}
        )

        self.assertIsInstance(intent, stripe.PaymentIntent)
        self.assertIsInstance(dispute, stripe.Dispute)
        self.assertEqual((dispute.status, dispute.charge), ("needs_response", intent.latest_charge))
        self.assertEqual(lost.status, "lost")
        self.assertTrue(self.v1.charges.retrieve(intent.latest_charge).disputed)

    def test_an_unknown_object_raises_an_exception_of_the_sdk(self):
        with self.assertRaises(stripe.InvalidRequestError) as missing:
            self.v1.customers.retrieve("cus_nada")

        self.assertEqual((missing.exception.http_status, missing.exception.code), (404, "resource_missing"))


if __name__ == "__main__":
    unittest.main()
