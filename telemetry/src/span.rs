//! Spans.

use std::borrow::Cow;

use opentelemetry::trace::{Span as _, SpanKind, Status, Tracer as _};
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::trace::Span as Recording;

use crate::context::TraceContext;
use crate::sampling::{Sampling, sampling};

/// The attribute of an error's kind.
const ERROR_TYPE: &str = "error.type";

/// Work under way; it ends when it is dropped.
#[derive(Debug, Default)]
pub struct Span {
    context: TraceContext,
    /// Boxed, because most requests are not recorded and should not carry its size.
    recording: Option<Box<Recording>>,
}

impl Span {
    /// A request that this process handles.
    pub fn server(name: impl Into<Cow<'static, str>>, parent: &TraceContext) -> Self {
        Self::begin(name, SpanKind::Server, parent)
    }

    /// A call to another system.
    pub fn client(name: impl Into<Cow<'static, str>>, parent: &TraceContext) -> Self {
        Self::begin(name, SpanKind::Client, parent)
    }

    /// A job that another piece of work has caused.
    pub fn job(name: impl Into<Cow<'static, str>>, cause: &TraceContext) -> Self {
        Self::begin(name, SpanKind::Consumer, cause)
    }

    fn begin(name: impl Into<Cow<'static, str>>, kind: SpanKind, parent: &TraceContext) -> Self {
        let Some(Sampling { tracer, .. }) = sampling() else { return Self::default() };
        let builder = tracer.span_builder(name).with_kind(kind);
        let recording = tracer.build_with_context(builder, &parent.as_parent());
        let context = TraceContext::of_span(recording.span_context());
        let recording = context.is_recorded().then(|| Box::new(recording));
        Self { context, recording }
    }

    /// The parent of what this work causes.
    pub fn context(&self) -> &TraceContext {
        &self.context
    }

    /// Whether attributes are kept.
    pub fn is_recorded(&self) -> bool {
        self.recording.is_some()
    }

    /// Adds an attribute: a number, or a value from a fixed set.
    pub fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        if let Some(recording) = &mut self.recording {
            recording.set_attribute(KeyValue::new(key, value));
        }
    }

    /// Replaces the name, when the route is known only at the end.
    pub fn rename(&mut self, name: impl FnOnce() -> String) {
        if let Some(recording) = &mut self.recording {
            recording.update_name(name());
        }
    }

    /// Marks the work as failed, with the kind of its error from a fixed set.
    pub fn fail(&mut self, kind: impl Into<Value>) {
        if let Some(recording) = &mut self.recording {
            recording.set_status(Status::error(""));
            recording.set_attribute(KeyValue::new(ERROR_TYPE, kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tracing_a_span_is_empty_and_small() {
        let mut span = Span::server(
            "POST /x",
            &TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        );

        span.set("http.response.status_code", 200);
        span.rename(|| unreachable!("nothing is recorded"));

        assert!(span.recording.is_none() && span.context().header().is_none());
        assert!(size_of::<Span>() <= 80, "{} bytes", size_of::<Span>());
    }
}
