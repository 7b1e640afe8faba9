#!/usr/bin/env bash
# Runs every benchmark once, to see that it still works; its figures mean nothing. About 2 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run '^$' -bench . -benchtime 1x ./...
