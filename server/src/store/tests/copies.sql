-- Copies the rows of the account $1 $2 times, with `_1`, `_2`, … appended to every id.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
INSERT INTO accounts (uid, email, display_name, email_verified, created_at_us, revision, trial_used_before,
  person_hash)
SELECT uid || '_' || i, i || email, display_name, email_verified, created_at_us, revision, trial_used_before,
  person_hash || '_' || i FROM accounts, n WHERE uid = $1;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
SELECT uid || '_' || i, intent_id || '_' || i, attempt, customer_id || '_' || i, ticket_issued, ticket_applied,
  created_at_us FROM customers, n WHERE uid = $1;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos, payment_method,
  provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us, renewal,
  renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us, disputed_at_us, returned_at_us)
SELECT id || '_' || i, uid || '_' || i, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
  payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us,
  first_charge_at_us, renewal, renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us, disputed_at_us,
  returned_at_us FROM subscriptions, n WHERE uid = $1;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method, payment_intent_id,
  boleto_line, boleto_due_at_us, boleto_url, receipt_url, paid_at_us, created_at_us, amount_due_centavos,
  refunded_centavos, dispute, plan_id, plan_interval, carried_centavos)
SELECT id || '_' || i, uid || '_' || i, subscription_id || '_' || i, reason, status, total_centavos,
  payment_method, payment_intent_id || '_' || i, boleto_line, boleto_due_at_us, boleto_url, receipt_url,
  paid_at_us, created_at_us, amount_due_centavos, refunded_centavos, dispute, plan_id, plan_interval,
  carried_centavos FROM invoices, n WHERE uid = $1;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
INSERT INTO entitlement_changes (uid, latest, plan_id, status, suspended_reason, valid_until_us,
  next_change_at_us, revision, at_us)
SELECT uid || '_' || i, latest, plan_id, status, suspended_reason, valid_until_us, next_change_at_us, revision,
  at_us FROM entitlement_changes, n WHERE uid = $1 AND latest
