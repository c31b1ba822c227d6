use super::share::Evictable;
use super::*;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::net::IpAddr;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn a_64_bit_network_counts_as_one_client_and_a_48_bit_network_as_two() {
    let budget = Budget::new("test", BudgetLimits { total: 100, client: 2 });

    let held: Vec<_> =
        ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"].map(|a| budget.claim(Some(address(a)), 1)).into();
    assert!(held.iter().all(Result::is_ok));
    assert_eq!(budget.claim(Some(address("2001:db8:0:1::3")), 1).err(), Some(Exceeded::Client));

    let other = budget.claim(Some(address("2001:db8:0:2::1")), 2);
    assert!(other.is_ok());
    assert_eq!(budget.claim(Some(address("2001:db8:0:3::1")), 1).err(), Some(Exceeded::Network));
    assert!(budget.claim(Some(address("2001:db8:1::1")), 2).is_ok());
}

#[test]
fn a_mapped_ipv4_address_counts_as_its_ipv4_address_and_a_neighbour_does_not() {
    let budget = Budget::new("test", BudgetLimits { total: 100, client: 1 });

    let held = budget.claim(Some(address("203.0.113.1")), 1);
    assert!(held.is_ok());
    assert_eq!(budget.claim(Some(address("::ffff:203.0.113.1")), 1).err(), Some(Exceeded::Client));
    assert!(budget.claim(Some(address("203.0.113.2")), 1).is_ok());
}

#[tokio::test]
async fn a_full_budget_evicts_the_oldest_share_only_of_a_group_that_holds_more() {
    let budget = Budget::new("test", BudgetLimits { total: 6, client: 4 });
    let large = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2::2"]
        .map(|a| budget.claim_evictable(address(a), 1).unwrap());
    let mut settled = budget.claim_evictable(address("2001:db8:0:3::1"), 1).unwrap().settled().unwrap();
    let small = budget.claim_evictable(address("203.0.113.1"), 2).unwrap();

    let mut new = budget.claim_evictable(address("203.0.113.2"), 1).unwrap();
    large[0].evicted().await;
    new.grow(1).unwrap();
    large[1].evicted().await;

    // Each group holds two now.
    assert_eq!(new.grow(1), Err(Exceeded::Total));
    assert_eq!(settled.grow(1), Err(Exceeded::Total));
    let [mut first, second, third] = large;
    assert_eq!(first.grow(1), Err(Exceeded::Evicted));
    assert_eq!(second.settled().err(), Some(Exceeded::Evicted));
    drop((first, third, settled, small, new));
    let held = budget.held();
    assert!(held.total == 0 && held.by.is_empty() && held.evictable.is_empty());
}

proptest! {
    #[test]
    fn the_next_evicted_share_is_the_oldest_of_the_group_that_holds_most(
        turns in proptest::collection::vec((0..7_u8, 0..4_usize, any::<bool>()), 1..120)
    ) {
        let budget = Budget::new("test", BudgetLimits { total: 12, client: 8 });
        let mut shares = Vec::new();
        for (who, amount, ends) in turns {
            if ends && !shares.is_empty() {
                drop(shares.swap_remove(usize::from(who) % shares.len()));
            } else {
                let client = address(&format!("2001:db8:{:x}:{who}::1", who / 2));
                shares.extend(budget.claim_evictable(client, amount).ok());
            }
            let held = budget.held();
            let of = |share: &Evictable| held.by.get(&share.client.group()).copied().unwrap_or_default();
            let holding = held.evictable.iter().filter(|(_, share)| share.amount > 0);
            let expected = holding.map(|(id, share)| (of(share), Reverse(*id))).max();
            prop_assert_eq!(held.order.last().map(|entry| (entry.0, entry.1)), expected);
        }
        drop(shares);
        let held = budget.held();
        prop_assert!(held.evictable.is_empty() && held.groups.is_empty() && held.order.is_empty());
    }
}

#[test]
fn a_released_share_returns_to_the_budget_and_leaves_no_client_in_memory() {
    let budget = Budget::new("test", BudgetLimits { total: 10, client: 8 });

    let mut share = budget.claim(Some(address("2001:db8::1")), 5).unwrap();
    assert_eq!(share.grow(4), Err(Exceeded::Client));
    share.grow(3).unwrap();
    assert_eq!(budget.claim(Some(address("203.0.113.1")), 3).err(), Some(Exceeded::Total));
    let proxy = budget.claim(None, 2).unwrap();
    drop((share, proxy));

    assert!(budget.claim(None, 10).is_ok());
    let held = budget.held();
    assert!(held.total == 0 && held.by.is_empty());
}
