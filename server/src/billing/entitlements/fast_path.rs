//! Replies that are encoded once and kept for seconds, because services ask thousands of times a
//! second and rights seldom change.

pub(super) mod encoded_reply;
pub(super) mod reply_cache;
