#!/usr/bin/env bash
# Runs every exhaustive check and the mutants through the command, as a user would. About 15 minutes on 2 cores. With "-all" as its
# argument, also the mutants that are further examples of the same bugs; about 20 minutes more.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go run .
go run . mutants "$@"
