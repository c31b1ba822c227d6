//! Revenue read from rows: what ends a time, what takes another's place, and money.

use garimpo_domain::Timestamp;
use garimpo_domain::revenue::Month;

use super::{execute_sql, operator};
use crate::operator::revenue::RevenueRow;
use crate::tests::database::Database;

const NOW: &str = "2026-12-20T15:00:00Z";

/// Noon in São Paulo, in microseconds.
fn noon(day: &str) -> i64 {
    Timestamp::parse_rfc3339(&format!("{day}T12:00:00-03:00")).expect("an instant").as_micros()
}

/// One subscription and its paid invoices.
struct Bought<'a> {
    uid: &'a str,
    id: &'a str,
    live: bool,
    retired: &'a str,
    cancels: bool,
    ended: Option<&'a str>,
    /// Plan, interval, price, total, from, until.
    paid: &'a [(&'a str, &'a str, i64, i64, &'a str, &'a str)],
}

/// A live subscription.
fn bought<'a>(uid: &'a str, id: &'a str) -> Bought<'a> {
    Bought { uid, id, live: true, retired: "", cancels: false, ended: None, paid: &[] }
}

impl<'a> Bought<'a> {
    fn ended(self, day: &'a str) -> Self {
        Self { live: false, ended: Some(day), ..self }
    }

    fn sql(&self) -> String {
        let ended = self.ended.map_or("NULL".into(), |day| noon(day).to_string());
        let first = noon(self.paid[0].4);
        let (uid, id) = (self.uid, self.id);
        let mut sql = format!(
            "INSERT INTO accounts (uid, email, display_name, email_verified, created_at_us, revision, trial_used_before,
               person_hash) VALUES ('{uid}', '{uid}@example.com', 'Ana', FALSE, {first}, 1, FALSE, '{uid}')
               ON CONFLICT DO NOTHING;
             INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
               payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us, renewal,
               cancel_at_period_end, ended_at_us, created_at_us)
             VALUES ('{id}', '{uid}', 'elite', 'monthly', '', '', 1, 'card', 'active', {}, '{}', {first}, {first}, {first},
               'open', {}, {ended}, {first});",
            self.live, self.retired, self.cancels
        );
        for (at, (plan, interval, price, total, from, until)) in self.paid.iter().enumerate() {
            let (from, until, invoice) = (noon(from), noon(until), format!("in_{id}_{at}"));
            sql.extend([format!(
                "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
                   amount_due_centavos, payment_intent_id, boleto_line, boleto_url, receipt_url, paid_at_us, created_at_us)
                 VALUES ('{invoice}', '{uid}', '{id}', 'x', 'paid', {total}, 'card', {total}, '', '', '', '', {from}, {from});
                 INSERT INTO paid_periods (invoice_id, uid, subscription_id, plan_id, plan_interval, price_centavos,
                   from_us, until_us)
                 VALUES ('{invoice}', '{uid}', '{id}', '{plan}', '{interval}', {price}, {from}, {until});"
            )]);
        }
        sql
    }
}

fn give_back(id: &str, invoice: &str, amount: i64, day: &str) -> String {
    let at = noon(day);
    format!(
        "INSERT INTO refunds (id, uid, subscription_id, invoice_id, amount_centavos, method, reason, state, created_at_us,
           ended_at_us) VALUES ('{id}', 'x', 'x', '{invoice}', {amount}, 'card', 'guarantee', 'paid', {at}, {at});"
    )
}

