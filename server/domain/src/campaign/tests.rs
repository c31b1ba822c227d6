//! Start and end of the campaign, to the second.

use proptest::prelude::*;

use super::*;
use crate::catalog::catalog;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

#[test]
fn black_november_lasts_from_1_to_30_november_in_sao_paulo() {
    let campaign = &catalog().campaign;
    for (now, on, changes_at) in [
        ("2026-01-15T00:00:00Z", false, "2026-11-01T03:00:00Z"),
        ("2026-11-01T02:59:59.999999Z", false, "2026-11-01T03:00:00Z"),
        ("2026-11-01T03:00:00Z", true, "2026-12-01T03:00:00Z"),
        ("2026-12-01T02:59:59Z", true, "2026-12-01T03:00:00Z"),
        ("2026-12-01T03:00:00Z", false, "2027-11-01T03:00:00Z"),
        ("2027-01-01T02:00:00Z", false, "2027-11-01T03:00:00Z"),
    ] {
        assert_eq!(campaign.is_on(at(now), CampaignSwitch::Auto), on, "{now}");
        assert_eq!(campaign.changes_at(at(now), CampaignSwitch::Auto), Some(at(changes_at)), "{now}");
    }
}

#[test]
fn the_operator_can_switch_the_campaign_on_and_off_on_any_date() {
    let campaign = &catalog().campaign;
    for now in [at("2026-06-01T00:00:00Z"), at("2026-11-15T00:00:00Z")] {
        assert!(campaign.is_on(now, CampaignSwitch::On));
        assert!(!campaign.is_on(now, CampaignSwitch::Off));
        assert_eq!(campaign.changes_at(now, CampaignSwitch::On), None);
    }
    assert_eq!(CampaignSwitch::parse("auto"), Some(CampaignSwitch::Auto));
    assert_eq!(CampaignSwitch::parse("ON"), None);
}

#[test]
fn the_campaign_switch_is_auto_on_or_off() {
    for (written, expected) in [
        ("auto", Some(CampaignSwitch::Auto)),
        ("on", Some(CampaignSwitch::On)),
        ("off", Some(CampaignSwitch::Off)),
        ("", None),
    ] {
        assert_eq!(CampaignSwitch::parse(written), expected, "{written}");
    }
}

proptest! {
    #[test]
    fn the_campaign_changes_only_at_its_announced_time(seconds in 1_700_000_000..2_500_000_000i64, share in 0..1000i64) {
        let campaign = &catalog().campaign;
        let now = Timestamp::from_unix_seconds(seconds);
        let change = campaign.changes_at(now, CampaignSwitch::Auto).unwrap();
        let before = now.plus_micros(change.micros_since(now) / 1000 * share);
        let on = campaign.is_on(now, CampaignSwitch::Auto);
        prop_assert_eq!(campaign.is_on(before, CampaignSwitch::Auto), on);
        prop_assert_eq!(campaign.is_on(change, CampaignSwitch::Auto), !on);
    }
}
