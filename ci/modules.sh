#!/usr/bin/env bash
# Runs the tests of public modules under the checker, as they are, and compares the verdicts with
# testdata/modules; and the checks of testdata/found, which find bugs in such modules. Then shows
# these bugs without the checker. Needs the network. 15 to 60 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
go test ./ci/modules -count=1 -timeout 6h -modules "$@"
(cd testdata/found && go run ./native && go run -race ./race)