/// The year that `docs/operator.md` reckons: five people.
fn year() -> String {
    let bought = [
        // Renews each 30 days, the first month with 10% off, and goes on.
        Bought {
            paid: &[
                ("top_afiliado", "monthly", 9_790, 8_811, "2026-10-10", "2026-11-09"),
                ("top_afiliado", "monthly", 9_790, 9_790, "2026-11-09", "2026-12-09"),
                ("top_afiliado", "monthly", 9_790, 9_790, "2026-12-09", "2027-01-08"),
            ],
            ..bought("usr_ana", "sub_ana")
        },
        // Upgrades in November, half way through the period.
        Bought {
            paid: &[
                ("top_afiliado", "monthly", 9_790, 9_790, "2026-10-20", "2026-11-19"),
                ("elite_nivel_1", "monthly", 19_790, 5_000, "2026-11-04", "2026-11-19"),
                ("elite_nivel_1", "monthly", 19_790, 19_790, "2026-11-19", "2026-12-19"),
                ("elite_nivel_1", "monthly", 19_790, 19_790, "2026-12-19", "2027-01-18"),
            ],
            ..bought("usr_bia", "sub_bia")
        },
        // Does not pay the renewal of November, and buys again in December.
        Bought {
            retired: "replaced",
            paid: &[("elite_nivel_1", "monthly", 19_790, 19_790, "2026-10-15", "2026-11-14")],
            ..bought("usr_caio", "sub_caio_1").ended("2026-12-10")
        },
        Bought {
            paid: &[("top_afiliado", "anual", 58_740, 58_740, "2026-12-10", "2027-12-10")],
            ..bought("usr_caio", "sub_caio_2")
        },
        // Gets a refund under the guarantee.
        Bought {
            paid: &[("elite_pro_1", "monthly", 29_790, 29_790, "2026-11-02", "2026-12-02")],
            ..bought("usr_davi", "sub_davi").ended("2026-11-06")
        },
        // Cancels to the period's end.
        Bought {
            cancels: true,
            paid: &[("top_afiliado", "monthly", 9_790, 9_790, "2026-11-01", "2026-12-01")],
            ..bought("usr_eva", "sub_eva").ended("2026-12-01")
        },
        // The second of two payments: no revenue.
        Bought {
            retired: "duplicate",
            paid: &[("elite_nivel_1", "monthly", 19_790, 19_790, "2026-10-10", "2026-11-09")],
            ..bought("usr_ana", "sub_ana_2").ended("2026-10-11")
        },
    ];
    let mut sql: String = bought.iter().map(Bought::sql).collect();
    sql += &give_back("ref_davi", "in_sub_davi_0", 29_790, "2026-11-06");
    sql += &give_back("ref_ana", "in_sub_ana_2_0", 19_790, "2026-10-11");
    // Somebody who only signed up, and somebody who did and deleted the account.
    let (flor, gil) = (noon("2026-11-15"), noon("2026-11-16"));
    sql.extend([format!(
        "INSERT INTO accounts (uid, email, display_name, email_verified, created_at_us, revision, trial_used_before,
           person_hash) VALUES ('usr_flor', 'flor@example.com', 'Flor', FALSE, {flor}, 1, FALSE, 'flor');
         INSERT INTO audit_events (id, at_us, kind, uid, device, request_id)
           VALUES ('aud_1', {flor}, 'sign_up', 'usr_flor', '', ''), ('aud_2', {gil}, 'sign_up', 'usr_gil', '', '');"
    )]);
    sql
}

#[tokio::test(flavor = "multi_thread")]
async fn the_revenue_of_a_small_quarter_matches_the_figures_calculated_by_hand() {
    let database = Database::new().await;
    database.open().await.close().await;
    execute_sql(&database, &year()).await;
    let operator = operator(&database, NOW, "http://127.0.0.1:1").await;
    let months = ["2026-10", "2026-12"].map(|month| Month::parse(month).expect("a month"));
    let rows = operator.revenue(months[0], months[1]).await.expect("read");
    operator.close().await;

    let totals: Vec<_> = rows.iter().filter(|row| row.plan == "all").map(seen).collect();
    assert_eq!(
        totals,
        [
            // Ana 97,90 + Bia 97,90 + Caio 197,90; invoiced 88,11 + 97,90 + 197,90.
            ("2026-10", 39_370, [0, 3, 0, 0], [0, 0, 0], 3, 38_391, 0, Some(100)),
            // Ana 97,90 + Bia 197,90 + Eva 97,90, who goes on the 1st at noon. Two of four who
            // signed up have bought.
            ("2026-11", 39_370, [3, 2, 0, 0], [0, 1, 1], 3, 74_160, 29_790, Some(50)),
            // Ana 97,90 + Bia 197,90 + Caio 587,40 a year, which is 48,28 in 30 days.
            ("2026-12", 34_408, [3, 0, 1, 0], [1, 0, 0], 3, 88_320, 0, None),
        ]
    );
    let november: Vec<_> = rows.iter().filter(|row| row.month == "2026-11" && row.plan != "all").collect();
    let by_plan: Vec<_> =
        november.iter().map(|row| (row.plan.as_str(), row.figures.changed, row.figures.at_end)).collect();
    assert_eq!(by_plan, [("elite_nivel_1", 1, 1), ("elite_pro_1", 0, 0), ("top_afiliado", -1, 2)]);
}

type Seen<'a> = (&'a str, i64, [i64; 4], [i64; 3], i64, i64, i64, Option<i64>);

fn seen(row: &RevenueRow) -> Seen<'_> {
    let of = row.figures;
    (
        &row.month,
        of.mrr_centavos,
        [of.at_start, of.new, of.reactivated, of.changed],
        [of.churned_voluntary, of.churned_unpaid, of.churned_refunded],
        of.at_end,
        of.invoiced_centavos,
        of.refunded_centavos,
        row.trial_to_paid_percent(),
    )
}
