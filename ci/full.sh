#!/usr/bin/env bash
# What does not fit into .ci/run: what other programs read, every mutant, further ones too, checks of
# the runtime within a bound on preemptions to their end (20 minutes), all repetitions, 10 minutes of
# random work for the runtime, its tests on 1, 2 and 8 processors, a million executions of each fuzz
# target, up to 2 minutes for each of Go's own tests, the other tests under the race detector, and
# those of public modules. More than 4 hours on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/checks.sh -all
go run . check -tags deep -run '/_preemptions?$' ./runtime
SUREWAKE_ESTIMATES='./deque ./fork ./idle ./runtime' go test -timeout 3h -run EstimateOfOwnChecks .
ci/repeat.sh
ci/endurance.sh 10
go test -timeout 60m -race -short -cpu 1,2,8 ./runtime
ci/fuzz.sh 1000000x
ci/readers.sh
go test ./fuzz/gotests -timeout 6h -gotests.budget 2m,100000x
go test -timeout 2h -race ./model/explore
go test -timeout 60m -race -short . ./ci/... ./fuzz/gotests ./model/instrument ./model/mutant \
	./proofs ./proofs/refine ./proofs/trace
ci/modules.sh
