//! The shell of every page, and what may stand inside it.

use axum::response::{Html, IntoResponse, Redirect, Response};
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};

use crate::control::guard::{Frames, content_policy};
use crate::provider::error::ApiError;

/// A page ready to be sent.
pub struct Page<'p> {
    /// Title of the tab.
    pub title: &'p str,
    /// Class of the body, which chooses the layout.
    pub layout: &'p str,
    /// Script to load, if any.
    pub script: Option<&'p str>,
    /// What stands inside the body.
    pub body: &'p str,
    /// Who may show it in a frame.
    pub frames: Frames,
}

impl IntoResponse for Page<'_> {
    fn into_response(self) -> Response {
        let script =
            self.script.map(|src| format!(r#"<script src="{src}" defer></script>"#)).unwrap_or_default();
        let html = format!(
            r#"<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} · ambiente de testes</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/sandbox.css">
{script}
</head>
<body class="{layout}">
{body}
</body>
</html>
"#,
            title = escape(self.title),
            layout = self.layout,
            body = self.body,
        );
        let mut response = Html(html).into_response();
        if let Ok(policy) = HeaderValue::from_str(&content_policy(&self.frames)) {
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// Text as it may stand in HTML and in attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// The band at the top of a page that stands alone.
pub fn band(what: &str) -> String {
    format!(
        r#"<header class="band"><a class="band-name" href="/"><span class="mark" aria-hidden="true"></span>Garimpo sandbox</a><span>{}</span><strong class="test">Ambiente de testes</strong></header>"#,
        escape(what)
    )
}

/// A page with one message.
pub fn message(status: StatusCode, title: &str, text: &str) -> Response {
    let body = format!(
        r#"{}<main class="sheet"><h1>{}</h1><p>{}</p></main>"#,
        band(""),
        escape(title),
        escape(text)
    );
    let page = Page { title, layout: "alone", script: None, body: &body, frames: Frames::Nobody };
    (status, page).into_response()
}

/// The page of a failure.
pub fn failed(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    message(status, "Não deu certo", error.error["message"].as_str().unwrap_or_default())
}

/// The page of something that is not there.
pub fn missing() -> Response {
    message(StatusCode::NOT_FOUND, "Página não encontrada", "O link não existe ou já não vale.")
}

/// Back to a page after a form was sent.
pub fn back_to(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// The site that a return address belongs to: scheme, host and port.
pub fn site_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| {
        // It stands in links and in a policy: nothing but a host and a port may pass.
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c))
    })?;
    Some(format!("{scheme}://{host}"))
}
