#!/usr/bin/env bash
# Tries every single edit of the protocol code of the parts that was not tried since its package has
# changed, and lists those that nobody notices. About 8 hours for all on 2 cores; with "-quick", and
# the name of a part, about half an hour; with "-n 20", a sample. Goes on where it was interrupted.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go run ./ci/mutation "$@"
