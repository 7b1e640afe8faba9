#!/usr/bin/env bash
# Runs all tests, plainly and under the race detector. About 30 minutes on 2 cores. The tests of the
# root, ci, ci/killed and fuzz/gotests start the built command, which the detector does not see, those of proofs
# and model/mutant are slow under it and share nothing: here they run plainly only.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test -timeout 30m ./...
plain='/(ci(/killed)?|fuzz/gotests|proofs(/refine|/trace)?|model/mutant)$'
go test -timeout 30m -race $(go list ./... | tail -n +2 | grep -vE "$plain")
