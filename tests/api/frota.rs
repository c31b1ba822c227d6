//! The fleet on PostgreSQL: several servers and gateways as one product. Skipped without
//! PostgreSQL.

mod carga;
mod migracoes;
mod nginx;
mod observador;
mod queda;
mod reinicio;
mod relogio;
mod revogacao;
mod ronda;
mod segredo;

/// Starts a fleet, or ends the scenario where there is nothing for it to stand on.
macro_rules! fleet {
    ($start:expr) => {
        match $start.await {
            Some(fleet) => fleet,
            None => return e2e::skips("PostgreSQL"),
        }
    };
}
use fleet;
