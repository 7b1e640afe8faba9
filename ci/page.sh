#!/usr/bin/env bash
# Opens the page of check -html in a headless browser: what it shows, keys, layout, contrast. Installs Chromium where it is missing (Debian). About 1 minute; -shots DIR writes pictures.
set -euo pipefail
cd "$(dirname "$0")/page"
../need-cc.sh
if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
	as_root=()
	if [ "$(id -u)" != 0 ]; then
		as_root=(sudo)
	fi
	"${as_root[@]}" apt-get update
	"${as_root[@]}" apt-get install -y --no-install-recommends chromium
fi
go vet ./...
go test -count=1 ./... "$@"
