#!/usr/bin/env bash
# What does not fit into .ci/run: every further mutant, 10 minutes of random work for the runtime, and
# a million executions of each fuzz target. About 2 hours on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/checks.sh -all
ci/endurance.sh 10
ci/fuzz.sh 1000000x
