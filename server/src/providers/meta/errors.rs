//! What the platform answers when it does not take events, decided by its codes and never by its texts.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::providers::{Outcome, wire_failure};

/// The platform says no more than this of why, in characters.
const LONGEST_TEXT: usize = 300;
/// A platform that is asked too much is left alone so long, where it names no pause of its own.
const THROTTLED: Duration = Duration::from_mins(1);
/// The longest pause that it may ask for.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// Why events were not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// It could not be reached, was late, broken or asked too much: the same events may be sent again.
    #[error("the conversions platform does not take events now: {why}")]
    Unavailable {
        /// What happened.
        why: String,
        /// Not again before this pause.
        retry_after: Option<Duration>,
    },
    /// It does not take our access token, pixel or version: the operator's to mend, and no event's fault.
    #[error("the conversions platform does not take our access token, pixel or version: {0}")]
    Unwelcome(String),
    /// It will never take an event of this call: alone, it is that event.
    #[error("the conversions platform refused it: {0}")]
    Refused(String),
}

#[derive(Deserialize)]
struct Body {
    error: Detail,
}

#[derive(Deserialize, Default)]
struct Detail {
    #[serde(default)]
    message: String,
    code: Option<i64>,
    error_subcode: Option<i64>,
    #[serde(default)]
    is_transient: bool,
    error_user_title: Option<String>,
    error_user_msg: Option<String>,
}

impl Detail {
    /// `100/2804003 Event Timestamp Too Old: …`, bounded and on one line.
    fn text(&self) -> String {
        let subcode = self.error_subcode.map(|code| format!("/{code}")).unwrap_or_default();
        let title = self.error_user_title.as_deref().unwrap_or(&self.message);
        let told = match self.error_user_msg.as_deref() {
            Some(more) if more != title => format!("{title}: {more}"),
            _ => title.to_owned(),
        };
        let told = format!("{}{subcode} {told}", self.code.unwrap_or_default());
        told.chars().filter(|letter| !letter.is_control()).take(LONGEST_TEXT).collect()
    }

    fn is_throttled(&self) -> bool {
        matches!(self.code, Some(4 | 17 | 32 | 613 | 80_000..=80_014))
    }

    /// 190 and 102: token; 10 and 200 to 299: permission; 100/33 and 803: no such pixel for us; 2500: no such version.
    fn is_about_us(&self) -> bool {
        matches!(self.code, Some(10 | 102 | 190 | 200..=299 | 803 | 2500))
            || (self.code, self.error_subcode) == (Some(100), Some(33))
    }
}

impl MetaError {
    /// Reads an answer that is not a success, with the pause that it asks for.
    pub(super) fn from_answer(status: u16, asked: Option<Duration>, body: &[u8]) -> Self {
        let detail = serde_json::from_slice::<Body>(body).map(|body| body.error).unwrap_or_default();
        let asked = asked.map(|pause| pause.min(LONGEST_ASKED));
        let unavailable = |retry_after| {
            let why = if detail.code.is_some() { detail.text() } else { format!("it answered {status}") };
            Self::Unavailable { why, retry_after }
        };
        let passes = status >= 500 || detail.is_transient || matches!(detail.code, Some(1 | 2));
        if status == 429 || detail.is_throttled() {
            unavailable(Some(asked.unwrap_or(THROTTLED)))
        } else if passes {
            unavailable(asked)
        } else if detail.is_about_us() || matches!(status, 401 | 403) {
            Self::Unwelcome(detail.text())
        } else if detail.code.is_some() {
            Self::Refused(detail.text())
        } else {
            unavailable(asked)
        }
    }

    /// A wire that gave nothing; the address of the call stands nowhere.
    pub(super) fn transport(error: reqwest::Error) -> Self {
        Self::Unavailable { why: wire_failure(error), retry_after: None }
    }

    /// The same without our token, should the platform repeat it.
    pub(super) fn without(self, token: &SecretString) -> Self {
        let cut = |text: String| text.replace(token.expose_secret(), "***");
        match self {
            Self::Unavailable { why, retry_after } => Self::Unavailable { why: cut(why), retry_after },
            Self::Unwelcome(why) => Self::Unwelcome(cut(why)),
            Self::Refused(why) => Self::Refused(cut(why)),
        }
    }

    /// How the call ended.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Unavailable { .. } => Outcome::Unavailable,
            Self::Unwelcome(_) => Outcome::Unwelcome,
            Self::Refused(_) => Outcome::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, error: &str) -> MetaError {
        MetaError::from_answer(status, None, format!(r#"{{"error":{error}}}"#).as_bytes())
    }

    #[test]
    fn o_codigo_diz_se_volta_se_e_conosco_ou_se_e_o_evento() {
        for (status, error, class) in [
            (500, r#"{"code":2,"message":"Service temporarily unavailable"}"#, Outcome::Unavailable),
            (400, r#"{"code":1,"message":"Unknown"}"#, Outcome::Unavailable),
            (400, r#"{"code":100,"is_transient":true}"#, Outcome::Unavailable),
            (503, "{}", Outcome::Unavailable),
            (302, "{}", Outcome::Unavailable),
            (400, r#"{"code":4}"#, Outcome::Unavailable),
            (400, r#"{"code":80004}"#, Outcome::Unavailable),
            (429, "{}", Outcome::Unavailable),
            (400, r#"{"code":190,"error_subcode":463}"#, Outcome::Unwelcome),
            (401, "{}", Outcome::Unwelcome),
            (403, r#"{"code":200}"#, Outcome::Unwelcome),
            (400, r#"{"code":10}"#, Outcome::Unwelcome),
            (400, r#"{"code":100,"error_subcode":33}"#, Outcome::Unwelcome),
            (400, r#"{"code":2500}"#, Outcome::Unwelcome),
            (400, r#"{"code":100,"error_subcode":2804003}"#, Outcome::Refused),
            (400, r#"{"code":100}"#, Outcome::Refused),
        ] {
            assert_eq!(answered(status, error).outcome(), class, "{status} {error}");
        }
    }

    #[test]
    fn quem_e_pedido_demais_descansa_um_minuto_ou_o_que_pedir_ate_uma_hora() {
        for (asked, kept) in [(None, 60), (Some(7), 7), (Some(86_400), 3600)] {
            let read = MetaError::from_answer(429, asked.map(Duration::from_secs), b"");
            let MetaError::Unavailable { retry_after, .. } = read else { panic!("{read}") };
            assert_eq!(retry_after, Some(Duration::from_secs(kept)));
        }
    }

    #[test]
    fn motivo_da_plataforma_fica_em_uma_linha_e_sem_o_nosso_token() {
        let error = r#"{"code":100,"error_subcode":2804003,"message":"Invalid parameter",
            "error_user_title":"Event Timestamp Too Old","error_user_msg":"Sent with\nEAA-segredo"}"#;
        let read = answered(400, error).without(&SecretString::from("EAA-segredo"));
        let told = "the conversions platform refused it: 100/2804003 Event Timestamp Too Old: Sent with***";
        assert_eq!(read.to_string(), told);
    }
}
