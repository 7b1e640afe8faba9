#!/usr/bin/env bash
# Runs every benchmark once, to see that it still works; its figures mean nothing. About 2 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run '^$' -bench . -benchtime 1x ./...
cd bench
go vet ./...
go test -bench . -benchtime 1x ./...
go run . -quick
if command -v cargo >/dev/null; then
	(cd rust && cargo run --release --locked -- 3)
	out="$(mktemp -d)"
	trap 'rm -rf "$out"' EXIT
	go run . -drive "$out/results.json" -rust rust/target/release/peers -turns 1 -block 1ms -most 1s \
		-run '^(chain|fib-25)$' -surveys=false
	go run . -print "$out/results.json"
	checkers/run.sh -quick -run adds
	checkers/run.sh -bugs
fi
