//! The kinds of process.

/// The kind of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The product: the public port, the services and their jobs.
    Serve,
    /// The sandbox alone.
    Sandbox,
    /// An operator's command that calls the providers.
    Admin,
    /// An operator's command on the database alone.
    Report,
    /// An operator's command on the payment provider alone.
    Rehearsal,
}
