#!/usr/bin/env bash
# Runs the tests of taskstate, park and idle, 50 times in a row under the race detector, and 20 times those of the runtime that depend on
# chance. About 12 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go test -race -count=50 -timeout 25m ./taskstate ./park ./idle
go test -race -short -count=20 -timeout 25m ./runtime -run \
	'Races|ThatSpawn|FromOutside|WithTasksPending|BeforeAndAfter|OneTurn|Repeated|PolledOnce|Stranded|ChildJoins|OfAGraph|Scope|GivesUp'
