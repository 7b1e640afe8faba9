#!/usr/bin/env bash
# Verifies, with a program that does not trust the search, that the explored executions of small
# checks are all that there are. About two minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go build -o "$out/surewake" .
go build -o "$out/certify" ./model/certify
small() { "$out/surewake" check -race=false -certify "$out/traces" "$@" >"$out/log" || { cat "$out/log"; exit 1; }; }
small ./deque
code=0
"$out/certify" "$out/traces" || code=$?
test "$code" = 0
