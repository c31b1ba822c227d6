//! The data of a product after its first start: migrated, and with its catalogue at the provider.
//! The template is created once per run and copied for each scenario, because a first start takes
//! ten times as long as a later one.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::app::base_settings;
use crate::eventually;
use crate::postgres::{copy_of, fresh};
use crate::process::Process;

static TEMPLATE: OnceCell<Template> = OnceCell::const_new();

/// Time limit of the template's stop.
const STOPS_WITHIN: Duration = Duration::from_secs(10);

struct Template {
    data: TempDir,
    /// Address of the template's database, if the run has a PostgreSQL.
    postgres: Option<String>,
}

/// Copies files and database into `data`; returns the database's address on PostgreSQL.
pub async fn copied_into(data: &Path) -> Option<String> {
    files_copied_into(data).await;
    database_copied().await
}

/// Copies only the files into `data`.
pub async fn files_copied_into(data: &Path) {
    let template = TEMPLATE.get_or_init(Template::make).await;
    for file in std::fs::read_dir(template.data.path()).expect("the template is there") {
        let file = file.expect("the template can be read");
        let name = file.file_name();
        if [".db", ".db-wal"].iter().any(|end| name.to_string_lossy().ends_with(end)) {
            std::fs::copy(file.path(), data.join(name)).expect("a file of the template can be copied");
        }
    }
}

/// A copy of the database, if the run has a PostgreSQL.
pub async fn database_copied() -> Option<String> {
    match &TEMPLATE.get_or_init(Template::make).await.postgres {
        Some(url) => Some(copy_of(url).await),
        None => None,
    }
}

impl Template {
    async fn make() -> Self {
        let data = TempDir::with_prefix("garimpo-template-").expect("a folder can be made");
        let postgres = fresh().await;
        let mut settings = base_settings();
        settings.extend(postgres.clone().map(|url| ("GARIMPO_DATABASE_URL".to_string(), url)));
        let (mut process, _) = Process::start("serve", data.path(), &settings).await;
        eventually("the catalogue at the provider", || async {
            process.log_text().contains("catalog_push done").then_some(())
        })
        .await;
        process.terminate();
        assert_eq!(process.ends(STOPS_WITHIN).await, Some(0), "{}", process.log_text());
        Self { data, postgres }
    }
}
