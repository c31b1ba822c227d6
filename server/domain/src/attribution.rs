//! Attribution: the first and the last touch of a visitor, and the ids of clicks on advertisements.
//! All of it comes from URLs that anybody can write, so nothing is trusted.

use strum::{EnumString, IntoStaticStr};

use crate::instant::Timestamp;
use crate::unseen::is_format;

/// Days for which a touch counts: the lifetime of the platforms' own cookies.
pub const LIVES_DAYS: i64 = 90;
/// Days for which sign-ups and visits keep their source: a month is compared with the year before.
pub const KEPT_DAYS: i64 = 400;
/// Days for which an account keeps its touches: one may be [`LIVES_DAYS`] old at the sign-up.
pub const ARRIVAL_KEPT_DAYS: i64 = KEPT_DAYS + LIVES_DAYS;
/// Longest value of a URL parameter, in characters.
const LONGEST_VALUE: usize = 200;
/// Longest label, in characters.
const LONGEST_LABEL: usize = 64;
/// Longest id of a click, in characters.
const LONGEST_CLICK: usize = 500;
/// Days that a click may be ahead of our clock, because the visitor's clock dates the platform's
/// cookie.
const CLICK_AHEAD_DAYS: i64 = 1;

/// A platform whose clicks on advertisements are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AdPlatform {
    /// Facebook and Instagram.
    Meta,
    /// Google Ads.
    Google,
}

/// The source of a visit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// Query parameter `utm_source`.
    pub utm_source: String,
    /// Query parameter `utm_medium`.
    pub utm_medium: String,
    /// Query parameter `utm_campaign`.
    pub utm_campaign: String,
    /// Query parameter `utm_term`.
    pub utm_term: String,
    /// Query parameter `utm_content`.
    pub utm_content: String,
    /// Query parameter `campaign`.
    pub campaign_id: String,
    /// Query parameter `ref`.
    pub referral: String,
    /// Promotion code.
    pub promo: String,
    /// Host of the referring page.
    pub referrer_host: String,
    /// Platform of the click id in the URL.
    pub clicked: Option<AdPlatform>,
}

impl Touch {
    /// Keeps the valid parts of a touch; `None` without a source, or when it is older than
    /// [`LIVES_DAYS`].
    pub fn read(self, at: Option<Timestamp>, now: Timestamp) -> Option<(Self, Timestamp)> {
        let at = at?.min(now);
        let touch = Self {
            utm_source: kept(&self.utm_source),
            utm_medium: kept(&self.utm_medium),
            utm_campaign: kept(&self.utm_campaign),
            utm_term: kept(&self.utm_term),
            utm_content: kept(&self.utm_content),
            campaign_id: kept(&self.campaign_id),
            referral: kept(&self.referral),
            promo: kept(&self.promo),
            referrer_host: kept(&self.referrer_host),
            clicked: self.clicked,
        };
        (touch != Self::default() && now.plus_days(-LIVES_DAYS) <= at).then_some((touch, at))
    }

    /// A referral as a source, with a prefix that no `utm_source` is likely to have.
    fn referred(&self) -> String {
        if self.referral.is_empty() { String::new() } else { format!("ref:{}", self.referral) }
    }

    /// A click on an advertisement as a source.
    fn ads(&self) -> String {
        self.clicked.map_or_else(String::new, |platform| format!("{} ads", <&str>::from(platform)))
    }

    /// The names under which it is counted. What an address calls its source comes first; pages
    /// that count a visit say the same (web/src/attribution/attribution.ts).
    pub fn labels(&self) -> Labels {
        Labels {
            source: label(&[&self.utm_source, &self.referred(), &self.ads(), &self.referrer_host]),
            campaign: label(&[&self.utm_campaign, &self.campaign_id]),
            promo: label(&[&self.promo]),
        }
    }
}

/// The labels by which visits, sign-ups and purchases are counted; empty when unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
pub struct Labels {
    /// `utm_source`, else the referral, else the platform of a click, else the referring host.
    pub source: String,
    /// `utm_campaign`, else `campaign`.
    pub campaign: String,
    /// Promotion code.
    pub promo: String,
}

impl Labels {
    /// The label of all sources beyond the number that is counted separately.
    pub fn other() -> Self {
        Self { source: "(other)".to_owned(), ..Self::default() }
    }

    /// The labels of a visit that a page reports.
    pub fn read(source: &str, campaign: &str, promo: &str) -> Self {
        Self { source: label(&[source]), campaign: label(&[campaign]), promo: label(&[promo]) }
    }
}

