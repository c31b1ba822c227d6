//! Traces by OpenTelemetry: the place of a piece of work in its trace, its span, and the export.
//! And the kept handles of the metrics that every request counts in.
//!
//! Without [`start`] a span is an empty value, and nothing is sampled, stored or sent. Names and
//! attributes of spans come from fixed sets (routes, calls, kinds of jobs) or are numbers and ids
//! of requests, so that no span holds what a visitor typed.

mod context;
mod export;
mod sampling;
mod series;
mod span;

pub use context::{TRACEPARENT, TraceContext};
pub use export::{Exporter, StartError, TraceSettings, start};
pub use sampling::is_on;
pub use series::{Handles, Series};
pub use span::Span;
