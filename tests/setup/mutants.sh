#!/usr/bin/env bash
# Prints the path of cargo-mutants (tests/setup/cargo-tool.sh).
exec "$(dirname "$0")/cargo-tool.sh" cargo-mutants 27.1.0 "for the mutation tests"
