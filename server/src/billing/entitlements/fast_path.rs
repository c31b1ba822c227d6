//! Replies of EntitlementService that are encoded once and kept for five seconds, because services
//! request them thousands of times a second and rights seldom change.
//!
//! Instructions of the server process in user space per call, counted by callgrind on 2026-11-25
//! with 1,000 accounts on SQLite, release profile, x86-64:
//!
//! | | GetEntitlements | BatchGetEntitlements of 1,000 |
//! |---|--:|--:|
//! | with the fast path | 107,000 | 2,600,000 |
//! | replies read from the database each time (no [`reply_cache`]) | 217,000 | 60,800,000 |
//! | messages of the contract in place of [`encoded_reply`] | 119,000 | 16,600,000 |
//! | uids as `String`, entries of a batch in a `HashMap` | 107,000 | 3,200,000 |
//! | moka in place of the map in [`reply_cache`] | 107,000 | 3,600,000 |
//!
//! Removed, because each gave less than 10% of its call: small buffers of the codec (2%), kept
//! handles of metrics in server and gateway (5% each), atomics around recent ids (2%), and the
//! cache crate quick_cache (10% of a batch, compared with a map and SipHash).
//!
//! Since then, in the profile `dist`: a call that finds its reply allocates no future of a read
//! (93,000 instead of 109,000), and a batch is encoded into one buffer (2,231,000 instead of
//! 2,571,000, of which 459,000 are the copy of its 419 KB).
//!
//! The messages are in `garimpo_proto::fast_path`.

pub(super) mod encoded_reply;
pub(super) mod reply_cache;
