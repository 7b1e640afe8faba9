#!/usr/bin/env bash
# Tries every single edit of the protocol code of the parts that was not tried since its package has
# changed, and lists those that nobody notices. About 8 hours for all on 2 cores; with "-quick", and
# the name of a part, about half an hour. Goes on where it was interrupted. A part that was tried to
# its end is put into ci/mutation/table.txt. With "-sample 40", tries that many edits of such parts
# anew, and keeps nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
go run ./ci/mutation "$@"
