#!/usr/bin/env bash
# Measures the checker, loom and Shuttle at the same scenarios in turns. 15 minutes on 2 cores.
#
#     bench/checkers/run.sh             writes the table of README.md
#     bench/checkers/run.sh -quick      two seconds for each, prints the table and writes nothing
#     bench/checkers/run.sh -bugs       puts a bug into each scenario: all must find it
#     bench/checkers/run.sh -parts      what a step of the checker costs by part, in a minute
#     bench/checkers/run.sh -run basic  one scenario, prints the table and writes nothing
set -euo pipefail
cd "$(dirname "$0")"
command -v cargo >/dev/null || { echo "loom and Shuttle need cargo" >&2; exit 1; }
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
(cd rust && cargo build --release --locked --quiet)
(cd ../.. && go build -o "$scratch/surewake" .)
go build -o "$scratch/checkers" .
rust="${CARGO_TARGET_DIR:-rust/target}/release/checkers"
"$scratch/checkers" -surewake "$scratch/surewake" -rust "$rust" "$@"
