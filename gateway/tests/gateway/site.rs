//! The built site: pages, assets, their caching and their policies.

use crate::support::{Answered, Gateway, HTTPS, Services, request, settings};
use brotli::enc::BrotliEncoderParams;
use garimpo_gateway::{Captcha, Files, Settings};
use garimpo_proto::billing::v1::ListPlansResponse;
use http::StatusCode;
use prost_types::Timestamp;
use serde_json::json;
use std::io::Read;
use std::path::Path;
use tempfile::TempDir;

const LIST_PLANS: &str = "garimpo.billing.v1.BillingService/ListPlans";
const STYLE: &str = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
const SCRIPT: &str = "sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=";

/// A gateway over a small site with the layout of the web build.
struct Site {
    gateway: Gateway,
    _folder: TempDir,
}

impl Site {
    fn new() -> Self {
        Self::at("http://127.0.0.1:8080")
    }

    fn at(public_url: &str) -> Self {
        Self::with(settings(public_url))
    }

    fn with(settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path());
        let site = Files::Folder(folder.path().to_owned());
        let gateway = Gateway::with(Settings { site, ..settings });
        Self { gateway, _folder: folder }
    }

    fn services(&self) -> &Services {
        &self.gateway.services
    }

    async fn get(&self, path: &str) -> Answered {
        self.gateway.get(path, &[]).await
    }
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut text.as_bytes(), &mut packed, &BrotliEncoderParams::default()).unwrap();
    packed
}

fn unpacked(answer: &Answered) -> String {
    let mut text = Vec::new();
    match answer.header("content-encoding") {
        "br" => brotli::BrotliDecompress(&mut &answer.body[..], &mut text).unwrap(),
        "gzip" => drop(flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut text).unwrap()),
        encoding => panic!("{encoding}"),
    }
    String::from_utf8(text).unwrap()
}

fn build(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    };
    // The web build stores text as brotli alone.
    for (name, text) in [
        ("index.html", "<p>início</p>"),
        ("planos.html", "<link rel=canonical href=https://garimpo.invalid/planos>"),
        ("sitemap.xml", "<loc>https://garimpo.invalid/</loc>"),
        ("index.black-november.html", "<p>campanha</p>"),
        ("app.html", "<div id=root></div>"),
        ("404.html", "<p>Oops! Page not found</p>"),
        ("assets/main-abc.js", "js"),
        ("speculation-rules.json", "{}"),
        ("robots.txt", "Sitemap: https://garimpo.invalid/sitemap.xml"),
    ] {
        write(&format!("{name}.br"), &packed(text));
    }
    write("icon.png", b"png");
    let row = |path, canonical, area, file, campaign: Option<&str>, csp, noindex| {
        let is_prerendered = area == "site";
        json!({"path": path, "canonical": canonical, "area": area, "file": file, "campaignFile": campaign,
               "csp": csp, "styleHash": is_prerendered.then_some(STYLE),
               "scriptHash": is_prerendered.then_some(SCRIPT), "noindex": noindex})
    };
    let campaign = Some("index.black-november.html");
    let routes = json!({"notFound": {"area": "site", "file": "404.html", "styleHash": STYLE, "scriptHash": SCRIPT}, "routes": [
        row("/", "/", "site", "index.html", campaign, "default", false),
        row("/home", "/", "site", "index.html", campaign, "default", false),
        row("/planos", "/planos", "site", "planos.html", None, "default", false),
        row("/selecionar-plano", "/planos", "site", "planos.html", None, "default", false),
        row("/login", "/login", "app", "app.html", None, "default", true),
        row("/cadastro", "/cadastro", "app", "app.html", None, "account", true),
        row("/redefinir-senha", "/redefinir-senha", "app", "app.html", None, "account", true),
        row("/confirmar-email", "/confirmar-email", "app", "app.html", None, "account", true),
        row("/area-usuario", "/area-usuario", "app", "app.html", None, "account", true),
        row("/checkout", "/checkout", "app", "app.html", None, "checkout", true),
    ]});
    write("routes.json", routes.to_string().as_bytes());
}

fn plans(black_november: bool, now: i64, changes_at: i64) -> ListPlansResponse {
    let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
    ListPlansResponse {
        plans: vec![],
        server_time: at(now),
        black_november,
        campaign_changes_at: at(changes_at),
    }
}

