#!/usr/bin/env bash
# Prints the path of cargo-deny (tests/setup/cargo-tool.sh).
exec "$(dirname "$0")/cargo-tool.sh" cargo-deny 0.20.2 "for the advisories about crates"
