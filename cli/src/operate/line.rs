//! A line of the log names the request that it belongs to.
//!
//! The id comes from the task that serves the request, not from a span around it: a span costs each call some
//! microseconds, also those (nearly all) that log nothing.

use std::fmt::Result;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Lines for programs: `request.id` is the first field of the object that `F` writes.
pub(super) struct Json<F>(pub F);

/// Lines for people: the id stands before what `F` writes.
pub(super) struct Plain<F>(pub F);

impl<S, N, F> FormatEvent<S, N> for Json<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> Result {
        let Some(id) = garimpo_server::current_request() else {
            return self.0.format_event(context, writer, event);
        };
        let mut object = String::new();
        self.0.format_event(context, Writer::new(&mut object), event)?;
        let fields = object.strip_prefix('{').unwrap_or(&object);
        write!(writer, "{{\"request.id\":{},{fields}", serde_json::Value::String(id))
    }
}

impl<S, N, F> FormatEvent<S, N> for Plain<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> Result {
        if let Some(id) = garimpo_server::current_request() {
            write!(writer, "{id} ")?;
        }
        self.0.format_event(context, writer, event)
    }
}
