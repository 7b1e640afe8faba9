#!/usr/bin/env bash
# What does not fit into .ci/run, or the parts of it that are named: ci/full.sh mutants readers. More
# than 4 hours on 2 cores in all.
#   mutants    every mutant, further ones too; the checks
#   deep       checks of the runtime within a bound on preemptions, to their end: 20 minutes
#   estimates  what check estimates of its own checks while they run
#   repeat     all repetitions
#   endurance  10 minutes of random work for the runtime, and ten million timeouts on one task
#   cpus       tests of the runtime on 1, 2 and 8 processors
#   fuzz       a million executions of each fuzz target
#   readers    what other programs read
#   gotests    up to 2 minutes for each of Go's own tests
#   races      the other tests under the race detector
#   modules    tests of public modules
set -euo pipefail
cd "$(dirname "$0")/.."
mutants() { ci/checks.sh -all; }
deep() { go run . check -tags deep -run '/_preemptions?$' ./runtime; }
estimates() {
	SUREWAKE_ESTIMATES='./deque ./examples/pool ./fork ./idle ./proofs/refine ./runtime' \
		go test -count=1 -v -timeout 3h -run EstimateOfOwnChecks .
}
repeat() { ci/repeat.sh; }
endurance() {
	ci/endurance.sh 10
	go test ./runtime -count=1 -v -timeout 30m -endurance 1s \
		-run '^TestTimeoutsOnOneHandleLeaveTheHeapWhereItWas$'
}
cpus() { # each in a process of its own: together they need more than 24 GB
	for n in 1 2 8; do
		go test -timeout 60m -race -short -cpu "$n" ./runtime
	done
}
fuzz() { ci/fuzz.sh 1000000x; }
readers() { ci/readers.sh; }
gotests() { go test ./fuzz/gotests -timeout 6h -gotests.budget 2m,100000x; }
races() {
	go test -timeout 2h -race ./model/explore
	go test -timeout 60m -race -short . ./ci/... ./fuzz/gotests ./model/instrument ./model/mutant \
		./proofs ./proofs/refine ./proofs/trace
}
modules() { ci/modules.sh; }

all=(mutants deep estimates repeat endurance cpus fuzz readers gotests races modules)
[ $# -gt 0 ] || set -- "${all[@]}"
for part in "$@"; do
	if [[ " ${all[*]} " != *" $part "* ]]; then
		printf 'ci/full.sh: no part is called %q; there are %s\n' "$part" "${all[*]}" >&2
		exit 2
	fi
done
for part in "$@"; do
	printf '\n=== %s\n' "$part"
	SECONDS=0
	"$part"
	printf '=== %s took %d s\n' "$part" "$SECONDS"
done
