-- What each paid invoice pays for, as it was when its payment was first seen: revenue of past months is read from here,
-- since a subscription's row only tells its present plan and price.
CREATE TABLE paid_periods (
    invoice_id      TEXT    NOT NULL PRIMARY KEY,
    uid             TEXT    NOT NULL,
    subscription_id TEXT    NOT NULL,
    plan_id         TEXT    NOT NULL,
    plan_interval   TEXT    NOT NULL,
    price_centavos  INTEGER NOT NULL,
    from_us         INTEGER NOT NULL,
    until_us        INTEGER NOT NULL
) STRICT;
CREATE INDEX paid_periods_uid ON paid_periods (uid, from_us, invoice_id);

-- The Pix end-to-end id of a refund that the operator paid, or a note.
ALTER TABLE refunds ADD COLUMN paid_note TEXT;

-- What the operator looks at by account.
CREATE INDEX events_customer ON events (customer_id, received_at_us) WHERE customer_id IS NOT NULL;
CREATE INDEX refunds_uid ON refunds (uid);
-- What is not final, which reconciliation asks for every ten minutes.
CREATE INDEX invoices_open ON invoices (uid) WHERE status IN ('draft', 'open');
