//! The shell of every page, and parts that pages share.

use axum::response::{Html, IntoResponse, Redirect, Response};
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, html};

use crate::provider::ApiError;

/// The sites on this machine, which can frame the checkout.
const LOCAL_SITES: &str =
    "'self' http://127.0.0.1:* http://localhost:* https://127.0.0.1:* https://localhost:*";

pub struct Page {
    title: String,
    /// Class of the body, which chooses the layout.
    layout: &'static str,
    script: Option<&'static str>,
    body: Markup,
    /// Sources that may show it in a frame.
    frame_ancestors: String,
}

impl Page {
    /// A page with the band at its top.
    pub fn alone(title: impl Into<String>, band: &str, body: Markup) -> Self {
        let body = html! {
            header.band {
                a.band-name href="/" { span.mark aria-hidden="true" {} "Garimpo sandbox" }
                span { (band) }
                strong.test { "Ambiente de testes" }
            }
            (body)
        };
        Self { title: title.into(), layout: "alone", script: None, body, frame_ancestors: "'none'".into() }
    }

    /// A page inside a frame: of the site that the session returns to, if any, or of one on this
    /// machine.
    pub fn framed(title: &str, script: &'static str, site: &str, body: Markup) -> Self {
        let frame_ancestors = format!("{LOCAL_SITES} {site}");
        Self { title: title.into(), layout: "frame", script: Some(script), body, frame_ancestors }
    }

    /// With the script of forms and buttons.
    pub fn with_script(self) -> Self {
        Self { script: Some("/assets/page.js"), ..self }
    }

    fn content_policy(&self) -> String {
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {}",
            self.frame_ancestors
        )
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let page = html! {
            (DOCTYPE)
            html lang="pt-BR" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="robots" content="noindex";
                    title { (self.title) " · ambiente de testes" }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/assets/sandbox.css";
                    @if let Some(src) = self.script { script src=(src) defer {} }
                }
                body class=(self.layout) { (self.body) }
            }
        };
        let mut response = Html(page.into_string()).into_response();
        if let Ok(policy) = HeaderValue::from_str(&self.content_policy()) {
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// A page with one message.
pub fn message(status: StatusCode, title: &str, text: &str) -> Response {
    let body = html! { main.sheet { h1 { (title) } p { (text) } } };
    (status, Page::alone(title, "", body)).into_response()
}

/// The page of a failure.
pub struct Failed(ApiError);

impl<E: Into<ApiError>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        message(status, "Não deu certo", self.0.message())
    }
}

/// The page of an unknown or expired link.
pub fn missing() -> Response {
    message(StatusCode::NOT_FOUND, "Página não encontrada", "O link não existe ou já não vale.")
}

/// The page of an unknown address, with the way to the front page.
pub async fn unknown() -> Response {
    let title = "Página não encontrada";
    let body = html! {
        main.sheet {
            h1 { (title) }
            p { "Este endereço não existe no sandbox." }
            p { a.secondary href="/" { "Ir para o início" } }
        }
    };
    (StatusCode::NOT_FOUND, Page::alone(title, "", body)).into_response()
}

/// Back to a page after a form was sent.
pub fn back_to(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// A row of a list of facts, unless its value is empty.
pub fn fact(name: &str, value: &str) -> Markup {
    html! { @if !value.is_empty() { div { dt { (name) } dd { (value) } } } }
}

/// A quiet paragraph in place of an empty list.
pub fn quiet(text: &str) -> Markup {
    html! { p.quiet { (text) } }
}

/// Scheme, host and port of a return URL.
pub fn site_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| {
        // It becomes part of a policy, so only a host and a port may pass.
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c))
    })?;
    Some(format!("{scheme}://{host}"))
}

/// The link to the user's area of a site.
pub fn back_link(return_url: Option<&str>) -> Markup {
    html! {
        @if let Some(site) = return_url.and_then(site_of) {
            a.secondary href={ (site) "/area-usuario" } { "Voltar ao site" }
        }
    }
}
