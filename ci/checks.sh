#!/usr/bin/env bash
# Runs every exhaustive check, plainly and under the race detector, and the mutants through the
# command, as a user would. About 55 minutes on 2 cores. With "-mutants" as its first argument
# without the checks, which ci/test.sh has run: 40. With "-all" also the mutants that are further
# examples: an hour more; with "-part 1/3" a third.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
if [ "${1-}" = -mutants ]; then
	shift
else
	go run . check -both -tags wide
fi
# Random tests that must object draw 60 times: mutants are tested with -short, which makes it a fifth.
export RAPID_CHECKS=300
go run . mutants -for 0 -tags wide "$@"
