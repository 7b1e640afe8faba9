#!/usr/bin/env bash
# Runs all tests, plainly and under the race detector. About 12 minutes on 2 cores. The root's tests
# start the built command, which the detector does not see: the long ones run plainly only.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test -timeout 30m ./...
go test -timeout 30m -race $(go list ./... | tail -n +2)
go test -timeout 30m -race -short .
