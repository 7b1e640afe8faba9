#!/usr/bin/env bash
# Runs all tests, plainly and under the race detector. About 25 minutes on 2 cores. Those of the root,
# ci/checks, ci/killed, ci/verdicts, fuzz/gotests and model/instrument start commands, which the
# detector does not see; those of proofs, model/mutant and model/explore are slow under it, and no
# two goroutines of theirs run at once. Here they run plainly only; ci/full.sh runs them under the
# detector, too.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# tests runs go test. If something fails it says at the end what: the stacks of a timeout are long.
tests() {
	go test "$@" 2>&1 | tee "$log" && return
	printf '\n=== what failed\n'
	grep -E -A 3 '^(\s*--- FAIL|panic:|WARNING: DATA RACE|\s+running tests:|FAIL)' "$log" | head -n 150
	return 1
}

tests -timeout 45m ./...
plain='/(ci/(checks/.*|killed|verdicts)|fuzz/gotests|proofs(/refine|/trace)?|model/(mutant|explore|instrument))$'
tests -timeout 30m -race $(go list ./... | tail -n +2 | grep -vE "$plain")
