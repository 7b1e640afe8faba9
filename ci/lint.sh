#!/usr/bin/env bash
# Checks that no ignored file is tracked, the format, go vet, golangci-lint with .golangci.yml, and
# that each Cx is used by its own task. About 1 minute, the first time 4.
set -euo pipefail
cd "$(dirname "$0")/.."
ignored=$(git ls-files --cached --ignored --exclude-standard)
if [ -n "$ignored" ]; then
	printf 'tracked although .gitignore names them:\n%s\n' "$ignored"
	exit 1
fi
unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted by gofmt:\n%s\n' "$unformatted"
	exit 1
fi
go vet ./...
go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
go run ./ci/cxcheck ./...
