#!/usr/bin/env bash
# What does not fit into .ci/run: every further mutant, all repetitions, 10 minutes of random work for
# the runtime, and a million executions of each fuzz target. More than 2 hours on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/checks.sh -all
ci/repeat.sh
ci/endurance.sh 10
ci/fuzz.sh 1000000x
