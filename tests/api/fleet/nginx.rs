//! What the documented nginx does beyond every proxy ([`super::proxies`]): its own error pages, and
//! the limit of bodies under way.

use e2e::client_at;
use serde_json::json;

use super::proxies::{NEIGHBOUR, VISITOR};
use super::{Front, fleet};

/// Requests with a body that docs/nginx.conf lets one client have under way.
const UPLOADS: usize = 128;

#[tokio::test(flavor = "multi_thread")]
async fn the_error_pages_of_nginx_have_the_headers_of_the_site_once() {
    let front = Front::new();
    let fleet = fleet!(front.fleet(1));
    let [node] = fleet.public_addresses();
    let _nginx = front.nginx(&[node.clone(), node]).await;
    let client = client_at(VISITOR);

    let home = client.get(&front.site).send().await.unwrap();
    let large = client.post(format!("{}/planos", front.site)).body("a".repeat(300_000)).send().await.unwrap();

    assert_eq!((home.status().as_u16(), large.status().as_u16()), (200, 413));
    for answer in [&home, &large] {
        for (name, value) in
            [("x-content-type-options", "nosniff"), ("strict-transport-security", "max-age=31536000")]
        {
            let values: Vec<_> = answer.headers().get_all(name).iter().collect();
            assert_eq!(values, [value], "{name} of {}", answer.status());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_bodies_of_one_address_do_not_block_nginx_for_others() {
    let front = Front::new();
    let site = &front.site;
    let fleet = fleet!(front.fleet(1));
    let [node] = fleet.public_addresses();
    let _nginx = front.nginx(&[node.clone(), node]).await;
    let check = async |client: &reqwest::Client| {
        client.get(format!("{site}/api/auth/check-cookie")).send().await.unwrap().status().as_u16()
    };
    let clear = async |client: &reqwest::Client| {
        let cleared = client.post(format!("{site}/api/auth/clear-cookie")).header("origin", site);
        cleared.json(&json!({})).send().await.unwrap().status().as_u16()
    };
    let (visitor, neighbour) = (client_at(VISITOR), client_at(NEIGHBOUR));
    // A browser's connection has as many streams, so each body gets its own connection. A refused
    // body is sent again, because a call of `clear` may have taken its place.
    let trickle = |_| {
        let (client, url) = (client_at(VISITOR), format!("{site}/api/auth/set-cookie"));
        tokio::spawn(async move {
            loop {
                let body = reqwest::Body::wrap_stream(futures::stream::unfold((), |()| async {
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    Some((Ok::<_, std::io::Error>(" "), ()))
                }));
                let _ = client.post(&url).body(body).send().await;
            }
        })
    };
    assert_eq!((check(&visitor).await, clear(&visitor).await), (200, 200));

    let bodies: Vec<_> = (0..UPLOADS).map(trickle).collect();
    e2e::eventually("the address has its bodies", || async { (clear(&visitor).await == 429).then_some(()) })
        .await;

    assert_eq!(check(&visitor).await, 200, "a request without a body passes");
    assert_eq!((check(&neighbour).await, clear(&neighbour).await), (200, 200), "another address is served");
    bodies.iter().for_each(tokio::task::JoinHandle::abort);
    e2e::eventually("its places are free again", || async { (clear(&visitor).await == 200).then_some(()) })
        .await;
}
