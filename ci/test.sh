#!/usr/bin/env bash
# Runs all tests, plainly and under the race detector. About 8 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test -timeout 20m ./...
go test -timeout 20m -race ./...