/// Ids of clicks on advertisements; an absent one is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClickIds {
    /// Meta's click id in its own form.
    pub fbc: String,
    /// Meta's browser id.
    pub fbp: String,
    /// Google's click id.
    pub gclid: String,
}

impl ClickIds {
    /// Keeps the ids that have their platform's form and are of recent clicks; `None` without any.
    pub fn read(fbc: &str, fbp: &str, gclid: &str, now: Timestamp) -> Option<Self> {
        let own = |text: &str, is_own: bool| if is_own { text.to_owned() } else { String::new() };
        let ids = Self {
            fbc: own(fbc, is_fbc(fbc) && is_counted_click(fbc, now)),
            fbp: own(fbp, is_fbp(fbp)),
            gclid: own(gclid, is_click(gclid)),
        };
        (ids != Self::default()).then_some(ids)
    }
}

/// Whether a text is the browser's id at Meta (`_fbp`): `fb.<n>.<milliseconds>.<number>`, and after
/// another dot what Meta's own parameter builder appends.
pub fn is_fbp(text: &str) -> bool {
    metas(text).is_some_and(|id| id.len() <= 20 && is_digits(id))
}

/// Whether a text is the id of a click at Meta (`_fbc`): `fb.<n>.<milliseconds>.<fbclid>`, and
/// after another dot what Meta's own parameter builder appends.
pub fn is_fbc(text: &str) -> bool {
    metas(text).is_some_and(is_click)
}

/// Whether the click of an `_fbc` is at most [`LIVES_DAYS`] old and not in the future.
pub fn is_counted_click(fbc: &str, now: Timestamp) -> bool {
    let made = fbc.split('.').nth(2).and_then(|milliseconds| milliseconds.parse::<i64>().ok());
    let made = made.map(|milliseconds| Timestamp::from_micros(milliseconds.saturating_mul(1000)));
    made.is_some_and(|at| (now.plus_days(-LIVES_DAYS)..=now.plus_days(CLICK_AHEAD_DAYS)).contains(&at))
}

/// The id in `fb.<subdomain index>.<milliseconds>.<id>`, without the token of the program that
/// wrote it, which Meta's parameter builder appends as a fifth part.
fn metas(text: &str) -> Option<&str> {
    let mut parts = text.strip_prefix("fb.")?.splitn(4, '.');
    let (index, made, id) = (parts.next()?, parts.next()?, parts.next()?);
    let dated = (12..=16).contains(&made.len()) && is_digits(made);
    let is_own = index.len() == 1 && is_digits(index) && dated && parts.next().is_none_or(is_click);
    is_own.then_some(id)
}

fn is_click(text: &str) -> bool {
    let stands = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST_CLICK).contains(&text.len()) && text.bytes().all(stands)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The trimmed value; empty when it is too long, contains invisible characters or is personal.
fn kept(text: &str) -> String {
    let text = text.trim();
    let is_unseen = |c: char| c.is_control() || is_format(c);
    let fits = text.chars().count() <= LONGEST_VALUE && !text.contains(is_unseen);
    if fits && !is_personal(text) { text.to_owned() } else { String::new() }
}

/// Whether a value of an address holds an email or a Brazilian mobile number, also in percent
/// signs: links in mailings carry them, and values go to platforms and into reports. An
/// eleven-digit id of a campaign that reads like a number with its DDD is lost with them. Pages ask
/// the same (web/src/attribution/attribution.ts; both read tests/vectors/personal.json).
pub fn is_personal(text: &str) -> bool {
    let plain =
        text.to_lowercase().replace("%25", "%").replace("%40", "@").replace("%2b", "+").replace("%20", " ");
    let joins = |c: char| matches!(c, ' ' | '(' | ')' | '.' | '+' | '-');
    let mut runs = plain.split(|c: char| !c.is_ascii_digit() && !joins(c));
    holds_email(&plain) || runs.any(|run| is_mobile(&run.replace(joins, "")))
}

/// Whether text precedes an at sign and a host with a dot follows: `@perfil` is the name of a
/// profile, not an email.
fn holds_email(text: &str) -> bool {
    let divides = |c: char| c.is_whitespace() || c == '@';
    text.match_indices('@').any(|(at, _)| {
        let host = text[at + 1..].split(divides).next().unwrap_or_default();
        text[..at].ends_with(|c| !divides(c)) && host.trim_matches('.').contains('.')
    })
}

fn is_mobile(digits: &str) -> bool {
    let national = if digits.len() == 13 { digits.strip_prefix("55").unwrap_or_default() } else { digits };
    let bytes = national.as_bytes();
    bytes.len() == 11 && bytes[0] != b'0' && bytes[1] != b'0' && bytes[2] == b'9'
}

