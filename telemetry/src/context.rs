//! The place of a piece of work in its trace, and its form in headers and in stored jobs.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{SpanContext, TraceContextExt as _, TraceFlags, TraceState};
use opentelemetry_sdk::propagation::TraceContextPropagator;

use crate::sampling::sampling;

const NAME: &str = "traceparent";
/// The header of the W3C's recommendation Trace Context.
pub const TRACEPARENT: HeaderName = HeaderName::from_static(NAME);
/// Headers that a gateway does not pass on: `tracestate` and `baggage` hold any text.
const OPEN_ENDED: [&str; 2] = ["tracestate", "baggage"];

/// The span in which work happens. It is empty without tracing, and if no caller has a trace.
#[derive(Debug, Clone, Default)]
pub struct TraceContext(Option<SpanContext>);

impl TraceContext {
    pub(crate) fn of_span(context: &SpanContext) -> Self {
        Self(Some(context.clone()))
    }

    /// Reads a `traceparent`; any other text is an empty context.
    pub fn parse(traceparent: &str) -> Self {
        let found = TraceContextPropagator::new().extract_with_context(&Context::new(), &One(traceparent));
        let found = found.span().span_context().clone();
        Self(found.is_valid().then_some(found))
    }

    /// The context of a process of ours, which has decided whether the trace is recorded.
    pub fn of_peer(headers: &HeaderMap) -> Self {
        if sampling().is_none() {
            return Self::default();
        }
        headers.get(TRACEPARENT).and_then(|value| value.to_str().ok()).map(Self::parse).unwrap_or_default()
    }

    /// The context of a client, who names the trace, and removes its headers. We decide whether the
    /// trace is recorded, because a client could otherwise have all of its requests recorded.
    pub fn take_from_client(headers: &mut HeaderMap) -> Self {
        for name in OPEN_ENDED {
            headers.remove(name);
        }
        let given = headers.remove(TRACEPARENT);
        let Some(sampling) = sampling() else { return Self::default() };
        let Some(client) = given.and_then(|value| value.to_str().ok().map(Self::parse)?.0) else {
            return Self::default();
        };
        let is_sampled = sampling.decides(client.is_sampled());
        let flags = TraceFlags::default().with_sampled(is_sampled);
        let (trace, span) = (client.trace_id(), client.span_id());
        Self(Some(SpanContext::new(trace, span, flags, true, TraceState::default())))
    }

    /// Whether the trace is recorded.
    pub fn is_recorded(&self) -> bool {
        self.0.as_ref().is_some_and(SpanContext::is_sampled)
    }

    /// The header for another process, also of a trace that is not recorded, so that the other
    /// process does not decide anew.
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.text()?).ok()
    }

    /// The form for work that happens later; `None` if the trace is not recorded.
    pub fn stored(&self) -> Option<String> {
        self.is_recorded().then(|| self.text()).flatten()
    }

    fn text(&self) -> Option<String> {
        let context = self.0.as_ref()?;
        let (trace, span, flags) = (context.trace_id(), context.span_id(), context.trace_flags());
        Some(format!("00-{trace}-{span}-{:02x}", flags.to_u8()))
    }

    /// As the parent of a span.
    pub(crate) fn as_parent(&self) -> Context {
        match &self.0 {
            Some(context) => Context::new().with_remote_span_context(context.clone()),
            None => Context::new(),
        }
    }
}

/// A carrier with one value.
struct One<'t>(&'t str);

impl Extractor for One<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == NAME).then_some(self.0)
    }

    fn keys(&self) -> Vec<&str> {
        vec![NAME]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_context_is_parsed_as_written_and_another_text_is_an_empty_context() {
        assert_eq!(TraceContext::parse(GIVEN).stored().as_deref(), Some(GIVEN));
        let unrecorded = format!("{}00", &GIVEN[..GIVEN.len() - 2]);
        let context = TraceContext::parse(&unrecorded);
        assert!(!context.is_recorded() && context.stored().is_none());
        assert_eq!(context.header().expect("a header"), unrecorded.as_str());
        for text in [
            "",
            "00",
            "ana@exemplo.com.br",
            "00-0-0-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert!(TraceContext::parse(text).header().is_none(), "{text}");
        }
    }

    #[test]
    fn without_tracing_no_trace_header_of_a_client_is_forwarded() {
        let mut headers = HeaderMap::new();
        for name in ["traceparent", "tracestate", "baggage"] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(GIVEN));
        }

        assert!(TraceContext::of_peer(&headers).header().is_none());
        assert!(TraceContext::take_from_client(&mut headers).header().is_none());
        assert!(headers.is_empty());
    }
}
