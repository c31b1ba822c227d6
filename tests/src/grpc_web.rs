//! gRPC-Web calls in a browser's form: one framed message over HTTP/1.1.

use prost::Message;

/// A reply: HTTP version and headers, the grpc-status, and the message if there is one.
pub struct WebAnswer<T> {
    pub version: reqwest::Version,
    pub headers: reqwest::header::HeaderMap,
    pub grpc_status: String,
    pub message: Option<T>,
}

/// Calls `path` (`/package.Service/Method`) with these headers.
pub async fn call<Q: Message, A: Message + Default>(
    url: &str,
    path: &str,
    message: &Q,
    headers: &[(&str, &str)],
) -> WebAnswer<A> {
    try_call(url, path, message, headers).await.expect("the product answers")
}

/// The same while the connection may break.
///
/// # Errors
/// The connection failed or broke.
pub async fn try_call<Q: Message, A: Message + Default>(
    url: &str,
    path: &str,
    message: &Q,
    headers: &[(&str, &str)],
) -> reqwest::Result<WebAnswer<A>> {
    let mut request = crate::http::client()
        .post(format!("{url}{path}"))
        .header("content-type", "application/grpc-web+proto")
        .header("x-grpc-web", "1");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    try_send(request, message).await
}

/// Sends a request that lacks only its body. Native gRPC over HTTP/2 differs by its content type
/// and by trailers outside of the body, so only a reply of headers alone has its status here.
pub async fn sent<A: Message + Default>(
    request: reqwest::RequestBuilder,
    message: &impl Message,
) -> WebAnswer<A> {
    try_send(request, message).await.expect("the product answers")
}

async fn try_send<A: Message + Default>(
    request: reqwest::RequestBuilder,
    message: &impl Message,
) -> reqwest::Result<WebAnswer<A>> {
    let response = request.body(framed(message)).send().await?;
    let (version, headers) = (response.version(), response.headers().clone());
    let body = response.bytes().await?;
    let is_grpc =
        headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    // A proxy's own error may have another body.
    let (message, trailers) = if is_grpc { unframed(&body) } else { (None, String::new()) };
    let grpc_status = headers
        .get("grpc-status")
        .map(|value| value.to_str().expect("ascii").to_string())
        .or_else(|| status_in(&trailers))
        .unwrap_or_default();
    let message = message.map(|bytes| A::decode(bytes).expect("the message decodes"));
    Ok(WebAnswer { version, headers, grpc_status, message })
}

fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let length = u32::try_from(bytes.len()).expect("a small message");
    [&[0][..], &length.to_be_bytes(), &bytes].concat()
}

/// Splits a body into its message and the text of its trailers.
fn unframed(mut body: &[u8]) -> (Option<&[u8]>, String) {
    let (mut message, mut trailers) = (None, String::new());
    while body.len() >= 5 {
        let length = u32::from_be_bytes([body[1], body[2], body[3], body[4]]) as usize;
        let (frame, rest) = body[5..].split_at(length);
        if body[0] & 0x80 == 0 {
            message = Some(frame);
        } else {
            trailers = String::from_utf8_lossy(frame).into_owned();
        }
        body = rest;
    }
    (message, trailers)
}

fn status_in(trailers: &str) -> Option<String> {
    let line = trailers.lines().find_map(|line| line.strip_prefix("grpc-status:"))?;
    Some(line.trim().to_string())
}
