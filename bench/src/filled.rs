//! A data folder with any number of accounts, 1,000 of them signed in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use garimpo_server::clock::{Clock as _, SystemClock};
use sha2::{Digest as _, Sha256};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;

use crate::product::Product;

pub const FEW: u32 = 1_000;
pub const MANY: u32 = 1_000_000;
/// Visitors with a known session token.
pub const ACTIVE: u32 = 1_000;

const ACCOUNTS: &str = "
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1)
    INSERT INTO accounts (uid, email, password_hash, display_name, first_name, email_verified, created_at_us,
                          revision, trial_used_before, person_hash)
    SELECT printf('usr_%026d', i), 'pessoa' || i || '@exemplo.com.br', NULL, 'Pessoa', 'Pessoa', 0, $2, 1, 0,
           'person_' || i FROM n";
const SESSIONS: &str = "
    INSERT INTO sessions (id, token_hash, uid, created_at_us, seen_at_us)
    SELECT 'ses_' || substr(uid, 5), randomblob(32), uid, created_at_us, created_at_us FROM accounts";
const RIGHTS: &str = "
    INSERT INTO entitlement_changes (uid, latest, plan_id, status, valid_until_us, next_change_at_us, revision, at_us)
    SELECT uid, 1, 'profissional', 'trialing', $1, $1, 1, created_at_us FROM accounts";
const BUSY_TIMEOUT: Duration = Duration::from_mins(1);
const TRIAL_DAYS: i64 = 7;

/// A data folder of a stopped product, and the session tokens of its active visitors.
pub struct DataDir {
    folder: TempDir,
    tokens: Vec<String>,
}

impl DataDir {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn token(&self) -> &str {
        &self.tokens[0]
    }

    /// Writes the cookies of all active visitors to a file, one per line, and returns its path.
    /// They are equal in every data folder.
    pub fn cookies(&self) -> Result<PathBuf> {
        let path = self.path().join("cookies");
        let lines: Vec<String> =
            self.tokens.iter().map(|token| format!("garimpo_session={token}\n")).collect();
        std::fs::write(&path, lines.concat())?;
        Ok(path)
    }
}

pub fn uid(n: u32) -> String {
    format!("usr_{n:026}")
}

pub async fn data_dir(accounts: u32) -> Result<DataDir> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    Product::start(folder.path()).await?.stop()?;
    let mut database = open(&folder.path().join("garimpo.db")).await?;
    fill(&mut database, accounts).await?;
    let tokens = sign_in(&mut database, accounts).await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut database).await?;
    database.close().await?;
    Ok(DataDir { folder, tokens })
}

/// Opens a database of the product, which may still be locked by its last process.
pub async fn open(file: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(file).busy_timeout(BUSY_TIMEOUT);
    Ok(options.connect().await?)
}

async fn fill(database: &mut SqliteConnection, accounts: u32) -> Result<()> {
    let now = SystemClock.now().as_micros();
    let mut tx = database.begin().await?;
    sqlx::query(ACCOUNTS).bind(accounts).bind(now).execute(&mut *tx).await?;
    sqlx::query(SESSIONS).execute(&mut *tx).await?;
    let trial_ends = SystemClock.now().plus_days(TRIAL_DAYS).as_micros();
    sqlx::query(RIGHTS).bind(trial_ends).execute(&mut *tx).await?;
    tx.commit().await?;
    sqlx::query("ANALYZE").execute(database).await?;
    Ok(())
}

/// Gives known tokens to sessions spread evenly over the accounts.
async fn sign_in(database: &mut SqliteConnection, accounts: u32) -> Result<Vec<String>> {
    let mut tx = database.begin().await?;
    let mut tokens = Vec::new();
    for visitor in 0..ACTIVE {
        let token = format!("gs_{visitor:043}");
        let id = format!("ses_{:026}", visitor * (accounts / ACTIVE));
        sqlx::query("UPDATE sessions SET token_hash = $1 WHERE id = $2")
            .bind(Sha256::digest(&token).as_slice())
            .bind(id)
            .execute(&mut *tx)
            .await?;
        tokens.push(token);
    }
    tx.commit().await?;
    Ok(tokens)
}
