-- The rest of a subscription's life (design section 7): cancelled, given back, disputed.

-- A wish to cancel with its reason: kept before the provider is told. One request id acts once.
CREATE TABLE cancellations (
    id              TEXT    NOT NULL PRIMARY KEY,
    uid             TEXT    NOT NULL,
    subscription_id TEXT    NOT NULL,
    request_id      TEXT,
    reason          TEXT    NOT NULL,
    told            BOOLEAN NOT NULL,
    created_at_us   BIGINT  NOT NULL
);
CREATE INDEX cancellations_uid ON cancellations (uid, created_at_us);
CREATE UNIQUE INDEX cancellations_request ON cancellations (uid, request_id) WHERE request_id IS NOT NULL;

-- Several payments of one request share its protocol number; the provider's own id of a refund by card.
ALTER TABLE refunds ADD COLUMN protocol TEXT;
ALTER TABLE refunds ADD COLUMN request_id TEXT;
ALTER TABLE refunds ADD COLUMN provider_id TEXT;
CREATE INDEX refunds_protocol ON refunds (protocol);

-- What was charged after credit (NULL: the total), what of it was given back, and its dispute: '', open, lost or won.
ALTER TABLE invoices ADD COLUMN amount_due_centavos BIGINT;
ALTER TABLE invoices ADD COLUMN refunded_centavos BIGINT NOT NULL DEFAULT 0;
ALTER TABLE invoices ADD COLUMN dispute TEXT NOT NULL DEFAULT '';
ALTER TABLE invoices ADD COLUMN plan_id TEXT NOT NULL DEFAULT '';
ALTER TABLE invoices ADD COLUMN plan_interval TEXT NOT NULL DEFAULT '';

-- Since when the money of the current period is disputed, and when it was given back or lost.
ALTER TABLE subscriptions ADD COLUMN disputed_at_us BIGINT;
ALTER TABLE subscriptions ADD COLUMN returned_at_us BIGINT;
