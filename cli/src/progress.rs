//! Progress of a long command on a terminal; a pipe gets none.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::Duration;

const DRAW_EVERY: Duration = Duration::from_millis(100);

/// A bar or a spinner on standard error, cleared when it is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// A spinner with the elapsed time, for work of unknown length.
    pub fn spinner(what: &'static str) -> Self {
        Self::shown(ProgressBar::no_length(), "{spinner} {msg} {elapsed}", what)
    }

    /// A bar over `length` steps.
    pub fn bar(what: &'static str, length: usize) -> Self {
        Self::shown(ProgressBar::new(length as u64), "{msg} {bar:30} {pos}/{len} {elapsed}", what)
    }

    fn shown(bar: ProgressBar, template: &str, what: &'static str) -> Self {
        let is_shown = stderr().is_terminal();
        bar.set_draw_target(if is_shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        bar.set_message(what);
        bar.enable_steady_tick(DRAW_EVERY);
        Self(bar)
    }

    /// Writes lines in place of the bar, which is drawn again below them.
    pub fn above(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }

    /// One more step is done.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
