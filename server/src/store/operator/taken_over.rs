//! Rows of a replaced database that a restored one does not have and that cannot be read from the
//! payment provider: requests and marks of refunds, and changes of persons' rights.
//!
//! `docs/decisions.md` has the reason for each table. No rule undoes a fact of the backup that is
//! later than the replaced database, because an operator may restore an old backup and then a newer
//! one.

use std::path::Path;

use garimpo_domain::{Timestamp, Uid};
use serde::Serialize;
use sqlx::{Connection as _, SqliteConnection};

use super::repeated_deletions::attach;
use crate::store::engine::restore::connect;
use crate::store::engine::{Result, only};

/// Rows that were taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TakenOver {
    pub what: &'static str,
    pub rows: u64,
}

/// What is taken over from a table. `{columns}` stands for the columns of the table.
struct Rule {
    what: &'static str,
    table: &'static str,
    statement: &'static str,
}

/// Rules whose accounts are synced after them. Each statement returns the accounts.
const SYNCED: [Rule; 2] = [
    // A refund goes from card to Pix and from requested to paid, never back.
    Rule {
        what: "refund requests and marks",
        table: "refunds",
        statement: "INSERT OR REPLACE INTO main.refunds ({columns}) SELECT {columns} FROM replaced.refunds AS r
             WHERE NOT EXISTS (SELECT 1 FROM main.refunds AS m WHERE m.invoice_id = r.invoice_id
               AND NOT (m.method = 'card' AND r.method = 'pix')
               AND NOT (m.method = r.method AND m.state = 'requested' AND r.state = 'paid'))
             RETURNING uid",
    },
    Rule {
        what: "cancellations",
        table: "cancellations",
        statement: "INSERT OR IGNORE INTO main.cancellations ({columns}) SELECT {columns} FROM replaced.cancellations
             WHERE TRUE ON CONFLICT (id) DO UPDATE SET told = TRUE WHERE excluded.told AND NOT cancellations.told
             RETURNING uid",
    },
];

const OTHERS: [Rule; 13] = [
    Rule {
        what: "credit given back",
        table: "invoices",
        statement: "INSERT INTO main.invoices ({columns}) SELECT {columns} FROM replaced.invoices
             WHERE credit_returned_centavos > 0
             ON CONFLICT (id) DO UPDATE SET credit_returned_centavos = excluded.credit_returned_centavos
             WHERE invoices.credit_returned_centavos = 0",
    },
    Rule {
        what: "benefits that a person gets once",
        table: "person_benefits",
        statement: "INSERT OR IGNORE INTO main.person_benefits ({columns}) SELECT {columns} FROM replaced.person_benefits
             WHERE benefit <> 'trial' OR uid IN (SELECT uid FROM main.accounts)",
    },
    Rule {
        what: "changes of accounts",
        table: "accounts",
        statement: "UPDATE OR IGNORE main.accounts
             SET ({columns}) = (SELECT {columns} FROM replaced.accounts AS r WHERE r.uid = main.accounts.uid)
             WHERE EXISTS (SELECT 1 FROM replaced.accounts AS r
               WHERE r.uid = main.accounts.uid AND r.revision > main.accounts.revision)",
    },
    Rule {
        what: "answers about advertising",
        table: "consents",
        statement: "INSERT OR IGNORE INTO main.consents ({columns}) SELECT {columns} FROM replaced.consents
             WHERE uid IN (SELECT uid FROM main.accounts)",
    },
    Rule {
        what: "deleted clicks on advertisements",
        table: "click_ids",
        statement: "DELETE FROM main.click_ids
             WHERE (uid, checkout_id) NOT IN (SELECT uid, checkout_id FROM replaced.click_ids)",
    },
    Rule {
        what: "ended sessions",
        table: "sessions",
        statement: "DELETE FROM main.sessions WHERE id NOT IN (SELECT id FROM replaced.sessions)",
    },
    Rule {
        what: "ended tokens of sessions",
        table: "id_tokens",
        statement: "DELETE FROM main.id_tokens WHERE token_hash NOT IN (SELECT token_hash FROM replaced.id_tokens)",
    },
    Rule {
        what: "ended tokens of the identity provider",
        table: "ended_tokens",
        statement: "INSERT OR IGNORE INTO main.ended_tokens ({columns}) SELECT {columns} FROM replaced.ended_tokens",
    },
    Rule {
        what: "used codes of passwords",
        table: "password_resets",
        statement: "DELETE FROM main.password_resets
             WHERE code_hash NOT IN (SELECT code_hash FROM replaced.password_resets)",
    },
    Rule {
        what: "used codes of emails",
        table: "email_confirmations",
        statement: "DELETE FROM main.email_confirmations
             WHERE code_hash NOT IN (SELECT code_hash FROM replaced.email_confirmations)",
    },
    Rule {
        what: "revoked service tokens",
        table: "service_tokens",
        statement: "UPDATE main.service_tokens
             SET revoked_at_us = (SELECT revoked_at_us FROM replaced.service_tokens AS r WHERE r.id = main.service_tokens.id)
             WHERE revoked_at_us IS NULL
               AND id IN (SELECT id FROM replaced.service_tokens WHERE revoked_at_us IS NOT NULL)",
    },
    Rule {
        what: "accepted stop of selling",
        table: "payers_check",
        statement: "INSERT INTO main.payers_check ({columns}) SELECT {columns} FROM replaced.payers_check
             WHERE state = 'accepted' ON CONFLICT (id) DO UPDATE SET state = 'accepted'
             WHERE payers_check.state = 'found'",
    },
    Rule {
        what: "audit events",
        table: "audit_events",
        statement: "INSERT OR IGNORE INTO main.audit_events ({columns}) SELECT {columns} FROM replaced.audit_events",
    },
];

