//! Changes of plan: the preview and the change itself.

pub(super) mod change;
pub(super) mod preview;