#[tokio::test]
async fn pages_of_the_site_name_the_rules_for_prefetching_and_pages_of_the_app_do_not() {
    let site = Site::new();
    for path in ["/", "/selecionar-plano", "/nada"] {
        assert_eq!(
            site.get(path).await.header("speculation-rules"),
            r#""/speculation-rules.json""#,
            "{path}"
        );
    }
    assert_eq!(site.get("/login").await.header("speculation-rules"), "");
    let rules = site.get("/speculation-rules.json").await;
    assert_eq!(rules.header("content-type"), "application/speculationrules+json");
}

#[tokio::test]
async fn pages_aliases_and_the_shell_are_served_from_the_route_table() {
    let site = Site::new();
    for (path, text) in [
        ("/", "<p>início</p>"),
        ("/home", "<p>início</p>"),
        ("/home?utm_source=x", "<p>início</p>"),
        ("/login", "<div id=root></div>"),
    ] {
        let page = site.get(path).await;
        assert_eq!((page.status, page.text()), (StatusCode::OK, text), "{path}");
        assert_eq!(page.header("cache-control"), "no-cache");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    }
    assert_eq!(site.get("/").await.header("x-robots-tag"), "");
    assert_eq!(site.get("/login").await.header("x-robots-tag"), "noindex");
}

#[tokio::test]
async fn password_managers_and_old_browsers_get_what_they_ask_for() {
    let site = Site::new();
    for (asked, given) in
        [("/.well-known/change-password", "/area-usuario"), ("/favicon.ico", "/icon-192.png")]
    {
        let answer = site.get(asked).await;

        assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT, "{asked}");
        assert_eq!(answer.header("location"), given);
    }
}