/// The statement of a rule. The order of the columns may differ between databases.
async fn statement_of(rule: &Rule, connection: &mut SqliteConnection) -> Result<String> {
    let columns: String = only!(Sqlite, &mut *connection, value
        "SELECT group_concat(name, ', ') FROM pragma_table_info($1)", rule.table)?;
    Ok(rule.statement.replace("{columns}", &columns))
}

/// The statement of every rule, for the test of all statements.
#[cfg(test)]
pub(crate) async fn statements(connection: &mut SqliteConnection) -> Result<Vec<String>> {
    let mut statements = Vec::new();
    for rule in SYNCED.iter().chain(&OTHERS) {
        statements.push(statement_of(rule, connection).await?);
    }
    Ok(statements)
}

/// Takes the rows over in one transaction; returns their numbers, and the accounts to sync. Both
/// databases have the schema of this program.
pub async fn take_over(restored: &Path, replaced: &Path) -> Result<(Vec<TakenOver>, Vec<Uid>)> {
    let mut connection = attach(restored, replaced).await?;
    let mut transaction = connection.begin().await?;
    let (mut taken_over, mut uids) = (Vec::new(), Vec::new());
    for rule in &SYNCED {
        let statement = statement_of(rule, &mut transaction).await?;
        let of: Vec<Uid> = only!(Sqlite, &mut *transaction, values built statement)?;
        taken_over.push(TakenOver { what: rule.what, rows: of.len() as u64 });
        uids.extend(of);
    }
    for rule in &OTHERS {
        let statement = statement_of(rule, &mut transaction).await?;
        let rows = only!(Sqlite, &mut *transaction, affected built statement)?;
        taken_over.push(TakenOver { what: rule.what, rows });
    }
    transaction.commit().await?;
    connection.close().await?;
    taken_over.retain(|taken| taken.rows > 0);
    uids.sort_unstable();
    uids.dedup();
    Ok((taken_over, uids))
}

/// Pix refunds that are paid in the restored database and requested in the replaced one: the
/// operator undid the mark, or set it after the replaced database had been restored.
pub async fn doubtful_refunds(restored: &Path, replaced: &Path) -> Result<Vec<String>> {
    let mut connection = attach(restored, replaced).await?;
    let ids = only!(Sqlite, &mut connection, values
        "SELECT m.id FROM main.refunds AS m JOIN replaced.refunds AS r ON r.id = m.id
         WHERE m.method = 'pix' AND r.method = 'pix' AND m.state = 'paid' AND r.state = 'requested' ORDER BY m.id")?;
    connection.close().await?;
    Ok(ids)
}

/// The last time in real time that a running server wrote; `None` if none has.
pub async fn last_write(database: &Path) -> Result<Option<Timestamp>> {
    let mut connection = connect(database, true).await?;
    let at = only!(Sqlite, &mut connection, value
        "SELECT MAX(at) FROM (SELECT seen_at_us AS at FROM live_servers UNION ALL SELECT ran_at_us FROM doctor_findings)")?;
    connection.close().await?;
    Ok(at)
}
