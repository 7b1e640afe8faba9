#!/usr/bin/env bash
# Runs the tests of taskstate, park and idle 50 times in a row under the race detector. About 8 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test -race -count=50 -timeout 25m ./taskstate ./park ./idle
