#!/usr/bin/env bash
# Runs every exhaustive check and every mutant through the command, as a user would. About 10 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go run .
go run . mutants -all
