#!/usr/bin/env bash
# Runs every benchmark once, to see that it still works; its figures mean nothing. About 3 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run '^$' -bench . -benchtime 1x ./...
cd bench
go vet ./...
go test -run '^$' -bench . -benchtime 1x ./...
go run . -quick
if command -v cargo >/dev/null; then
	cd rust
	cargo run --release --locked -- 3
fi
