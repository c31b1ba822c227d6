//! A small example year whose figures can be checked by hand.

use super::*;

/// Noon of a day in São Paulo.
fn noon(day: &str) -> Timestamp {
    Timestamp::parse_rfc3339(&format!("{day}T12:00:00-03:00")).unwrap()
}

fn span(plan: &str, monthly: i64, from: &str, until: Option<&str>, end: Churn) -> PaidSpan {
    let monthly = Centavos::new(monthly);
    PaidSpan { plan: plan.into(), monthly, from: noon(from), until: until.map(noon), end }
}

fn month(text: &str) -> Month {
    Month::parse(text).unwrap()
}

/// Five people in 2026, as of 20 December:
///
/// | Who | Plan, worth of 30 days | From | To | Why it ended |
/// |---|---|---|---|---|
/// | Ana | Top Afiliado, 97,90 | 10 January | runs | |
/// | Bia | Top Afiliado, 97,90, then Elite Nível 1, 197,90 | 5 February, 5 March | runs | |
/// | Caio | Elite Nível 1, 197,90 | 20 February | 22 March | did not pay |
/// | Caio again | Elite Nível 1, 197,90 | 10 May | 9 June | cancelled |
/// | Davi | Elite PRO 1, annual at 1.787,40: 146,91 | 1 April | 4 April | guarantee |
/// | Eva | Top Afiliado, 97,90 | 28 November | runs | |
fn year() -> Revenue {
    let mut revenue = Revenue::new(month("2026-01"), month("2026-12"), noon("2026-12-20"));
    let (top, elite, pro) = ("top_afiliado", "elite_nivel_1", "elite_pro_1");
    revenue.account(&[span(top, 9_790, "2026-01-10", None, Churn::Unpaid)]);
    revenue.account(&[
        span(top, 9_790, "2026-02-05", Some("2026-03-05"), Churn::Unpaid),
        span(elite, 19_790, "2026-03-05", None, Churn::Unpaid),
    ]);
    revenue.account(&[
        span(elite, 19_790, "2026-02-20", Some("2026-03-22"), Churn::Unpaid),
        span(elite, 19_790, "2026-05-10", Some("2026-06-09"), Churn::Voluntary),
    ]);
    let annual = monthly_value(Centavos::reais(1_787, 40), 365).get();
    revenue.account(&[span(pro, annual, "2026-04-01", Some("2026-04-04"), Churn::Refunded)]);
    revenue.account(&[span(top, 9_790, "2026-11-28", None, Churn::Unpaid)]);
    let paid = |at: &str| Movement { plan: pro.into(), at: noon(at), amount: Centavos::reais(1_787, 40) };
    revenue.invoiced(&paid("2026-04-01"));
    revenue.refunded(&paid("2026-04-04"));
    revenue
}

#[test]
fn the_example_year_gives_the_figures_counted_by_hand() {
    let totals: Vec<_> = year()
        .totals()
        .map(|(month, f)| {
            let churned = (f.churned_voluntary, f.churned_unpaid, f.churned_refunded);
            (month.to_string(), f.mrr_centavos, (f.at_start, f.new, f.reactivated), churned, f.at_end)
        })
        .collect();

    let expected = [
        ("2026-01", 9_790, (0, 1, 0), (0, 0, 0), 1),
        ("2026-02", 39_370, (1, 2, 0), (0, 0, 0), 3),
        ("2026-03", 29_580, (3, 0, 0), (0, 1, 0), 2),
        ("2026-04", 29_580, (2, 1, 0), (0, 0, 1), 2),
        ("2026-05", 49_370, (2, 0, 1), (0, 0, 0), 3),
        ("2026-06", 29_580, (3, 0, 0), (1, 0, 0), 2),
        ("2026-07", 29_580, (2, 0, 0), (0, 0, 0), 2),
        ("2026-08", 29_580, (2, 0, 0), (0, 0, 0), 2),
        ("2026-09", 29_580, (2, 0, 0), (0, 0, 0), 2),
        ("2026-10", 29_580, (2, 0, 0), (0, 0, 0), 2),
        ("2026-11", 39_370, (2, 1, 0), (0, 0, 0), 3),
        ("2026-12", 39_370, (3, 0, 0), (0, 0, 0), 3),
    ];
    let expected = expected.map(|(month, mrr, came, gone, end)| (month.to_owned(), mrr, came, gone, end));
    assert_eq!(totals, expected);
}

