//! Readers of the provider's objects and of mails.

use garimpo_proto::billing::v1::PlanInterval;
use serde_json::Value;

pub(super) fn interval(written: &str) -> PlanInterval {
    match written {
        "monthly" => PlanInterval::Monthly,
        "trimestral" => PlanInterval::Quarterly,
        "semestral" => PlanInterval::Semiannual,
        "anual" => PlanInterval::Annual,
        _ => PlanInterval::Unspecified,
    }
}

pub(super) fn pays(invoice: &Value, charge: &Value) -> bool {
    let payments = invoice["payments"]["data"].as_array().into_iter().flatten();
    charge["status"] == "succeeded"
        && payments.map(|tie| &tie["payment"]["payment_intent"]).any(|id| *id == charge["payment_intent"])
}

pub(super) fn subscription_of(invoice: &Value) -> &str {
    text(&invoice["parent"]["subscription_details"], "subscription")
}

/// The period that an invoice pays for: that of its charged line with the latest end.
pub(super) fn period(invoice: &Value) -> (i64, i64) {
    let charged = charged_lines(invoice).filter(|(_, amount)| *amount > 0);
    charged.map(|(period, _)| period).max_by_key(|(_, end)| *end).unwrap_or_default()
}

/// Period and discounted amount of each line of an invoice.
pub(super) fn charged_lines(invoice: &Value) -> impl Iterator<Item = ((i64, i64), i64)> {
    invoice["lines"]["data"].as_array().into_iter().flatten().map(|line| {
        let off = line["discount_amounts"].as_array().into_iter().flatten();
        let amount = number(line, "amount") - off.map(|off| number(off, "amount")).sum::<i64>();
        ((number(&line["period"], "start"), number(&line["period"], "end")), amount)
    })
}

pub(super) fn about(mails: &[Value], subject: &str) -> Vec<Value> {
    mails.iter().filter(|mail| is_about(mail, subject)).cloned().collect()
}

pub(super) fn is_about(mail: &Value, subject: &str) -> bool {
    text(mail, "subject").starts_with(subject)
}

pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

pub(super) fn text<'d>(doc: &'d Value, field: &str) -> &'d str {
    doc[field].as_str().unwrap_or_default()
}

pub(super) fn number(doc: &Value, field: &str) -> i64 {
    doc[field].as_i64().unwrap_or_default()
}
