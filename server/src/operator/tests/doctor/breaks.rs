//! The statements that break each invariant, and those that undo it.

/// A subscription of Ana's beside the one that she has.
const ANOTHER: &str = "INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
    payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us,
    renewal, renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us)
  SELECT 'sub_quebrada', uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos, payment_method,
    provider_status, {live}, {retired}, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us, renewal,
    renewal_at_us, cancel_at_period_end, {ended}, created_at_us - 1 FROM subscriptions WHERE uid = '{ana}';";

/// An invoice of Ana's that was paid two hours ago.
const PAID: &str = "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
    amount_due_centavos, payment_intent_id, boleto_line, boleto_url, receipt_url, paid_at_us, created_at_us)
  VALUES ('in_quebrada', '{ana}', '{subscription}', 'subscription_create', 'paid', 100, 'card', 100, '', '', '',
    '', {now} - 2 * {hour}, {now} - 2 * {hour});";

pub const CHECKOUT: &str = "INSERT INTO checkouts (id, uid, email, plan_id, plan_interval, coupon_id, promo_code, price_id,
    price_centavos, quoted_centavos, first_payment_centavos, attempt, status, payment_status, settled, created_at_us,
    expires_at_us)
  VALUES ('chk_quebrado', '{ana}', '', 'elite', 'monthly', '', '', '', 1, 1, 1, 1, '{status}', 'unpaid', {no},
    {now} - 3 * {day}, {now} - 2 * {day});";

const REFUND: &str = "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state,
    due_at_us, created_at_us) VALUES ('ref_quebrado', '{ana}', 'sub_x', 'in_x', 100, '{method}', 'duplicate', 'requested',
    {due}, {now} - 2 * {day});";

const JOB: &str =
    "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, priority, leased_until_us,
    last_error) VALUES ('de_outra_versao', 'quebrado', '{}', '{state}', {due}, 1, 1, 8, {lease}, 'caiu');";

const CHANGE: &str = "INSERT INTO plan_changes (id, uid, token_hash, subscription_id, item_id, from_price_id,
    from_period_start_at_us, from_period_end_at_us, from_balance_centavos, from_cancels, plan_id, plan_interval, price_id,
    renews_again, counts_from_at_us, total_centavos, due_centavos, state, attempt, decline_code, created_at_us,
    expires_at_us) VALUES ('plc_quebrada', '{ana}', {bytes}, 'sub_x', '', '', 0, 0, 0, {no}, 'elite_pro_1', 'monthly', '',
    {no}, 0, 1, 1, 'claimed', 1, '', {now} - 2 * {hour}, {now} - {hour});";

const CANCELLATION: &str = "INSERT INTO cancellations (id, uid, subscription_id, reason, told, created_at_us)
    SELECT 'can_quebrado', uid, id, '', {no}, {now} - 2 * {hour} FROM subscriptions WHERE uid = '{ana}';";

fn job(state: &str, due: &str, lease: &str) -> String {
    JOB.replace("{state}", state).replace("{due}", due).replace("{lease}", lease)
}

