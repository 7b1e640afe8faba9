#!/usr/bin/env bash
# Random work for the runtime under the race detector, at GOMAXPROCS 1, 2 and 8, for 10 minutes or as many as are given. To run a round
# that failed again and again: ci/endurance.sh MINUTES SEED.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
seconds=$((${1:-10} * 60 / 3))
program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
go test -race -c -o "$program/runtime.test" ./runtime
cd runtime
for processors in 1 2 8; do
	GOMAXPROCS=$processors "$program/runtime.test" -test.run '^TestNothingIsLostInRandomWork$' -test.v -test.timeout 0 \
		-endurance "${seconds}s" -endurance.seed "${2:-0}"
done
