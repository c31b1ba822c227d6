-- The schema of version 0.3.0. A later version adds a migration with a higher number and leaves
-- this file as it is, because every database stores its checksum (docs/decisions.md).
--
-- What holds for all tables:
-- * A column `…_us` is an instant in microseconds since 1970-01-01 UTC. It is of the product's
--   clock, which the sandbox can move forward, unless a comment names another clock.
-- * A column `…_centavos` is an amount in Brazilian centavos.
-- * `uid` is the opaque id of an account. Tables that outlive the account have no foreign key.
-- * Ids of the payment provider keep its form: `cus_…`, `sub_…`, `in_…`, `pi_…`, `evt_…`.
-- * NULL means that a value is absent or not known yet. In a text column that is NOT NULL, an empty
--   text means none.
-- * A column with a comment "Whether …" is 0 or 1.
-- * `Owner` is the module of server/src/store whose statements write the table.
-- * `Kept` is the retention, counted as docs/operation.md states ("What is kept how long").

-- == The database ================================================================================

-- One row: the random id of this database. A copy has the same id, so that a restore recognises a
-- backup of this database.
-- Owner: this migration; engine/store.rs reads it. Kept: without end.
CREATE TABLE database_identity (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  -- 32 hexadecimal digits.
  database_id TEXT    NOT NULL
) STRICT;
INSERT INTO database_identity (id, database_id) VALUES (1, lower(hex(randomblob(16))));

-- A row is a migration under which an older program would work incorrectly. The migration inserts
-- the row. A migration without a row only adds, so every program that knows this table works on it.
-- Owner: the migrations; engine/migration.rs reads it. Kept: without end.
CREATE TABLE schema_requirements (
  migration        INTEGER PRIMARY KEY,
  -- The newest migration that a program must know at least.
  oldest_migration INTEGER NOT NULL
) STRICT;

