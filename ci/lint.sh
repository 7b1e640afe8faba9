#!/usr/bin/env bash
# Checks the format, go vet, golangci-lint with .golangci.yml, and that each Cx is used by its own
# task. About 1 minute, the first time 4.
set -euo pipefail
cd "$(dirname "$0")/.."
unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted by gofmt:\n%s\n' "$unformatted"
	exit 1
fi
go vet ./...
go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
go run ./ci/cxcheck ./...
