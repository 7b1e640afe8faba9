#!/usr/bin/env bash
# Random work for the runtime under the race detector, at GOMAXPROCS 1, 2 and 8, for 10 minutes or
# as many as are given. To run a round that failed again and again: ci/endurance.sh MINUTES SEED.
# Then, for a third of that time, traces of the same work with 65 and more workers, which the tables
# of idle and park must allow.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
# Under the race detector every coroutine that ends leaves 6 KB behind, in the detector: so a
# process runs for a minute, not for ten.
rounds=$(((${1:-10} + 2) / 3))
program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
go test -race -c -o "$program/runtime.test" ./runtime
cd runtime
for processors in 1 2 8; do
	for ((round = 0; round < rounds; round++)); do
		GOMAXPROCS=$processors "$program/runtime.test" -test.v -test.timeout 0 \
			-test.run '^TestNothingIsLostInRandomWork$' -endurance 60s -endurance.seed "${2:-0}"
	done
done
cd ..
go test ./proofs/trace -run '^TestEnduranceIsTheTable$' -v -timeout 0 -endurance "${rounds}m"