#[test]
fn a_plan_change_leaves_one_plan_and_enters_the_other_without_churn() {
    let revenue = year();
    let of = |wanted: &str| {
        let found = revenue.rows().find(|(at, plan, _)| at.to_string() == "2026-03" && *plan == wanted);
        let (_, _, f) = found.unwrap();
        (f.at_start, f.new, f.changed, f.churned_unpaid, f.at_end, f.mrr_centavos)
    };

    assert_eq!(of("top_afiliado"), (2, 0, -1, 0, 1, 9_790));
    assert_eq!(of("elite_nivel_1"), (1, 0, 1, 1, 1, 19_790));
}

#[test]
fn money_counts_in_the_month_of_its_payment_or_refund() {
    let april = year().totals().find(|(month, _)| month.to_string() == "2026-04").unwrap().1;

    assert_eq!((april.invoiced_centavos, april.refunded_centavos), (178_740, 178_740));
}

#[test]
fn the_monthly_value_is_the_price_of_thirty_days_rounded_half_up() {
    for (price, days, worth) in [
        (9_790, 30, 9_790),
        (23_496, 90, 7_832),
        (39_160, 180, 6_527),   // 6.526,67
        (58_740, 365, 4_828),   // 4.827,95
        (178_740, 365, 14_691), // 14.690,96
        (1, 60, 1),             // half a centavo
        (0, 30, 0),
    ] {
        assert_eq!(monthly_value(Centavos::new(price), days).get(), worth, "{price} in {days} days");
    }
}

