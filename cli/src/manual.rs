//! Completions of shells and manual pages, generated from the commands for packages.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

pub fn print_completions<A: CommandFactory>(shell: Shell) -> Result<ExitCode> {
    let mut command = A::command();
    let name = command.get_name().to_owned();
    // The generator panics when its reader leaves, so it writes into memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &text)?;
    Ok(ExitCode::SUCCESS)
}

pub fn write_pages<A: CommandFactory>(folder: &Path) -> Result<ExitCode> {
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(A::command(), folder));
    written.with_context(|| format!("{} cannot be written", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
