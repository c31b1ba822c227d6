-- Billing (design section 7). Rows of the payment provider keep its ids; uids are opaque.

-- One customer of the provider per account. The row is the intent: customer_id comes with the provider's answer.
-- Tickets order the applies of one customer: issued before a read of the provider, applied with its result.
CREATE TABLE customers (
    uid            TEXT    NOT NULL PRIMARY KEY,
    intent_id      TEXT    NOT NULL,
    attempt        INTEGER NOT NULL,
    customer_id    TEXT,
    ticket_issued  INTEGER NOT NULL,
    ticket_applied INTEGER NOT NULL,
    created_at_us  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX customers_customer_id ON customers (customer_id);

-- One purchase that was begun. The row is the intent: session_id comes with the provider's answer.
CREATE TABLE checkouts (
    id                     TEXT    NOT NULL PRIMARY KEY,
    uid                    TEXT    NOT NULL,
    email                  TEXT    NOT NULL,
    plan_id                TEXT    NOT NULL,
    plan_interval          TEXT    NOT NULL,
    coupon_id              TEXT    NOT NULL,
    promo_code             TEXT    NOT NULL,
    price_id               TEXT    NOT NULL,
    price_centavos         INTEGER NOT NULL,
    first_payment_centavos INTEGER NOT NULL,
    attempt                INTEGER NOT NULL,
    session_id             TEXT,
    client_secret          TEXT,
    status                 TEXT    NOT NULL,
    payment_status         TEXT    NOT NULL,
    settled                INTEGER NOT NULL,
    subscription_id        TEXT,
    created_at_us          INTEGER NOT NULL,
    expires_at_us          INTEGER
) STRICT;
CREATE UNIQUE INDEX checkouts_session_id ON checkouts (session_id);
CREATE INDEX checkouts_uid ON checkouts (uid, created_at_us);
CREATE INDEX checkouts_unsettled ON checkouts (uid) WHERE NOT settled;

-- request_id of CreateCheckoutSession: the same id twice acts once.
CREATE TABLE checkout_requests (
    uid           TEXT    NOT NULL,
    request_id    TEXT    NOT NULL,
    checkout_id   TEXT    NOT NULL,
    created_at_us INTEGER NOT NULL,
    PRIMARY KEY (uid, request_id)
) STRICT;

-- The projection: what the provider last said of each subscription, and what money says of it.
CREATE TABLE subscriptions (
    id                   TEXT    NOT NULL PRIMARY KEY,
    uid                  TEXT    NOT NULL,
    plan_id              TEXT    NOT NULL,
    plan_interval        TEXT    NOT NULL,
    coupon_id            TEXT    NOT NULL,
    promo_code           TEXT    NOT NULL,
    price_centavos       INTEGER NOT NULL,
    payment_method       TEXT    NOT NULL,
    provider_status      TEXT    NOT NULL,
    live                 INTEGER NOT NULL,
    retired              TEXT    NOT NULL,
    first_paid_at_us     INTEGER,
    paid_from_us         INTEGER,
    paid_until_us        INTEGER,
    first_charge_at_us   INTEGER,
    renewal              TEXT    NOT NULL,
    renewal_at_us        INTEGER,
    cancel_at_period_end INTEGER NOT NULL,
    ended_at_us          INTEGER,
    created_at_us        INTEGER NOT NULL
) STRICT;
CREATE INDEX subscriptions_uid ON subscriptions (uid, created_at_us);
-- One account has at most one live subscription.
CREATE UNIQUE INDEX subscriptions_live ON subscriptions (uid) WHERE live;

CREATE TABLE invoices (
    id                TEXT    NOT NULL PRIMARY KEY,
    uid               TEXT    NOT NULL,
    subscription_id   TEXT    NOT NULL,
    reason            TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    total_centavos    INTEGER NOT NULL,
    payment_method    TEXT    NOT NULL,
    payment_intent_id TEXT    NOT NULL,
    boleto_line       TEXT    NOT NULL,
    boleto_due_at_us  INTEGER,
    boleto_url        TEXT    NOT NULL,
    receipt_url       TEXT    NOT NULL,
    paid_at_us        INTEGER,
    created_at_us     INTEGER NOT NULL
) STRICT;
CREATE INDEX invoices_uid ON invoices (uid, created_at_us);
CREATE INDEX invoices_subscription ON invoices (subscription_id);

-- Money to give back: by card through the provider, a boleto's by Pix, which the operator pays and marks.
CREATE TABLE refunds (
    id              TEXT    NOT NULL PRIMARY KEY,
    uid             TEXT    NOT NULL,
    subscription_id TEXT    NOT NULL,
    invoice_id      TEXT    NOT NULL,
    amount_centavos INTEGER NOT NULL,
    method          TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    due_at_us       INTEGER,
    created_at_us   INTEGER NOT NULL,
    ended_at_us     INTEGER
) STRICT;
CREATE UNIQUE INDEX refunds_invoice ON refunds (invoice_id);
CREATE INDEX refunds_state ON refunds (state, due_at_us);

-- Raw events, once each. seen_ticket is the customer's last issued ticket when the event was stored: an apply with a
-- later ticket has read what the event announces.
CREATE TABLE events (
    id             TEXT    NOT NULL PRIMARY KEY,
    kind           TEXT    NOT NULL,
    customer_id    TEXT,
    seen_ticket    INTEGER NOT NULL,
    body           BLOB    NOT NULL,
    received_at_us INTEGER NOT NULL
) STRICT;
CREATE INDEX events_received ON events (received_at_us);

-- What was last pushed to the provider's catalogue.
CREATE TABLE catalog_pushes (
    name         TEXT    NOT NULL PRIMARY KEY,
    hash         TEXT    NOT NULL,
    pushed_at_us INTEGER NOT NULL
) STRICT;
CREATE TABLE catalog_prices (
    plan_id        TEXT    NOT NULL,
    plan_interval  TEXT    NOT NULL,
    price_id       TEXT    NOT NULL,
    price_centavos INTEGER NOT NULL,
    PRIMARY KEY (plan_id, plan_interval)
) STRICT;