#[tokio::test]
async fn a_trailing_slash_redirects_to_the_page() {
    let site = Site::new();
    let answer = site.get("/login/?a=b").await;
    assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(answer.header("location"), "/login?a=b");
    assert_eq!(site.get("//outro.example/").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_campaign_state_selects_the_file_and_is_cached_at_most_until_it_changes() {
    let site = Site::new();
    site.services().answers(LIST_PLANS, &plans(true, 100, 100_000), &[]);
    assert_eq!(site.get("/").await.text(), "<p>campanha</p>");
    site.get("/home").await;
    assert_eq!(site.services().seen().len(), 1, "one answer serves a second");

    let site = Site::new();
    site.services().answers(LIST_PLANS, &plans(true, 100, 100), &[]);
    assert_eq!(site.get("/").await.text(), "<p>campanha</p>");
    site.services().answers(LIST_PLANS, &plans(false, 100, 200), &[]);
    assert_eq!(site.get("/").await.text(), "<p>início</p>", "the turn came at once");
}

#[tokio::test]
async fn an_unknown_address_gets_404_with_the_page() {
    let site = Site::new();
    for path in ["/nada", "/index.html", "/routes.json", "/assets/nada.js", "/..%2fetc", "/app.html"] {
        let page = site.get(path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(page.text(), "<p>Oops! Page not found</p>", "{path}");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    }
    let posted = site.gateway.post("/nada", &[], "{}").await;
    assert_eq!((posted.status, posted.json()["code"].as_str()), (StatusCode::NOT_FOUND, Some("NOT_FOUND")));
    let posted = site.gateway.post("/login", &[], "{}").await;
    assert_eq!((posted.status, posted.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "GET,HEAD"));
}

#[tokio::test]
async fn the_etag_is_strong_and_of_its_own_per_encoding_and_gives_304() {
    let site = Site::new();
    let plain = site.get("/").await;
    let brotli = site.gateway.get("/", &[("accept-encoding", "gzip, br")]).await;
    let gzip = site.gateway.get("/", &[("accept-encoding", "gzip")]).await;

    assert_eq!((unpacked(&brotli).as_str(), brotli.header("content-encoding")), ("<p>início</p>", "br"));
    assert_eq!((unpacked(&gzip).as_str(), gzip.header("content-encoding")), ("<p>início</p>", "gzip"));
    assert_eq!((plain.text(), plain.header("content-encoding")), ("<p>início</p>", ""));
    assert_eq!(plain.header("vary"), "accept-encoding");
    let tags = [plain.header("etag"), brotli.header("etag"), gzip.header("etag")];
    assert!(tags.iter().all(|tag| tag.starts_with('"')));
    assert_eq!(tags.iter().collect::<std::collections::HashSet<_>>().len(), 3);

    let again = [("accept-encoding", "br"), ("if-none-match", brotli.header("etag"))];
    let unchanged = site.gateway.get("/", &again).await;
    assert_eq!((unchanged.status, unchanged.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(unchanged.header("etag"), brotli.header("etag"));
    let other = site.gateway.get("/", &[("if-none-match", brotli.header("etag"))]).await;
    assert_eq!(other.status, StatusCode::OK);
}

#[tokio::test]
async fn the_public_url_is_inserted_into_pages_sitemap_and_robots() {
    let site = Site::at(HTTPS);
    for (path, text) in [
        ("/planos", format!("<link rel=canonical href={HTTPS}/planos>")),
        ("/selecionar-plano", format!("<link rel=canonical href={HTTPS}/planos>")),
        ("/sitemap.xml", format!("<loc>{HTTPS}/</loc>")),
        ("/robots.txt", format!("Sitemap: {HTTPS}/sitemap.xml")),
    ] {
        assert_eq!(site.get(path).await.text(), text, "{path}");
    }
}

#[tokio::test]
async fn a_page_with_the_public_url_is_compressed_with_an_etag_per_encoding() {
    let site = Site::at(HTTPS);
    let whole = format!("<link rel=canonical href={HTTPS}/planos>");
    let plain = site.get("/planos").await;
    let brotli = site.gateway.get("/planos", &[("accept-encoding", "gzip, br")]).await;
    let gzip = site.gateway.get("/planos", &[("accept-encoding", "gzip")]).await;

    assert_eq!((unpacked(&brotli), brotli.header("content-encoding")), (whole.clone(), "br"));
    assert_eq!((unpacked(&gzip), gzip.header("content-encoding")), (whole, "gzip"));
    let tags = [plain.header("etag"), brotli.header("etag"), gzip.header("etag")];
    assert_eq!(tags.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    for (encoding, answer) in [("br", &brotli), ("gzip", &gzip)] {
        let again = [("accept-encoding", encoding), ("if-none-match", answer.header("etag"))];
        assert_eq!(site.gateway.get("/planos", &again).await.status, StatusCode::NOT_MODIFIED);
    }
}

#[tokio::test]
async fn text_stored_as_brotli_alone_is_unpacked_for_clients_that_do_not_accept_it() {
    let site = Site::new();
    for path in ["/", "/assets/main-abc.js"] {
        let brotli = site.gateway.get(path, &[("accept-encoding", "br")]).await;
        let gzip = site.gateway.get(path, &[("accept-encoding", "br;q=0, gzip")]).await;
        let plain = site.gateway.get(path, &[("accept-encoding", "br;q=0")]).await;
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        assert_eq!([unpacked(&brotli), unpacked(&gzip)], [plain.text(), plain.text()], "{path}");
        let types = [&brotli, &gzip, &plain].map(|answer| answer.header("content-type").to_owned());
        assert!(types.iter().all(|found| *found == types[0]), "{types:?}");
        let again = site.gateway.get(path, &[("if-none-match", plain.header("etag"))]).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
    }
    let picture = site.gateway.get("/icon.png", &[("accept-encoding", "br, gzip")]).await;
    assert_eq!((picture.text(), picture.header("content-encoding")), ("png", ""));
}

#[tokio::test]
async fn only_files_with_a_hash_in_their_name_are_immutable() {
    let site = Site::new();
    let script = site.gateway.get("/assets/main-abc.js", &[("accept-encoding", "br")]).await;
    assert_eq!(unpacked(&script), "js");
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(site.get("/robots.txt").await.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn head_returns_the_headers_without_the_body() {
    let site = Site::new();
    for path in ["/", "/assets/main-abc.js", "/nada"] {
        let got = site.get(path).await;
        let head = site.gateway.ask(request("HEAD", path, &[], "")).await;
        assert_eq!((head.status, head.body.len()), (got.status, 0), "{path}");
        assert_eq!(head.header("etag"), got.header("etag"));
        assert_eq!(head.header("content-length"), got.body.len().to_string(), "{path}");
    }
}

#[tokio::test]
async fn the_content_security_policy_is_strict_and_wider_only_for_account_and_checkout() {
    let site = Site::new();
    let home = site.get("/").await;
    let policy = home.header("content-security-policy");
    assert!(policy.contains(&format!("script-src 'self' '{SCRIPT}';")), "{policy}");
    assert!(policy.contains(&format!("style-src 'self' '{STYLE}';")), "{policy}");
    assert!(
        policy.contains("require-trusted-types-for 'script'") && policy.contains("frame-ancestors 'none'")
    );
    assert!(!policy.contains("12111"));
    assert_eq!(home.header("cross-origin-opener-policy"), "same-origin-allow-popups");
    assert_eq!(home.header("cross-origin-embedder-policy"), "");

    // A profile's photo may have any address; pages without photos load our own images alone.
    assert!(policy.contains("img-src 'self' data:;"), "{policy}");
    let account = site.get("/area-usuario").await;
    let wider = account.header("content-security-policy");
    let without_hashes = policy.replace(&format!(" '{STYLE}'"), "").replace(&format!(" '{SCRIPT}'"), "");
    assert_eq!(wider.replace("img-src 'self' data: https:;", "img-src 'self' data:;"), without_hashes);
    assert_eq!(account.header("cross-origin-opener-policy"), "same-origin-allow-popups");

    let checkout = site.get("/checkout").await;
    let policy = checkout.header("content-security-policy");
    for part in [
        "script-src 'self' http://127.0.0.1:12111;",
        "frame-src http://127.0.0.1:12111;",
        "connect-src 'self' http://127.0.0.1:12111;",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("trusted-types"));
    assert_eq!(checkout.header("cross-origin-opener-policy"), "unsafe-none");
    assert_eq!(checkout.header("cross-origin-embedder-policy"), "");
}

#[tokio::test]
async fn only_the_sign_up_page_lets_the_script_of_a_challenge_in_and_only_where_one_may_be_required() {
    let policy_of =
        async |site: &Site, path: &str| site.get(path).await.header("content-security-policy").to_owned();
    let script_url = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit".to_owned();
    let (without, with) = (
        Site::new(),
        Site::with(Settings { captcha: Some(Captcha { script_url }), ..settings("http://127.0.0.1:8080") }),
    );
    for path in ["/", "/login", "/redefinir-senha", "/area-usuario", "/checkout", "/unknown"] {
        assert_eq!(policy_of(&with, path).await, policy_of(&without, path).await, "{path}");
    }
    let account = policy_of(&without, "/area-usuario").await;
    assert_eq!(policy_of(&without, "/cadastro").await, account);

    let own = "script-src 'self'; style-src 'self'; img-src 'self' data: https:; font-src 'self'; \
               connect-src 'self'; frame-src 'none';";
    let wider = "script-src 'self' https://challenges.cloudflare.com; style-src 'self'; \
                 img-src 'self' data: https:; font-src 'self'; connect-src 'self'; \
                 frame-src https://challenges.cloudflare.com;";
    let expected = account.replace(own, wider).replace("; require-trusted-types-for 'script'", "");
    assert_ne!(expected, account);
    assert_eq!(policy_of(&with, "/cadastro").await, expected);
    assert_eq!(with.get("/config.json").await.json()["captcha"], true);
}

#[tokio::test]
async fn the_referrer_policy_depends_on_the_page_and_hsts_on_https() {
    let site = Site::new();
    assert_eq!(site.get("/").await.header("referrer-policy"), "strict-origin-when-cross-origin");
    for path in ["/redefinir-senha", "/confirmar-email"] {
        assert_eq!(site.get(path).await.header("referrer-policy"), "no-referrer", "{path}");
    }
    assert_eq!(site.get("/").await.header("strict-transport-security"), "");
    assert_eq!(site.get("/").await.header("x-content-type-options"), "nosniff");
    let secure = Site::at(HTTPS);
    assert_eq!(secure.get("/").await.header("strict-transport-security"), "max-age=31536000");
}

#[tokio::test]
async fn another_loopback_name_is_redirected_to_the_public_url() {
    let site = Site::new();
    for host in ["localhost:8080", "127.0.0.2:8080", "[::1]:8080"] {
        let mut asked = request("GET", "/login?a=b", &[], "");
        asked.headers_mut().insert("host", host.parse().unwrap());
        let answer = site.gateway.ask(asked).await;
        assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT, "{host}");
        assert_eq!(answer.header("location"), "http://127.0.0.1:8080/login?a=b");
    }
    let mut asked = request("GET", "/login", &[], "");
    asked.headers_mut().insert("host", "garimpo.example".parse().unwrap());
    assert_eq!(site.gateway.ask(asked).await.status, StatusCode::OK);
}

#[tokio::test]
async fn config_json_has_the_values_that_pages_read_at_run_time() {
    let site = Site::new();
    site.services().answers(LIST_PLANS, &plans(true, 1_762_000_000, 1_762_100_000), &[]);
    let config = site.get("/config.json").await;
    assert_eq!(config.header("cache-control"), "no-store");
    assert_eq!(
        config.json(),
        json!({
            "checkoutScriptUrl": "http://127.0.0.1:12111/v3/", "checkoutPublishableKey": "pk_test_garimpo",
            "blackNovember": true, "serverTime": "2025-11-01T12:26:40Z", "pixelIds": [],
            "pixelScriptUrl": null, "adsId": null, "adsScriptUrl": null, "adsLabels": {}, "captcha": false
        })
    );
}
