#!/usr/bin/env bash
# Runs all tests, plainly and under the race detector. About 10 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test ./...
# The exhaustive checks just ran above; their race runs are part of them.
go test -race -short ./...