/// Name of the invariant, subject of the finding, how it is broken, how that is undone.
#[expect(clippy::too_many_lines, reason = "a table: a row for each invariant")]
pub fn breaks() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let another = |live: &str, retired: &str, ended: &str| {
        ANOTHER.replace("{live}", live).replace("{retired}", retired).replace("{ended}", ended)
    };
    let without_job = "DELETE FROM jobs WHERE key = 'quebrado'";
    let without_subscription =
        "DELETE FROM subscriptions WHERE id = 'sub_quebrada'; DELETE FROM invoices WHERE id = 'in_quebrada'";
    let without_checkout = "DELETE FROM checkouts WHERE id = 'chk_quebrado'";
    let dearer = CHECKOUT.replace("{status}", "complete")
        + "UPDATE checkouts SET quoted_centavos = 2, settled = {yes} WHERE id = 'chk_quebrado';";
    vec![
        (
            "empty_beside_payers",
            "database",
            "UPDATE payers_check SET state = 'found'".into(),
            "UPDATE payers_check SET state = 'clear'",
        ),
        ("checkout_price_is_ours", "chk_quebrado", dearer, without_checkout),
        ("jobs_parked", "de_outra_versao quebrado", job("parked", "{now}", "NULL"), without_job),
        ("jobs_abandoned", "de_outra_versao quebrado", job("waiting", "{now} + {hour}", "1"), without_job),
        ("jobs_late", "de_outra_versao quebrado", job("waiting", "{now} - 2 * {hour}", "NULL"), without_job),
        (
            "event_has_job",
            "evt_quebrado",
            "INSERT INTO events (id, kind, customer_id, seen_ticket, body, received_at_us)
               VALUES ('evt_quebrado', 'invoice.paid', NULL, 0, {bytes}, {now} - 1000)"
                .into(),
            "DELETE FROM events WHERE id = 'evt_quebrado'",
        ),
        (
            "one_live_subscription",
            "{ana}",
            format!("DROP INDEX subscriptions_live; {}", another("{yes}", "''", "NULL")),
            "DELETE FROM subscriptions WHERE id = 'sub_quebrada';
             CREATE UNIQUE INDEX subscriptions_live ON subscriptions (uid) WHERE live",
        ),
        (
            "live_as_rights_say",
            "{ana}",
            "UPDATE subscriptions SET live = {no} WHERE uid = '{ana}'".into(),
            "UPDATE subscriptions SET live = {yes} WHERE uid = '{ana}'",
        ),
        (
            "live_as_rights_say",
            "{rui}",
            "UPDATE subscriptions SET live = {yes} WHERE uid = '{rui}'".into(),
            "UPDATE subscriptions SET live = {no} WHERE uid = '{rui}'",
        ),
        (
            "rights_change_has_job",
            "{ana}",
            "UPDATE jobs SET key = 'guardada' WHERE kind = 'rights_change' AND key = '{ana}'".into(),
            "UPDATE jobs SET key = '{ana}' WHERE kind = 'rights_change' AND key = 'guardada'",
        ),
        (
            "rights_change_has_job",
            "{ana}",
            "UPDATE jobs SET due_at_us = due_at_us + 1 WHERE kind = 'rights_change' AND key = '{ana}'".into(),
            "UPDATE jobs SET due_at_us = due_at_us - 1 WHERE kind = 'rights_change' AND key = '{ana}'",
        ),
        (
            "paid_invoice_has_subscription",
            "in_quebrada",
            PAID.replace("{subscription}", "sub_de_ninguem"),
            without_subscription,
        ),
        (
            "duplicate_given_back",
            "sub_quebrada",
            another("{no}", "'duplicate'", "{now}") + &PAID.replace("{subscription}", "sub_quebrada"),
            without_subscription,
        ),
        (
            "duplicate_given_back",
            "sub_quebrada",
            another("{no}", "'duplicate'", "{now}")
                + &PAID.replace("{subscription}", "sub_quebrada")
                + "; UPDATE invoices SET amount_due_centavos = 0 WHERE id = 'in_quebrada'",
            without_subscription,
        ),
        (
            "difference_given_back",
            "in_quebrada",
            another("{no}", "''", "{now}")
                + &PAID.replace("{subscription}", "sub_quebrada")
                + "UPDATE subscriptions SET returned_at_us = {now} - 2 * {hour} WHERE id = 'sub_quebrada';
                   UPDATE invoices SET reason = 'subscription_update', paid_at_us = {now} WHERE id = 'in_quebrada'",
            without_subscription,
        ),
        (
            "subscription_has_account",
            "sub_a_mao",
            "UPDATE customers SET made_by_hand = 'sub_a_mao' WHERE uid = '{ana}'".into(),
            "UPDATE customers SET made_by_hand = '' WHERE uid = '{ana}'",
        ),
        (
            "refund_in_time",
            "ref_quebrado",
            REFUND.replace("{method}", "pix").replace("{due}", "{now} - 1"),
            "DELETE FROM refunds WHERE id = 'ref_quebrado'",
        ),
        (
            "card_refund_made",
            "ref_quebrado",
            REFUND.replace("{method}", "card").replace("{due}", "NULL"),
            "DELETE FROM refunds WHERE id = 'ref_quebrado'",
        ),
        (
            "checkout_settles",
            "chk_quebrado",
            CHECKOUT.replace("{status}", "open"),
            "DELETE FROM checkouts WHERE id = 'chk_quebrado'",
        ),
        (
            "intent_answered",
            "chk_quebrado",
            CHECKOUT.replace("{status}", "intent"),
            "DELETE FROM checkouts WHERE id = 'chk_quebrado'",
        ),
        (
            "plan_change_finished",
            "plc_quebrada",
            CHANGE.into(),
            "DELETE FROM plan_changes WHERE id = 'plc_quebrada'",
        ),
        (
            "cancellation_told",
            "can_quebrado",
            CANCELLATION.into(),
            "DELETE FROM cancellations WHERE id = 'can_quebrado'",
        ),
        (
            "boleto_lapses",
            "{boleto}",
            "UPDATE invoices SET boleto_due_at_us = boleto_due_at_us - 9 * {day} WHERE uid = '{rui}'".into(),
            "UPDATE invoices SET boleto_due_at_us = boleto_due_at_us + 9 * {day} WHERE uid = '{rui}'",
        ),
        (
            "customer_unique",
            "{customer}",
            "DROP INDEX customers_customer_id;
             INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
               SELECT 'usr_outra', 'int_x', 1, customer_id, 0, 0, 0 FROM customers WHERE uid = '{ana}'"
                .into(),
            "DELETE FROM customers WHERE uid = 'usr_outra';
             CREATE UNIQUE INDEX customers_customer_id ON customers (customer_id)",
        ),
        (
            "clock",
            "clock",
            "INSERT INTO audit_events (id, at_us, kind, uid, device, request_id)
               VALUES ('aud_quebrado', {now} + {hour}, 'sign_in', '{ana}', '', '')"
                .into(),
            "DELETE FROM audit_events WHERE id = 'aud_quebrado'",
        ),
    ]
}