-- A row is a secret key that the product generated at its first start, for instance the key of the
-- hashes of emails.
-- Owner: identity/hash_keys.rs. Kept: without end.
CREATE TABLE hash_keys (
  name  TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- == Accounts and sessions =======================================================================

-- A row is an account with its user record. A change of the account or of its subscription locks
-- this row first and raises `revision`.
-- Owner: identity/accounts.rs. Kept: until the account is deleted.
CREATE TABLE accounts (
  uid                   TEXT    NOT NULL PRIMARY KEY,
  -- In lower case.
  email                 TEXT    NOT NULL,
  -- Whether the owner confirmed the email by a mailed link.
  email_verified        INTEGER NOT NULL,
  -- When the unconfirmed email was last corrected. Payments before it do not show that the address
  -- is the account's.
  email_corrected_at_us INTEGER,
  -- Argon2 hash as a PHC string; NULL if an external identity provider stores the password.
  password_hash         TEXT,
  -- ID tokens of an external identity provider are valid only if the password was entered after
  -- this instant; whole seconds, as the tokens have them.
  tokens_valid_since_us INTEGER NOT NULL DEFAULT 0,
  display_name          TEXT    NOT NULL,
  first_name            TEXT,
  last_name             TEXT,
  -- 10 or 11 digits without the country code.
  phone                 TEXT,
  photo_url             TEXT,
  -- Keyed hash of the canonical email, which identifies the person.
  person_hash           TEXT    NOT NULL,
  -- Whether another account of the same person had the trial.
  trial_used_before     INTEGER NOT NULL,
  -- Code of the promotion of the sign-up, until its owner removes it.
  promo_code            TEXT,
  -- When the owner last removed a promotion.
  promo_removed_at_us   INTEGER,
  -- The last answer about advertising, when it was given, and the version of the text.
  consent_given         INTEGER,
  consent_at_us         INTEGER,
  consent_text_version  TEXT,
  created_at_us         INTEGER NOT NULL,
  revision              INTEGER NOT NULL
) STRICT;
-- Sign-in by email. An email has one account.
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- A row is a session of an account. Times are of the clock by which sessions age, which the sandbox
-- may leave behind the product's clock.
-- Owner: identity/sessions.rs. Kept: 30 days after the last use.
CREATE TABLE sessions (
  id             TEXT    NOT NULL PRIMARY KEY,
  -- SHA-256 of the token. The token itself is not stored.
  token_hash     BLOB    NOT NULL,
  uid            TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  -- As the gateway reports them.
  user_agent     TEXT,
  client_address TEXT,
  created_at_us  INTEGER NOT NULL,
  -- Last use, rounded to the hour.
  seen_at_us     INTEGER NOT NULL
) STRICT;
-- Every call with a cookie.
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
-- The list of an account's devices.
CREATE INDEX sessions_uid ON sessions (uid);
-- Retention.
CREATE INDEX sessions_seen ON sessions (seen_at_us);

-- A row is an ID token that was issued for a session. Times are of the clock by which sessions age.
-- Owner: identity/sessions.rs. Kept: 30 days after the last use of its session.
CREATE TABLE id_tokens (
  -- SHA-256 of the token.
  token_hash    BLOB    NOT NULL PRIMARY KEY,
  session_id    TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at_us INTEGER NOT NULL
) STRICT;
-- Deletion of a session, and retention.
CREATE INDEX id_tokens_session ON id_tokens (session_id);

-- A row is an ID token of an external identity provider that was signed out before it expired.
-- Owner: identity/ended_tokens.rs. Kept: 1 day after its expiry.
CREATE TABLE ended_tokens (
  -- Hash of the token.
  id         TEXT    NOT NULL PRIMARY KEY,
  -- Expiry of the token, in real time.
  ends_at_us INTEGER NOT NULL
) STRICT;
-- Retention.
CREATE INDEX ended_tokens_end ON ended_tokens (ends_at_us);

-- A row is a token of an internal caller.
-- Owner: identity/service_tokens.rs. Kept: without end, because the audit trail names it.
CREATE TABLE service_tokens (
  -- `svc_…`, used to revoke it.
  id            TEXT    NOT NULL PRIMARY KEY,
  -- The service that uses it.
  name          TEXT    NOT NULL,
  -- SHA-256 of the token.
  token_hash    BLOB    NOT NULL,
  -- Names of scopes, separated by blanks.
  scopes        TEXT    NOT NULL,
  created_at_us INTEGER NOT NULL,
  -- Last use, rounded to the minute.
  used_at_us    INTEGER,
  revoked_at_us INTEGER
) STRICT;
-- Every call with a service token.
CREATE UNIQUE INDEX service_tokens_token ON service_tokens (token_hash);

-- A row is a mailed code that sets a new password and was not used yet.
-- Owner: identity/mailed_codes.rs. Kept: 30 days after its expiry.
CREATE TABLE password_resets (
  -- SHA-256 of the code.
  code_hash       BLOB    NOT NULL PRIMARY KEY,
  uid             TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  requested_at_us INTEGER NOT NULL,
  ends_at_us      INTEGER NOT NULL
) STRICT;
-- A new or used code deletes the account's other codes.
CREATE INDEX password_resets_uid ON password_resets (uid);
-- Retention.
CREATE INDEX password_resets_end ON password_resets (ends_at_us);

-- A row is a mailed code that confirms an email and was not used yet.
-- Owner: identity/mailed_codes.rs. Kept: 30 days after its expiry.
CREATE TABLE email_confirmations (
  -- SHA-256 of the code.
  code_hash       BLOB    NOT NULL PRIMARY KEY,
  uid             TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  requested_at_us INTEGER NOT NULL,
  ends_at_us      INTEGER NOT NULL
) STRICT;
-- A new or used code deletes the account's other codes.
CREATE INDEX email_confirmations_uid ON email_confirmations (uid);
-- Retention.
CREATE INDEX email_confirmations_end ON email_confirmations (ends_at_us);

-- A row is the counter of attempts of one subject at one limit.
-- Owner: identity/limits.rs. Kept: until its window ends.
CREATE TABLE limits (
  -- Name of the limit, and a hash, because the subject is an email or an address.
  key        TEXT    NOT NULL PRIMARY KEY,
  -- Attempts in this window.
  taken      INTEGER NOT NULL,
  -- End of the window, which began with the first attempt.
  ends_at_us INTEGER NOT NULL
) STRICT;
-- Retention.
CREATE INDEX limits_end ON limits (ends_at_us);

-- A row is an event that concerns the security of an account. It contains no email.
-- Owner: identity/audit_events.rs. Kept: 365 days.
CREATE TABLE audit_events (
  -- `aud_…`
  id             TEXT    NOT NULL PRIMARY KEY,
  at_us          INTEGER NOT NULL,
  kind           TEXT    NOT NULL,
  -- The account, if known.
  uid            TEXT,
  -- Keyed hash of the email, if no account has it.
  email_hash     TEXT,
  -- As the gateway reports it.
  client_address TEXT,
  -- Description of the device.
  device         TEXT    NOT NULL,
  -- Id of the request, as in the log.
  request_id     TEXT    NOT NULL
) STRICT;
-- Retention, and the newest events.
CREATE INDEX audit_events_at ON audit_events (at_us);
-- The events of an account.
CREATE INDEX audit_events_uid ON audit_events (uid, at_us);
-- The attempts with an email without an account.
CREATE INDEX audit_events_email ON audit_events (email_hash, at_us) WHERE email_hash IS NOT NULL;

-- A row is a deleted account. The keyed hash of its email stays, so that no payer with this email
-- gets an account again without the operator, and the operator finds the deletion.
-- Owner: identity/deletions.rs. Kept: without end, as the proof of the deletion.
CREATE TABLE deletions (
  -- `del_…`, the number that the owner was given.
  protocol      TEXT    NOT NULL PRIMARY KEY,
  uid           TEXT    NOT NULL,
  email_hash    TEXT    NOT NULL,
  -- Whether the account had confirmed its address.
  confirmed     INTEGER NOT NULL DEFAULT TRUE,
  -- Whether the account had confirmed its address or paid. Only then the owner of the address is
  -- known to have had the account.
  proven        INTEGER NOT NULL DEFAULT TRUE,
  deleted_at_us INTEGER NOT NULL
) STRICT;
-- Whether an account was deleted. An account is deleted once.
CREATE UNIQUE INDEX deletions_uid ON deletions (uid);
-- Whether an account with this email was deleted.
CREATE INDEX deletions_email ON deletions (email_hash);

-- == Catalogue ===================================================================================

-- One row, named `catalog`: the last complete push to the payment provider's catalogue.
-- Owner: billing/catalog_pushes.rs. Kept: until the next push.
CREATE TABLE catalog_pushes (
  name         TEXT    NOT NULL PRIMARY KEY,
  -- Hash of the pushed catalogue.
  hash         TEXT    NOT NULL,
  pushed_at_us INTEGER NOT NULL
) STRICT;

-- A row is a pushed price of a plan and an interval.
-- Owner: billing/catalog_pushes.rs. Kept: until the next push.
CREATE TABLE catalog_prices (
  plan_id        TEXT    NOT NULL,
  plan_interval  TEXT    NOT NULL,
  -- The provider's id, `price_…`.
  price_id       TEXT    NOT NULL,
  -- Amount of each period.
  price_centavos INTEGER NOT NULL,
  PRIMARY KEY (plan_id, plan_interval)
) STRICT;

-- == Purchases and subscriptions =================================================================

-- A row is an account's customer at the payment provider. It is stored before the customer is
-- created there. Tickets order the reads of the customer: a ticket is issued before a read and
-- applied with its result.
-- Owner: billing/customers.rs. Kept: without end; the customer's id until the deletion of the
-- account is finished.
CREATE TABLE customers (
  uid              TEXT    NOT NULL PRIMARY KEY,
  -- Our id of the intent and number of the attempt, together the idempotency key.
  intent_id        TEXT    NOT NULL,
  attempt          INTEGER NOT NULL,
  -- `cus_…`; NULL until the provider's response is stored.
  customer_id      TEXT,
  -- The last ticket that was issued, and the highest one whose read was stored.
  ticket_issued    INTEGER NOT NULL,
  ticket_applied   INTEGER NOT NULL,
  -- Balance at the provider between invoices; negative is credit.
  balance_centavos INTEGER NOT NULL DEFAULT 0,
  -- The default card that was handled last, `pm_…`; NULL before the first read.
  default_card     TEXT,
  -- How often the default card changed.
  card_changes     INTEGER NOT NULL DEFAULT 0,
  -- Ids of subscriptions that somebody made at the provider without our metadata, separated by
  -- blanks.
  made_by_hand     TEXT    NOT NULL DEFAULT '',
  created_at_us    INTEGER NOT NULL
) STRICT;
-- The account of an event, which names the customer.
CREATE UNIQUE INDEX customers_customer_id ON customers (customer_id);

-- A row is a checkout. It is stored before the session is opened at the provider.
-- Owner: billing/checkouts.rs. Kept: a paid one without end; an abandoned one 30 days after its
-- start. One without a response of the provider counts as abandoned after 1 day.
CREATE TABLE checkouts (
  -- `chk_…`
  id                     TEXT    NOT NULL PRIMARY KEY,
  uid                    TEXT    NOT NULL,
  -- Email of the account when the checkout began.
  email                  TEXT    NOT NULL,
  plan_id                TEXT    NOT NULL,
  plan_interval          TEXT    NOT NULL,
  -- Coupon of the first payment, and the promotion code as typed.
  coupon_id              TEXT    NOT NULL,
  promo_code             TEXT    NOT NULL,
  -- The provider's id, `price_…`, and the regular price of each period.
  price_id               TEXT    NOT NULL,
  price_centavos         INTEGER NOT NULL,
  -- Amount of the first payment by our prices when the checkout began.
  quoted_centavos        INTEGER NOT NULL,
  -- Amount of the first payment: the provider's once the session is open, until then ours.
  first_payment_centavos INTEGER NOT NULL,
  -- Number of the attempt to open the session; with the id the idempotency key.
  attempt                INTEGER NOT NULL,
  -- `cs_…`, and the secret for the provider's script in the browser; NULL until the provider's
  -- response is stored.
  session_id             TEXT,
  client_secret          TEXT,
  -- intent, open, complete, expired or failed.
  status                 TEXT    NOT NULL,
  -- unpaid or paid.
  payment_status         TEXT    NOT NULL,
  -- Whether the checkout can no longer change.
  settled                INTEGER NOT NULL,
  -- The subscription that it created.
  subscription_id        TEXT,
  created_at_us          INTEGER NOT NULL,
  -- Expiry of the session.
  expires_at_us          INTEGER
) STRICT;
-- The checkout of a session that an event or the visitor names.
CREATE UNIQUE INDEX checkouts_session_id ON checkouts (session_id);
-- The newest checkouts of an account.
CREATE INDEX checkouts_uid ON checkouts (uid, created_at_us);
-- The open checkouts, for reconciliation every ten minutes.
CREATE INDEX checkouts_unsettled ON checkouts (uid) WHERE NOT settled;
-- Retention.
CREATE INDEX checkouts_abandoned ON checkouts (created_at_us) WHERE settled AND payment_status = 'unpaid';

-- A row is the id that a caller gave a CreateCheckoutSession call, so that a repeated call returns
-- the same checkout.
-- Owner: billing/checkouts.rs. Kept: 30 days.
CREATE TABLE checkout_requests (
  uid           TEXT    NOT NULL,
  request_id    TEXT    NOT NULL,
  checkout_id   TEXT    NOT NULL,
  created_at_us INTEGER NOT NULL,
  PRIMARY KEY (uid, request_id)
) STRICT;
-- Retention.
CREATE INDEX checkout_requests_created ON checkout_requests (created_at_us);

-- A row is the projection of a subscription at the provider, and of its payments.
-- Owner: billing/subscriptions.rs. Kept: without end, because it explains the invoices.
CREATE TABLE subscriptions (
  -- `sub_…`
  id                   TEXT    NOT NULL PRIMARY KEY,
  uid                  TEXT    NOT NULL,
  plan_id              TEXT    NOT NULL,
  plan_interval        TEXT    NOT NULL,
  -- Coupon of the first payment, and the promotion code as typed.
  coupon_id            TEXT    NOT NULL,
  promo_code           TEXT    NOT NULL,
  -- Regular price of each period.
  price_centavos       INTEGER NOT NULL,
  -- card or boleto; empty before a payment began.
  payment_method       TEXT    NOT NULL,
  -- The provider's status.
  provider_status      TEXT    NOT NULL,
  -- Whether it is the account's live subscription.
  live                 INTEGER NOT NULL,
  -- Why another subscription replaced it: duplicate, replaced or empty.
  retired              TEXT    NOT NULL,
  first_paid_at_us     INTEGER,
  -- The last paid period.
  paid_from_us         INTEGER,
  paid_until_us        INTEGER,
  -- When the first charge is due, if it falls on the end of the trial.
  first_charge_at_us   INTEGER,
  -- Unpaid invoice of the renewal: open, failed (since when) or voucher (its expiry).
  renewal              TEXT    NOT NULL,
  renewal_at_us        INTEGER,
  -- Since when the payment of the last paid period is disputed.
  disputed_at_us       INTEGER,
  -- When that payment was refunded or lost, or its refund was requested.
  returned_at_us       INTEGER,
  -- When the credit of plan changes of a returned subscription was ended at the provider.
  credit_ended_at_us   INTEGER,
  cancel_at_period_end INTEGER NOT NULL,
  ended_at_us          INTEGER,
  -- The last sweep of reconciliation in which the provider listed it.
  swept                INTEGER NOT NULL DEFAULT 0,
  created_at_us        INTEGER NOT NULL
) STRICT;
-- The subscriptions of an account.
CREATE INDEX subscriptions_uid ON subscriptions (uid, created_at_us);
-- An account has at most one live subscription.
CREATE UNIQUE INDEX subscriptions_live ON subscriptions (uid) WHERE live;

-- A row is the projection of an invoice at the provider, with its open boleto.
-- Owner: billing/invoices.rs. Kept: without end: tax law requires at least five years.
CREATE TABLE invoices (
  -- `in_…`
  id                       TEXT    NOT NULL PRIMARY KEY,
  uid                      TEXT    NOT NULL,
  subscription_id          TEXT    NOT NULL,
  -- Plan and interval that it charges for.
  plan_id                  TEXT    NOT NULL DEFAULT '',
  plan_interval            TEXT    NOT NULL DEFAULT '',
  -- Number printed on the invoice and its receipt; empty for a draft.
  number                   TEXT    NOT NULL DEFAULT '',
  -- Why the provider created it, and the provider's status.
  reason                   TEXT    NOT NULL,
  status                   TEXT    NOT NULL,
  -- Total before credit.
  total_centavos           INTEGER NOT NULL,
  -- Amount to pay after credit.
  amount_due_centavos      INTEGER NOT NULL,
  -- Amount that was refunded, or lost in a dispute.
  refunded_centavos        INTEGER NOT NULL DEFAULT 0,
  -- Amount below the boleto minimum that was moved to the next invoice.
  carried_centavos         INTEGER NOT NULL DEFAULT 0,
  -- Credit that paid the second of two purchases and was given back.
  credit_returned_centavos INTEGER NOT NULL DEFAULT 0,
  -- card or boleto; empty before a payment began.
  payment_method           TEXT    NOT NULL,
  -- `pi_…`, and the newest charge of the payment, `ch_…` or `py_…`.
  payment_intent_id        TEXT    NOT NULL,
  charge_id                TEXT    NOT NULL DEFAULT '',
  -- The 47 digits of the boleto's digitable line, its expiry, and the provider's page of it.
  boleto_line              TEXT    NOT NULL,
  boleto_due_at_us         INTEGER,
  boleto_url               TEXT    NOT NULL,
  -- The provider's page of the receipt.
  receipt_url              TEXT    NOT NULL,
  -- The card whose payment the payer must authenticate, `pm_…`.
  authentication           TEXT    NOT NULL DEFAULT '',
  -- Disputes of the payment: open, lost, won or empty.
  dispute                  TEXT    NOT NULL DEFAULT '',
  -- Deadline to answer a dispute; NULL unless the payer's bank waits for our answer.
  dispute_answer_by_us     INTEGER,
  -- Next attempt to collect it; NULL if none is scheduled.
  next_attempt_at_us       INTEGER,
  paid_at_us               INTEGER,
  created_at_us            INTEGER NOT NULL
) STRICT;
-- The invoices of an account.
CREATE INDEX invoices_uid ON invoices (uid, created_at_us);
-- The invoices of a subscription.
CREATE INDEX invoices_subscription ON invoices (subscription_id);
-- The invoices that are not final, for reconciliation every ten minutes.
CREATE INDEX invoices_open ON invoices (uid) WHERE status IN ('draft', 'open');
-- Events about refunds and disputes, which name a payment and no customer.
CREATE INDEX invoices_payment ON invoices (payment_intent_id);

-- A row is the period that a paid invoice pays for, as it was when its payment was first read.
-- Revenue of past months is read from it, because a subscription has only its present plan.
-- Owner: billing/paid_periods.rs. Kept: without end.
CREATE TABLE paid_periods (
  invoice_id      TEXT    NOT NULL PRIMARY KEY,
  uid             TEXT    NOT NULL,
  subscription_id TEXT    NOT NULL,
  plan_id         TEXT    NOT NULL,
  plan_interval   TEXT    NOT NULL,
  -- Regular price of such a period. The invoice may have charged another amount.
  price_centavos  INTEGER NOT NULL,
  -- Begin and end of the period.
  from_us         INTEGER NOT NULL,
  until_us        INTEGER NOT NULL
) STRICT;
-- The periods of an account, and the pages of the revenue report.
CREATE INDEX paid_periods_uid ON paid_periods (uid, from_us, invoice_id);

-- A row is a refund: of a card through the provider, of a boleto by Pix, which the operator pays.
-- Owner: billing/refunds.rs, operator/refund_marks.rs. Kept: without end, as invoices; the Pix key
-- 7 days after the refund was marked as paid.
CREATE TABLE refunds (
  -- `ref_…`
  id              TEXT    NOT NULL PRIMARY KEY,
  uid             TEXT    NOT NULL,
  subscription_id TEXT    NOT NULL,
  invoice_id      TEXT    NOT NULL,
  -- Number that the person was sent. The refunds of one request share it; NULL stands for the id.
  protocol        TEXT,
  -- Id that the caller gave its request.
  request_id      TEXT,
  amount_centavos INTEGER NOT NULL,
  -- card or pix.
  method          TEXT    NOT NULL,
  -- guarantee, deleted, duplicate or after_end.
  reason          TEXT    NOT NULL,
  -- requested or paid.
  state           TEXT    NOT NULL,
  -- Date until which the operator must pay a Pix.
  due_at_us       INTEGER,
  -- Email that serves as the Pix key.
  pix_key         TEXT,
  -- End-to-end id of the Pix that the operator paid, or a note.
  paid_note       TEXT,
  -- The provider's refund of a card payment, `re_…`.
  provider_id     TEXT,
  created_at_us   INTEGER NOT NULL,
  ended_at_us     INTEGER
) STRICT;
-- An invoice has at most one refund.
CREATE UNIQUE INDEX refunds_invoice ON refunds (invoice_id);
-- The requested refunds, earliest deadline first.
CREATE INDEX refunds_state ON refunds (state, due_at_us);
-- The refunds of a protocol number.
CREATE INDEX refunds_protocol ON refunds (protocol);
-- The refunds of an account.
CREATE INDEX refunds_uid ON refunds (uid);

-- A row is a requested cancellation. It is stored before the provider is called.
-- Owner: billing/cancellations.rs. Kept: without end; the reason until the account is deleted.
CREATE TABLE cancellations (
  -- `can_…`
  id              TEXT    NOT NULL PRIMARY KEY,
  uid             TEXT    NOT NULL,
  subscription_id TEXT    NOT NULL,
  -- Id that the caller gave its request.
  request_id      TEXT,
  -- As typed.
  reason          TEXT    NOT NULL,
  -- Whether it is settled: the provider has it, or the subscription was resumed.
  told            INTEGER NOT NULL,
  created_at_us   INTEGER NOT NULL
) STRICT;
-- The cancellations of an account.
CREATE INDEX cancellations_uid ON cancellations (uid, created_at_us);
-- A repeated request acts once.
CREATE UNIQUE INDEX cancellations_request ON cancellations (uid, request_id) WHERE request_id IS NOT NULL;

-- A row is a previewed plan change. A call claims it before it calls the provider.
-- Owner: billing/plan_changes.rs. Kept: a finished one without end; an unused preview 30 days.
CREATE TABLE plan_changes (
  -- `plc_…`
  id                      TEXT    NOT NULL PRIMARY KEY,
  uid                     TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  -- SHA-256 of the preview's token.
  token_hash              BLOB    NOT NULL,
  -- Id that the caller gave the call that claimed it.
  request_id              TEXT,
  subscription_id         TEXT    NOT NULL,
  -- Item of the subscription at the provider, `si_…`.
  item_id                 TEXT    NOT NULL,
  -- The subscription at the preview: price, period, balance (negative is credit), and whether it
  -- was cancelled at the period's end. The preview holds only while these are unchanged.
  from_price_id           TEXT    NOT NULL,
  from_period_start_at_us INTEGER NOT NULL,
  from_period_end_at_us   INTEGER NOT NULL,
  from_balance_centavos   INTEGER NOT NULL,
  from_cancels            INTEGER NOT NULL,
  -- Plan, interval and price to change to.
  plan_id                 TEXT    NOT NULL,
  plan_interval           TEXT    NOT NULL,
  price_id                TEXT    NOT NULL,
  -- Whether the change undoes a cancellation at the end of the period.
  renews_again            INTEGER NOT NULL,
  -- Instant from which unused and remaining time are prorated.
  counts_from_at_us       INTEGER NOT NULL,
  -- Total of the change's invoice, and the part of it that is charged.
  total_centavos          INTEGER NOT NULL,
  due_centavos            INTEGER NOT NULL,
  -- previewed, claimed, confirming, declined, done or expired.
  state                   TEXT    NOT NULL,
  -- Number of the attempt at the provider; with the id the idempotency key.
  attempt                 INTEGER NOT NULL,
  -- The bank's reason for the last decline.
  decline_code            TEXT    NOT NULL,
  -- The invoice that the change created, and the amount that was charged.
  invoice_id              TEXT,
  charged_centavos        INTEGER,
  created_at_us           INTEGER NOT NULL,
  -- Expiry of the preview.
  expires_at_us           INTEGER NOT NULL,
  -- End of the time in which the payer can confirm the payment at the bank; NULL if not needed.
  confirm_until_us        INTEGER
) STRICT;
-- The preview of a token.
CREATE UNIQUE INDEX plan_changes_token ON plan_changes (token_hash);
-- A repeated request acts once.
CREATE UNIQUE INDEX plan_changes_request ON plan_changes (uid, request_id) WHERE request_id IS NOT NULL;
-- The plan changes of an account.
CREATE INDEX plan_changes_uid ON plan_changes (uid, created_at_us);
-- Retention.
CREATE INDEX plan_changes_created ON plan_changes (created_at_us);

-- A row is our attempt to pay an open invoice with a card that became the customer's default.
-- Owner: billing/card_payments.rs. Kept: without end, because a repeated attempt would charge
-- twice.
CREATE TABLE card_payments (
  invoice_id        TEXT    NOT NULL,
  -- The card at the provider, `pm_…`.
  payment_method_id TEXT    NOT NULL,
  -- The change of the default card that caused it, as customers.card_changes counts them.
  card_change       INTEGER NOT NULL,
  -- Part of the idempotency key.
  attempt           INTEGER NOT NULL,
  -- paid, declined, authentication or refused; empty until the provider's response is stored.
  outcome           TEXT    NOT NULL,
  created_at_us     INTEGER NOT NULL,
  PRIMARY KEY (invoice_id, payment_method_id)
) STRICT;

-- A row is a benefit that a person gets once. A person is the keyed hash of the canonical address
-- of an email.
-- Owner: billing/person_benefits.rs. Kept: without end, also after the account is deleted, because
-- the person would otherwise receive the benefit again.
CREATE TABLE person_benefits (
  person_hash TEXT    NOT NULL,
  -- trial, first_coupon, or first_subscription, which alone has the guarantee.
  benefit     TEXT    NOT NULL,
  -- The account that has it.
  uid         TEXT    NOT NULL,
  given_at_us INTEGER NOT NULL,
  PRIMARY KEY (person_hash, benefit)
) STRICT;
-- The benefits of an account.
CREATE INDEX person_benefits_uid ON person_benefits (uid);

-- A row is a change of an account's entitlements: the feed behind WatchEntitlements. The order of
-- `seq` is the order of the commits.
-- Owner: billing/entitlement_changes.rs. Kept: the latest row of an account without end; earlier
-- ones, and the row of a deleted account, 8 days.
CREATE TABLE entitlement_changes (
  seq               INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  uid               TEXT    NOT NULL,
  -- Whether it is the latest row of the account.
  latest            INTEGER NOT NULL,
  -- Plan whose limits hold; NULL once the account is deleted.
  plan_id           TEXT,
  -- free, or the status of the subscription or trial; empty once the account is deleted.
  status            TEXT    NOT NULL,
  -- payment_failed, boleto_unpaid, no_renewal_result or payment_disputed; NULL unless suspended.
  suspended_reason  TEXT,
  valid_until_us    INTEGER,
  -- Next change that time alone causes.
  next_change_at_us INTEGER,
  -- accounts.revision at the change.
  revision          INTEGER NOT NULL,
  at_us             INTEGER NOT NULL
) STRICT;
-- The current entitlements of an account, which has one latest row.
CREATE UNIQUE INDEX entitlement_changes_latest ON entitlement_changes (uid) WHERE latest;
-- Retention.
CREATE INDEX entitlement_changes_at ON entitlement_changes (at_us);

-- == The payment provider ========================================================================

-- A row is a raw event of the payment provider.
-- Owner: billing/events.rs. Kept: 90 days; the body until the deletion of the account is finished.
CREATE TABLE events (
  -- `evt_…`
  id             TEXT    NOT NULL PRIMARY KEY,
  -- Type, for instance invoice.paid.
  kind           TEXT    NOT NULL,
  customer_id    TEXT,
  -- The customer's last issued ticket when the event was stored. A sync with a later ticket has
  -- read the change that the event reports.
  seen_ticket    INTEGER NOT NULL,
  -- As signed; empty if the personal data was deleted.
  body           BLOB    NOT NULL,
  received_at_us INTEGER NOT NULL
) STRICT;
-- Retention, and the newest events.
CREATE INDEX events_received ON events (received_at_us);
-- The events of a customer.
CREATE INDEX events_customer ON events (customer_id, received_at_us) WHERE customer_id IS NOT NULL;

-- At most one row: the account at the provider that this database belongs to, stored when the
-- provider was first reached.
-- Owner: billing/provider_account.rs. Kept: while it applies.
CREATE TABLE provider_account (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  -- `acct_…`; NULL if the key may not read it.
  account_id   TEXT,
  -- Whether payments are real; NULL if neither the balance nor the key shows the mode.
  livemode     INTEGER,
  -- Id of the product that marks the account, if its id cannot be read, and whether the provider
  -- has stored the product.
  marker       TEXT,
  marked       INTEGER NOT NULL DEFAULT FALSE,
  stored_at_us INTEGER NOT NULL
) STRICT;

-- A row is an account that paid and whose customer or subscription is missing at the provider.
-- Owner: billing/provider_losses.rs. Kept: until the provider has it again.
CREATE TABLE provider_losses (
  uid         TEXT    PRIMARY KEY,
  customer_id TEXT    NOT NULL,
  -- unknown, deleted or subscription.
  kind        TEXT    NOT NULL,
  seen_at_us  INTEGER NOT NULL,
  -- Whether the operator was alarmed about it.
  reported    INTEGER NOT NULL DEFAULT FALSE
) STRICT;

-- At most one row: the stop of reconciliation because too many customers are missing at the
-- provider.
-- Owner: billing/provider_losses.rs. Kept: while it applies.
CREATE TABLE provider_stops (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  stopped_at_us INTEGER NOT NULL,
  -- Missing accounts, and accounts with a customer, at that time.
  losses        INTEGER NOT NULL,
  customers     INTEGER NOT NULL
) STRICT;

-- At most one row: whether the provider had subscriptions of ours when this database had no
-- account. It is written at a start without accounts, once the provider was reached.
-- Owner: billing/payers_check.rs. Kept: without end.
CREATE TABLE payers_check (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  -- clear: it had none; found: it had some, and nothing is sold; accepted: the operator sells
  -- nevertheless.
  state         TEXT    NOT NULL,
  -- Subscriptions with our metadata whose account is unknown here; at most a page of the
  -- provider's list.
  subscriptions INTEGER NOT NULL,
  checked_at_us INTEGER NOT NULL
) STRICT;

-- A row is a subscription that runs at the provider and whose account is missing here, for instance
-- bought after the backup that was restored.
-- Owner: billing/orphaned_subscriptions.rs. Kept: until an account has the customer, or the
-- subscription has ended; without the email if the owner deleted the account.
CREATE TABLE orphaned_subscriptions (
  subscription_id TEXT    PRIMARY KEY,
  customer_id     TEXT    NOT NULL,
  -- The account in the subscription's metadata.
  uid             TEXT    NOT NULL,
  -- The customer's email at the provider.
  email           TEXT,
  -- Total of the customer's paid invoices.
  paid_centavos   INTEGER NOT NULL,
  found_at_us     INTEGER NOT NULL,
  -- Why the last adoption was refused; NULL before the first one.
  refused         TEXT
) STRICT;

-- One row: the progress of reconciliation.
-- Owner: billing/reconciliation.rs. Kept: without end.
CREATE TABLE reconciliation (
  id                 INTEGER PRIMARY KEY CHECK (id = 1),
  -- The provider's last event that was read; empty before the first one.
  event_cursor       TEXT    NOT NULL DEFAULT '',
  -- When the provider's event list was last read.
  events_read_at_us  INTEGER,
  -- The last account of the pass over accounts that are not final; empty at its begin.
  open_after         TEXT    NOT NULL DEFAULT '',
  -- Number of the sweep over all objects of the provider.
  sweep              INTEGER NOT NULL DEFAULT 0,
  -- subscriptions, invoices, refunds, disputes or missing; empty between two sweeps.
  sweep_phase        TEXT    NOT NULL DEFAULT '',
  -- The last object or account that was read in this phase.
  sweep_after        TEXT    NOT NULL DEFAULT '',
  sweep_pages        INTEGER NOT NULL DEFAULT 0,
  sweep_began_at_us  INTEGER NOT NULL DEFAULT 0,
  -- When the previous sweep began; 0 without one.
  sweep_before_at_us INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO reconciliation (id) VALUES (1);

-- == Jobs and mail ===============================================================================

-- A row is a durable job, for instance a mail. A kind and a key identify it.
-- Owner: jobs.rs, jobs/claims.rs, operator/job_queries.rs. Kept: 30 days after it is done; a parked
-- one until the operator closes it. Conversions lose the person earlier, as
-- docs/consent-and-attribution.md states.
CREATE TABLE jobs (
  kind            TEXT    NOT NULL,
  key             TEXT    NOT NULL,
  -- Input of the handler, JSON.
  payload         TEXT    NOT NULL,
  -- The account that the job is about.
  uid             TEXT,
  -- waiting, done or parked.
  state           TEXT    NOT NULL,
  -- Order within the class; lower is claimed first. 0: enqueued without a priority.
  priority        INTEGER NOT NULL DEFAULT 0,
  due_at_us       INTEGER NOT NULL,
  -- Runs that were begun.
  attempts        INTEGER NOT NULL,
  -- Number of the scheduling. A worker that ends an older run does not end the newer one.
  generation      INTEGER NOT NULL,
  -- End of the lease, in real time. Its exact value identifies the holder.
  leased_until_us INTEGER,
  last_error      TEXT,
  ended_at_us     INTEGER,
  -- Id and W3C traceparent of the request that caused the job, so that log and trace go on.
  request_id      TEXT,
  traceparent     TEXT,
  PRIMARY KEY (kind, key)
) STRICT;
-- The overdue jobs of all kinds.
CREATE INDEX jobs_waiting ON jobs (due_at_us) WHERE state = 'waiting';
-- Retention.
CREATE INDEX jobs_ended ON jobs (ended_at_us) WHERE ended_at_us IS NOT NULL;
-- The count of parked jobs, every few seconds.
CREATE INDEX jobs_parked ON jobs (due_at_us) WHERE state = 'parked';
-- The claim: by class and priority, then by due instant.
CREATE INDEX jobs_claim ON jobs (priority, due_at_us) WHERE state = 'waiting';
-- The counts of each kind, every few seconds.
CREATE INDEX jobs_waiting_kind ON jobs (kind, due_at_us) WHERE state = 'waiting';
-- The jobs of an account.
CREATE INDEX jobs_uid ON jobs (uid, kind) WHERE uid IS NOT NULL;

-- == Consent and tracking ========================================================================

-- A row is an answer about advertising. `checkout_id` is the checkout at which it was given, or
-- empty for an answer of the account itself.
-- Owner: identity/consents.rs. Kept: until the account is deleted, as the proof that the law
-- requires.
CREATE TABLE consents (
  uid          TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  checkout_id  TEXT    NOT NULL,
  -- When it was given.
  chosen_at_us INTEGER NOT NULL,
  ads_allowed  INTEGER NOT NULL,
  -- Version of the text that was answered.
  text_version TEXT    NOT NULL,
  -- When it was received.
  stored_at_us INTEGER NOT NULL,
  PRIMARY KEY (uid, checkout_id, chosen_at_us)
) STRICT;

-- A row is the first or last touch: the source of a visit, as known at the sign-up (`checkout_id`
-- is empty) or at a checkout.
-- Owner: tracking/attributions.rs. Kept: 490 days after the visit.
CREATE TABLE attributions (
  uid           TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  checkout_id   TEXT    NOT NULL,
  -- first or last.
  touch         TEXT    NOT NULL,
  touched_at_us INTEGER NOT NULL,
  -- The labels under which the touch is counted.
  source        TEXT    NOT NULL,
  campaign      TEXT    NOT NULL,
  promo         TEXT    NOT NULL,
  -- The query of the first page: utm_…, `campaign` and `ref`.
  utm_source    TEXT    NOT NULL,
  utm_medium    TEXT    NOT NULL,
  utm_campaign  TEXT    NOT NULL,
  utm_term      TEXT    NOT NULL,
  utm_content   TEXT    NOT NULL,
  campaign_id   TEXT    NOT NULL,
  referral      TEXT    NOT NULL,
  -- Host of the page that linked to the site.
  referrer_host TEXT    NOT NULL,
  -- Platform whose advertisement was clicked.
  clicked       TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (uid, checkout_id, touch)
) STRICT;
-- Retention.
CREATE INDEX attributions_touched ON attributions (touched_at_us);

-- A row is the ids of clicks on advertisements, as known at the sign-up (`checkout_id` is empty) or
-- at a checkout. It is stored only with consent, and deleted when consent is withdrawn.
-- Owner: tracking/attributions.rs. Kept: 90 days.
CREATE TABLE click_ids (
  uid          TEXT    NOT NULL REFERENCES accounts (uid) ON DELETE CASCADE,
  checkout_id  TEXT    NOT NULL,
  -- The last click: Meta's `_fbc` and `_fbp`, and Google's `gclid`.
  fbc          TEXT    NOT NULL,
  fbp          TEXT    NOT NULL,
  gclid        TEXT    NOT NULL,
  -- The first click.
  first_fbc    TEXT    NOT NULL DEFAULT '',
  first_gclid  TEXT    NOT NULL DEFAULT '',
  stored_at_us INTEGER NOT NULL,
  PRIMARY KEY (uid, checkout_id)
) STRICT;
-- Retention.
CREATE INDEX click_ids_stored ON click_ids (stored_at_us);

-- A row is the count of a step to a purchase on a day. It contains no personal data.
-- Owner: tracking/funnel_counts.rs. Kept: 400 days.
CREATE TABLE funnel_counts (
  -- Day in São Paulo, YYYY-MM-DD.
  day   TEXT    NOT NULL,
  -- landing, plans, signup, signed_up, upsell, checkout_started, finished or paid.
  step  TEXT    NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, step)
) STRICT;

-- A row is the count of visits from one source on a day. It contains no personal data.
-- Owner: tracking/funnel_counts.rs. Kept: 400 days.
CREATE TABLE visit_counts (
  -- Day in São Paulo, YYYY-MM-DD.
  day      TEXT    NOT NULL,
  source   TEXT    NOT NULL,
  campaign TEXT    NOT NULL,
  promo    TEXT    NOT NULL,
  count    INTEGER NOT NULL,
  -- Most clients that one process saw with this source. At the limit of sources of a day, a source
  -- of many clients replaces one of few.
  clients  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, source, campaign, promo)
) STRICT;

-- == The operator ================================================================================

-- One row that readiness writes, because "ready" means that a write was committed.
-- Owner: operator/heartbeats.rs. Kept: without end.
CREATE TABLE heartbeats (
  name TEXT    NOT NULL PRIMARY KEY,
  -- Number of writes.
  beat INTEGER NOT NULL
) STRICT;

-- A row is a running server. The servers share the call budget of the payment provider.
-- Owner: operator/heartbeats.rs. Kept: half a minute after the last heartbeat.
CREATE TABLE live_servers (
  id         TEXT    PRIMARY KEY,
  -- Last heartbeat, in real time.
  seen_at_us INTEGER NOT NULL
) STRICT;

-- A row is an invariant and what the last run of the hourly doctor found about it.
-- Owner: operator/doctor_findings.rs. Kept: until the next run.
CREATE TABLE doctor_findings (
  invariant  TEXT    PRIMARY KEY,
  -- At most 100; of the last run that could check it.
  findings   INTEGER NOT NULL,
  -- Whether the last run could check it.
  is_checked INTEGER NOT NULL,
  -- End of the last run, in real time.
  ran_at_us  INTEGER NOT NULL
) STRICT;
