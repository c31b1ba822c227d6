#!/usr/bin/env bash
# Prints the path of cargo-auditable (tests/setup/cargo-tool.sh).
exec "$(dirname "$0")/cargo-tool.sh" cargo-auditable 0.7.7 "to list the crates of a program in it"