/// The first valid value, in lower case and cut to [`LONGEST_LABEL`].
fn label(values: &[&str]) -> String {
    let said = values.iter().map(|value| kept(value)).find(|value| !value.is_empty()).unwrap_or_default();
    said.to_lowercase().chars().take(LONGEST_LABEL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_seconds(1_790_000_000);

    fn touch(change: impl FnOnce(&mut Touch)) -> Touch {
        let mut touch = Touch { utm_source: " Instagram ".to_owned(), ..Touch::default() };
        change(&mut touch);
        touch
    }

    #[test]
    fn a_touch_counts_for_ninety_days_and_only_with_a_source() {
        for (at, counts) in [
            (Some(NOW), true),
            (Some(NOW.plus_days(1)), true),
            (Some(NOW.plus_days(-90)), true),
            (Some(NOW.plus_days(-90).plus_seconds(-1)), false),
            (None, false),
        ] {
            let read = touch(|_| ()).read(at, NOW);
            assert_eq!(read.is_some(), counts, "{at:?}");
            assert!(read.is_none_or(|(_, at)| at <= NOW), "{at:?}");
        }
        assert_eq!(Touch::default().read(Some(NOW), NOW), None);
    }

    #[test]
    fn a_long_value_or_one_with_invisible_characters_is_dropped() {
        let read = |text: &str| {
            let touch = touch(|touch| text.clone_into(&mut touch.utm_content)).read(Some(NOW), NOW);
            touch.expect("the source is kept").0.utm_content
        };

        assert_eq!(read(" banner azul "), "banner azul");
        assert_eq!(read(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(read(&"é".repeat(201)), "");
        assert_eq!(read("a\0b"), "");
        assert_eq!(read("a\u{85}b"), "");
        for unseen in ["insta\u{202e}margatsni", "\u{feff}insta", "a\u{200b}b", "a\u{e0041}b"] {
            assert_eq!((read(unseen), Labels::read(unseen, "", "")), (String::new(), Labels::default()));
        }
    }

    #[test]
    fn touches_are_counted_under_lower_case_labels_without_emails() {
        let labels = touch(|touch| {
            touch.referrer_host = "l.instagram.com".to_owned();
            touch.campaign_id = "Verão".to_owned();
            touch.promo = "NOVO".to_owned();
        })
        .labels();
        let expected = ("instagram", "verão", "novo");
        assert_eq!((&*labels.source, &*labels.campaign, &*labels.promo), expected);

        assert_eq!(touch(|touch| touch.utm_source.clear()).labels(), Labels::default());
        let host = touch(|touch| (touch.utm_source, touch.referrer_host) = (String::new(), "g.co".into()));
        assert_eq!(host.labels().source, "g.co");
        assert_eq!(Labels::read("ana@exemplo.com.br", "", ""), Labels::default());
        assert_eq!(Labels::read(&"x".repeat(200), "", "").source.len(), 64);
    }

    #[test]
    fn click_ids_have_the_format_of_the_platform() {
        let fbc = "fb.1.1790000000000.IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk";
        let fbp = "fb.1.1790000000000.1098115397";
        let all = ClickIds::read(fbc, fbp, "EAIaIQobChMI-x_y", NOW);
        assert_eq!(
            all,
            Some(ClickIds { fbc: fbc.into(), fbp: fbp.into(), gclid: "EAIaIQobChMI-x_y".into() })
        );

        let long = format!("fb.1.1790000000000.{}", "a".repeat(501));
        for wrong in ["", "fb.1.17900.x", "fb.1.1790000000000.", "fb.x.1790000000000.a", "a b", &long] {
            assert_eq!(ClickIds::read(wrong, "", "", NOW), None, "{wrong}");
        }
        for wrong in [fbc, "fb.1.1790000000000.123456789012345678901", "1098115397"] {
            assert_eq!(ClickIds::read("", wrong, "", NOW), None, "{wrong}");
        }
        assert_eq!(ClickIds::read("", "", "<script>", NOW), None);
    }

    #[test]
    fn ids_of_meta_may_have_the_part_that_its_parameter_builder_appends() {
        let (fbc, fbp) = ("fb.1.1790000000000.IwAR9z_k-2.AQQBAQIA", "fb.1.1790000000000.2044177312.AQQBAQIA");
        let read = ClickIds::read(fbc, fbp, "", NOW);
        assert_eq!(read, Some(ClickIds { fbc: fbc.into(), fbp: fbp.into(), gclid: String::new() }));
        for wrong in
            ["fb.1.1790000000000.IwAR9.", "fb.1.1790000000000.IwAR9.AQ.AQ", "fb.1.1790000000000.a.b c"]
        {
            assert_eq!(ClickIds::read(wrong, wrong, "", NOW), None, "{wrong}");
        }
    }

    #[test]
    fn a_click_of_meta_counts_for_ninety_days_from_the_time_in_its_id() {
        let clicked = |at: Timestamp| format!("fb.1.{}.IwAR0", at.as_micros() / 1000);
        for (at, counts) in [
            (NOW, true),
            (NOW.plus_days(-90), true),
            (NOW.plus_days(-90).plus_seconds(-1), false),
            (NOW.plus_days(1), true),
            (NOW.plus_days(1).plus_seconds(1), false),
        ] {
            assert_eq!(ClickIds::read(&clicked(at), "", "", NOW).is_some(), counts, "{at:?}");
        }
        assert!(!is_counted_click("fb.1.9999999999999999.x", NOW) && !is_counted_click("", NOW));
    }

    #[test]
    fn an_email_or_phone_in_a_url_is_stored_in_no_form() {
        let cases: Vec<(String, bool)> =
            serde_json::from_str(include_str!("../../../tests/vectors/personal.json"))
                .expect("the shared cases");
        for (text, personal) in cases {
            assert_eq!(is_personal(&text), personal, "{text}");
        }
        let read = touch(|touch| touch.utm_content = "maria@exemplo.com".to_owned()).read(Some(NOW), NOW);
        assert_eq!(read.expect("the source is kept").0.utm_content, "");
        assert_eq!(Labels::read("11987654321", "maria%40exemplo.com", "novo").promo, "novo");
        assert_eq!(Labels::read("11987654321", "maria%40exemplo.com", "").source, "");
    }

    #[test]
    fn the_source_is_the_utm_source_then_the_referral_the_click_and_the_referrer() {
        let all = Touch {
            utm_source: "Instagram".to_owned(),
            referral: "Ana".to_owned(),
            clicked: Some(AdPlatform::Meta),
            referrer_host: "l.facebook.com".to_owned(),
            ..Touch::default()
        };
        assert_eq!(all.labels().source, "instagram");
        let unnamed = Touch { utm_source: String::new(), ..all };
        assert_eq!(unnamed.labels().source, "ref:ana");
        let clicked = Touch { referral: String::new(), ..unnamed };
        assert_eq!(clicked.labels().source, "meta ads");
        let invented = Touch { clicked: "outra".parse().ok(), ..clicked };
        assert_eq!(invented.read(Some(NOW), NOW).expect("a host").0.labels().source, "l.facebook.com");
    }

    #[test]
    fn an_account_keeps_its_touches_for_the_days_of_sources_plus_the_lifetime_of_a_touch() {
        assert_eq!((KEPT_DAYS, LIVES_DAYS, ARRIVAL_KEPT_DAYS), (400, 90, 490));
    }

    #[test]
    fn further_sources_are_counted_together_as_other() {
        let other = Labels::other();
        assert_eq!((&*other.source, &*other.campaign, &*other.promo), ("(other)", "", ""));
    }

    #[test]
    fn an_id_of_meta_has_a_one_digit_index_and_milliseconds_in_digits() {
        assert!(is_fbc("fb.1.1790000000000.IwAR0"));
        assert!(is_fbp("fb.1.1790000000000.12345678901234567890"));
        for wrong in [
            "fb.12.1790000000000.1",
            "fb..1790000000000.1",
            "fb.x.1790000000000.1",
            "fb.1.17900000000.1",
            "fb.1.17900000000000000.1",
            "fb.1.179000000000x.1",
            "1.1790000000000.1",
        ] {
            assert!(!is_fbc(wrong) && !is_fbp(wrong), "{wrong}");
        }
    }

    #[test]
    fn after_its_at_sign_an_email_ends_at_a_space_or_another_at_sign() {
        for (text, personal) in [
            ("oi ana@exemplo.com", true),
            ("ana@exemplo@garimpo.com.", true),
            ("ana@exemplo hoje 1.0", false),
            ("ana @exemplo.com", false),
            ("@@exemplo.com", false),
        ] {
            assert_eq!(is_personal(text), personal, "{text}");
        }
    }

    #[test]
    fn a_mobile_number_has_an_area_code_without_zeros_and_begins_with_nine() {
        for (digits, mobile) in [
            ("11987654321", true),
            ("5511987654321", true),
            ("01987654321", false),
            ("10987654321", false),
            ("11887654321", false),
            ("5611987654321", false),
            ("551198765432", false),
        ] {
            assert_eq!(is_personal(digits), mobile, "{digits}");
        }
    }
}
