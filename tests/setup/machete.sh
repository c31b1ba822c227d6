#!/usr/bin/env bash
# Prints the path of cargo-machete (tests/setup/cargo-tool.sh).
exec "$(dirname "$0")/cargo-tool.sh" cargo-machete 0.9.1 "to lint"