#[test]
fn a_month_starts_at_midnight_in_sao_paulo() {
    let november = month("2026-11");
    assert_eq!(november.starts().to_rfc3339(), "2026-11-01T03:00:00Z");
    assert_eq!(november.ends().to_rfc3339(), "2026-12-01T03:00:00Z");
    assert_eq!(Month::of(november.ends().plus_micros(-1)), november);
    assert_eq!(
        (november.plus(2).to_string(), november.plus(-11).to_string()),
        ("2027-01".into(), "2025-12".into())
    );
    for wrong in ["", "2026", "2026-13", "2026-00", "26-01", "2026-1", "abcd-01"] {
        assert_eq!(Month::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn months_run_from_the_first_to_the_last_also_over_new_year() {
    let months = |first, last| -> Vec<String> {
        let revenue = Revenue::new(month(first), month(last), noon("2026-12-20"));
        revenue.totals().map(|(month, _)| month.to_string()).collect()
    };
    assert_eq!(months("2025-11", "2026-02"), ["2025-11", "2025-12", "2026-01", "2026-02"]);
    assert_eq!(months("2026-05", "2026-05"), ["2026-05"]);
    assert!(months("2026-05", "2026-04").is_empty());
}

#[test]
fn a_subscription_that_starts_and_ends_in_one_month_is_new_and_churned() {
    let april = year().totals().find(|(month, _)| month.to_string() == "2026-04").unwrap().1;

    assert_eq!((april.at_start, april.new, april.churned_refunded, april.at_end), (2, 1, 1, 2));
}

#[test]
fn the_sum_of_plans_adds_each_figure() {
    let one = Figures {
        mrr_centavos: 1,
        at_start: 2,
        new: 3,
        reactivated: 4,
        changed: 5,
        churned_voluntary: 6,
        churned_unpaid: 7,
        churned_refunded: 8,
        at_end: 9,
        invoiced_centavos: 10,
        refunded_centavos: 11,
    };
    let mut sum = one;
    sum.add(&one);
    assert_eq!(
        sum,
        Figures {
            mrr_centavos: 2,
            at_start: 4,
            new: 6,
            reactivated: 8,
            changed: 10,
            churned_voluntary: 12,
            churned_unpaid: 14,
            churned_refunded: 16,
            at_end: 18,
            invoiced_centavos: 20,
            refunded_centavos: 22,
        }
    );
}

#[test]
fn only_the_requested_months_up_to_now_count() {
    let mut revenue = Revenue::new(month("2026-03"), month("2026-05"), noon("2026-04-20"));
    let top = "top_afiliado";
    for at in ["2026-02-28", "2026-03-10", "2026-04-10", "2026-04-25", "2026-06-01"] {
        revenue.account(&[span(top, 9_790, at, Some(at), Churn::Voluntary)]);
        revenue.invoiced(&Movement { plan: top.into(), at: noon(at), amount: Centavos::new(100) });
    }

    let rows: Vec<_> = revenue
        .rows()
        .map(|(month, _, f)| (month.to_string(), f.new, f.churned_voluntary, f.invoiced_centavos))
        .collect();
    assert_eq!(rows, [("2026-03".to_owned(), 1, 1, 100), ("2026-04".to_owned(), 1, 1, 100)]);
}

#[test]
fn a_month_that_has_not_started_has_no_subscribers_at_its_end_and_no_revenue() {
    let mut revenue = Revenue::new(month("2026-04"), month("2026-06"), noon("2026-04-20"));
    revenue.account(&[span("top_afiliado", 9_790, "2026-04-10", None, Churn::Unpaid)]);

    let totals: Vec<_> = revenue.totals().map(|(_, f)| (f.at_end, f.mrr_centavos)).collect();
    assert_eq!(totals, [(1, 9_790), (0, 0), (0, 0)]);
}

#[test]
fn a_start_or_end_at_the_turn_of_a_month_counts_in_the_month_that_begins() {
    let april = month("2026-04");
    let mut revenue = Revenue::new(month("2026-03"), april, noon("2026-04-20"));
    let from =
        |from, until| PaidSpan { from, until, ..span("top", 9_790, "2026-04-01", None, Churn::Unpaid) };
    revenue.account(&[from(april.starts(), None)]);
    revenue.account(&[from(noon("2026-03-10"), Some(april.starts()))]);

    let lines: Vec<_> =
        revenue.totals().map(|(_, f)| (f.at_start, f.new, f.churned_unpaid, f.at_end)).collect();
    assert_eq!(lines, [(0, 1, 0, 1), (1, 1, 1, 1)]);
}

#[test]
fn at_the_last_instant_of_a_month_the_next_one_has_no_subscribers_yet() {
    let now = month("2026-05").starts().plus_micros(-1);
    let mut revenue = Revenue::new(month("2026-04"), month("2026-05"), now);
    revenue.account(&[span("top_afiliado", 9_790, "2026-04-10", None, Churn::Unpaid)]);

    let at_end: Vec<_> = revenue.totals().map(|(_, f)| f.at_end).collect();
    assert_eq!(at_end, [1, 0]);
}

#[test]
fn a_renewal_of_the_same_plan_is_not_a_change() {
    let mut revenue = Revenue::new(month("2026-01"), month("2026-02"), noon("2026-02-20"));
    revenue.account(&[
        span("top_afiliado", 9_790, "2026-01-10", Some("2026-02-09"), Churn::Unpaid),
        span("top_afiliado", 9_790, "2026-02-09", None, Churn::Unpaid),
    ]);

    let february = revenue.rows().find(|(month, _, _)| month.to_string() == "2026-02").unwrap().2;
    assert_eq!((february.at_start, february.new, february.changed, february.at_end), (1, 0, 0, 1));
    assert_eq!((february.churned_unpaid, february.mrr_centavos), (0, 9_790));
}

proptest::proptest! {
    /// The line of every month and plan adds up, and each month ends where the next one begins.
    #[test]
    fn start_plus_entries_minus_churn_gives_the_end(
        lives in proptest::collection::vec(
            proptest::collection::vec((0i64..40, 1i64..120, 0u8..3, 0u8..3), 1..6), 1..20),
    ) {
        let start = noon("2026-01-01");
        let mut revenue = Revenue::new(month("2026-01"), month("2026-12"), noon("2026-12-20"));
        for life in lives {
            let (mut spans, mut at) = (Vec::new(), start);
            for (pause, days, plan, end) in life {
                let from = at.plus_days(pause / 10 * 5);
                at = from.plus_days(days);
                let end = [Churn::Voluntary, Churn::Unpaid, Churn::Refunded][usize::from(end)];
                let monthly = Centavos::new(100 + i64::from(plan));
                spans.push(PaidSpan { plan: format!("p{plan}"), monthly, from, until: Some(at), end });
            }
            revenue.account(&spans);
        }
        for (_, _, f) in revenue.rows() {
            let gone = f.churned_voluntary + f.churned_unpaid + f.churned_refunded;
            proptest::prop_assert_eq!(f.at_start + f.new + f.reactivated + f.changed - gone, f.at_end);
        }
        let totals: Vec<_> = revenue.totals().collect();
        for pair in totals.windows(2) {
            proptest::prop_assert_eq!(pair[0].1.at_end, pair[1].1.at_start);
            proptest::prop_assert_eq!(pair[0].1.changed, 0);
        }
    }
}
