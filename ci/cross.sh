#!/usr/bin/env bash
# Builds and vets everything, tests included, for other platforms. About a minute, the first time 4.
set -euo pipefail
cd "$(dirname "$0")/.."
for target in linux/386 linux/arm64 darwin/arm64 windows/amd64 js/wasm; do
	echo "$target"
	export GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0
	go build ./...
	go vet ./...
done
