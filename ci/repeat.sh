#!/usr/bin/env bash
# Runs the tests of taskstate, park and idle, 50 times in a row or as often as is said, under the race
# detector, and two fifths as often those of the runtime that depend on chance. About 12 minutes on 2
# cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
unset RAPID_SEED # each repetition draws anew
times=${1:-50}
go test -race -count="$times" -timeout 25m ./taskstate ./park ./idle
go test -race -short -count="$((times * 2 / 5))" -timeout 25m ./runtime -run \
	'Races|ThatSpawn|FromOutside|WithTasksPending|BeforeAndAfter|OneTurn|Repeated|PolledOnce|Stranded|ChildJoins|OfAGraph|Scope|GivesUp'
