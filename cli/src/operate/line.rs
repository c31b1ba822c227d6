//! A line of the log names the request that it belongs to.
//!
//! The id comes from the task that serves the request, not from a span around it: a span costs each
//! call some microseconds, also those (nearly all) that log nothing.

use std::fmt::Result;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The reader of the lines: a person or a program.
#[derive(Clone, Copy)]
pub(super) enum Reader {
    /// `request.id` is the first field of the line's object.
    Program,
    /// The id precedes the line.
    Person,
}

/// Lines of a format with the id of their request.
pub(super) struct Named<F> {
    pub format: F,
    pub reader: Reader,
}

impl<S, N, F> FormatEvent<S, N> for Named<F>
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
            return self.format.format_event(context, writer, event);
        };
        match self.reader {
            Reader::Person => {
                write!(writer, "{id} ")?;
                self.format.format_event(context, writer, event)
            }
            Reader::Program => {
                let mut object = String::new();
                self.format.format_event(context, Writer::new(&mut object), event)?;
                let fields = object.strip_prefix('{').unwrap_or(&object);
                write!(writer, "{{\"request.id\":{},{fields}", serde_json::Value::String(id))
            }
        }
    }
}
