#!/usr/bin/env bash
# Prints the path of cargo-deb (tests/setup/cargo-tool.sh).
exec "$(dirname "$0")/cargo-tool.sh" cargo-deb 3.8.0 "for the package"
